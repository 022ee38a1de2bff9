import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from '../../../test/support/folder.ts'
import { agentNamed } from '../../adapters/agents/list.ts'
import { keptSession, loggedLines, type SessionLines } from './session-lines.ts'

const agent = agentNamed({ name: 'claude' }, { allowedTools: '', skipPermissions: false, root: '/' })
const said = (text: string): string => JSON.stringify({ type: 'assistant', message: { content: [{ type: 'text', text }] } })
const printed = (text: string): string =>
  JSON.stringify({
    type: 'user',
    message: { content: [{ type: 'tool_result', tool_use_id: 'x', content: text, is_error: true }] },
  })

test('one huge tool result does not push the session out of what a learner is shown [R-LEARN-2]', (t) => {
  const folder = tempFolder(t)
  const path = join(folder, 'iteration-001.log')
  const words = Array.from({ length: 120 }, (_, n) => said(`step ${n}`))
  const gate = [
    '=== gate tests: npm test',
    ...Array.from({ length: 300 }, (_, n) => `ok ${n}`),
    '=== gate tests: passed in 1.0s (exit 0)',
  ]
  writeFileSync(path, `${[...words, printed('x'.repeat(2_000_000)), said('Done.'), ...gate].join('\n')}\n`)
  const lines = loggedLines(path, [agent])
  assert.deepEqual([lines.length, lines[0], lines[97], lines[98]?.length, lines[99]], [100, 'step 22', 'step 119', 200, 'Done.'])
  assert.deepEqual(loggedLines(join(folder, 'none.log'), [agent]), [])
})

test('of an agent of this run the last lines are kept as they were read, of the last few iterations', () => {
  const said = new Map<number, SessionLines>()
  const session = keptSession(said, 1)
  for (let n = 0; n < 150; n++) session.take({ kind: 'said', text: `line ${n}`, isSub: false })
  session.take({ kind: 'tool-result', failed: true, text: 'y'.repeat(100_000) })
  session.take({ kind: 'end', isError: false, text: 'All done.' })
  const lines = session.lines()
  assert.deepEqual([lines.length, lines[0], lines[98]?.length, lines[99]], [100, 'line 52', 200, 'All done.'])
  for (let iteration = 2; iteration <= 25; iteration++) keptSession(said, iteration)
  assert.deepEqual([said.size, said.has(1), said.has(25)], [20, false, true])
})

test('a learner sees how a failed command ended, and nothing that the program printed beside its format [R-COST-5]', () => {
  const session = keptSession(new Map(), 1)
  session.take({ kind: 'noise', text: 'npm warn deprecated' })
  session.take({ kind: 'tool', name: 'Bash', target: 'npm test', isSub: false })
  session.take({ kind: 'tool-result', failed: true, text: 'Exit code 1\nok 1\nok 2\nnot ok 3\n  expected 2\n  got 3\n# fail 1' })
  session.take({ kind: 'said', text: 'Rounding is wrong.', isSub: false })
  assert.deepEqual(session.lines(), [
    '  → Bash npm test',
    ...['Exit code 1', 'not ok 3', 'expected 2', 'got 3', '# fail 1'].map((line) => `  ✗ ${line}`),
    'Rounding is wrong.',
  ])
})
