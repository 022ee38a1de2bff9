import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sweepTemporaries } from './temporaries.ts'

test('temporary files of processes that are gone, and of a killed git of ours, are removed; those of the living, and all else, stay', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-temporaries-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const { pid } = spawnSync('true')
  const stay = [`.prd.json.tmp-${process.pid}-3`, `prd.json.tmp-${pid}-1`, `.x.tmp-${pid}`, 'prd.json', 'ralph.lock']
  for (const name of [...stay, 'ralph-index', 'ralph-rescue-index.lock', `.prd.json.tmp-${pid}-1`, `.ralph.lock.tmp-${pid}-22`])
    writeFileSync(join(folder, name), '')
  sweepTemporaries([folder, join(folder, 'none')])
  assert.deepEqual(readdirSync(folder).sort(), stay.sort())
})
