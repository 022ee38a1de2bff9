import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { sweepTemporaries } from './temporaries.ts'

test('temporary files of processes that are gone, and of a killed git of ours, are removed; those of the living, and all else, stay', (t) => {
  const folder = tempFolder(t)
  const { pid } = spawnSync('true')
  const stay = [`.prd.json.tmp-${process.pid}-3`, `prd.json.tmp-${pid}-1`, `.x.tmp-${pid}`, 'prd.json', 'ralph.lock']
  for (const name of [...stay, 'ralph-index', 'ralph-rescue-index.lock', `.prd.json.tmp-${pid}-1`, `.ralph.lock.tmp-${pid}-22`])
    writeFileSync(join(folder, name), '')
  sweepTemporaries([folder, join(folder, 'none')])
  assert.deepEqual(readdirSync(folder).sort(), stay.sort())
})

test('beside the user’s files only temporary ones of these files go', (t) => {
  const folder = tempFolder(t)
  const { pid } = spawnSync('true')
  const stay = ['AGENTS.md', `.AGENTS.md.tmp-${process.pid}-1`, `.other.md.tmp-${pid}-1`, 'ralph-index']
  for (const name of [...stay, `.AGENTS.md.tmp-${pid}-1`]) writeFileSync(join(folder, name), '')
  sweepTemporaries([], [join(folder, 'AGENTS.md'), join(folder, 'none', 'SKILL.md')])
  assert.deepEqual(readdirSync(folder).sort(), stay.sort())
})
