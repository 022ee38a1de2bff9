import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { stopScript } from './live-guard.ts'

test('before it stops, an agent is sent back with the failing gate, at most three times', (t) => {
  const folder = tempFolder(t)
  const script = stopScript(
    [
      { name: 'lint', command: "echo 'all well'" },
      { name: 'tests', command: "echo it\\'s 4, not 3; exit 1" },
    ],
    folder,
    join(folder, 'reports', '001.stops'),
  )
  const stops = (said: string) => {
    const { status, stderr } = spawnSync('sh', ['-c', script], {
      input: JSON.stringify({ last_assistant_message: said }),
      encoding: 'utf8',
    })
    return [status, stderr]
  }
  const words = (times: number): string =>
    `Ralph ran its gates before you stop (${times} of 3). tests (echo it\\'s 4, not 3; exit 1) fails:\nit's 4, not 3\nFix the cause. If a criterion contradicts it, stop with DECIDE and quote both.\n`
  assert.deepEqual(stops('Done.'), [2, words(1)])
  // An honest way out is never barred.
  assert.deepEqual(stops('<promise>DECIDE: 3 or 4?</promise>'), [0, ''])
  assert.deepEqual(stops('<promise code="x">BLOCKED: no key</promise>'), [0, ''])
  assert.deepEqual(
    [stops('Done.'), stops('Done.'), stops('Done.')],
    [
      [2, words(2)],
      [2, words(3)],
      [0, ''],
    ],
  )
})
