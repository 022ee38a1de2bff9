import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import type { StatusReport } from '../../core/reading/status-report.ts'
import { masker } from '../mask/mask.ts'
import { readReport, writeReport } from './agent-report-file.ts'

const folder = tempFolder()
const path = join(folder, 'report.json')
const first: StatusReport = { status: 'in_progress', summary: 'Half of it.', blockedReason: '', question: '' }

test('the last report counts, and nothing else is left behind', () => {
  const second: StatusReport = { ...first, status: 'complete', exitSignal: false }
  writeReport(path, first, masker({}))
  assert.deepEqual(readReport(path), first)
  writeReport(path, second, masker({}))
  assert.deepEqual([readReport(path), readdirSync(folder)], [second, ['report.json']])
})

test('a credential in a report is masked before it is written [R-FILE-3]', () => {
  writeReport(path, { ...first, summary: 'The key is "hunter2-hunter2".' }, masker({ API_KEY: 'hunter2-hunter2' }))
  assert.doesNotMatch(readFileSync(path, 'utf8'), /hunter2/)
  assert.match((readReport(path) as StatusReport).summary, /^The key is ".+"\.$/)
})

test('a missing file is no report, and a broken one says what is wrong', () => {
  assert.equal(readReport(join(folder, 'none.json')), null)
  writeFileSync(path, '{"status":')
  assert.equal(readReport(path), 'The status report is not JSON.')
  writeFileSync(path, '{"status":"finished"}')
  assert.equal(readReport(path), 'status must be one of complete, in_progress, blocked, testing.')
  for (const shape of ['null', '[]', '"complete"', '7']) {
    writeFileSync(path, shape)
    assert.equal(readReport(path), 'A report must be an object with a status.')
  }
  writeFileSync(path, '{"status":"complete","summary":["x"]}')
  assert.equal(readReport(path), 'summary must be a string.')
  writeFileSync(path, ' '.repeat(1024 * 1024 + 1))
  assert.equal(readReport(path), 'The status report is too large: 1048577 bytes.')
})
