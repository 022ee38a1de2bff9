/** How a log becomes steps. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '../../core/reading/transcript.ts'
import { stepReader } from './transcript-steps.ts'

/** Each line is a list of entries, except what Ralph writes. */
function stepsOf(...lines: (string | Entry[])[]) {
  const entries = new Map<string, Entry[]>(
    lines.flatMap((line, index) => (typeof line === 'string' ? [] : [[`#${index}`, line] as const])),
  )
  const { push, steps } = stepReader((line) => entries.get(line) ?? [{ kind: 'noise', text: line }])
  lines.forEach((line, index) => {
    push(typeof line === 'string' ? line : `#${index}`)
  })
  return steps
}
const tool = (target: string): Entry => ({ kind: 'tool', name: 'Bash', target, isSub: false })
const result = (text: string, failed = false): Entry => ({ kind: 'tool-result', failed, text })

test('tools get their results in the order of their calls, and words that the end repeats are there once', () => {
  assert.deepEqual(
    stepsOf(
      [{ kind: 'said', text: 'I look.', isSub: false }, tool('ls'), tool('cat x')],
      [result('a b')],
      [result('no such file', true)],
      [{ kind: 'said', text: 'It is there.', isSub: false }],
      [{ kind: 'end', isError: false, text: 'It is there.' }],
    ),
    [
      { kind: 'words', text: 'I look.', isSub: false },
      { kind: 'tool', name: 'Bash', target: 'ls', result: { failed: false, text: 'a b' } },
      { kind: 'tool', name: 'Bash', target: 'cat x', result: { failed: true, text: 'no such file' } },
      { kind: 'words', text: 'It is there.', isSub: false },
    ],
  )
})

test('a gate has its output until its own end, also if that is on a line with output', () => {
  assert.deepEqual(
    stepsOf(
      '=== gate tests: npm test',
      'not ok 1',
      '=== gate other: passed in 1s (exit 0)',
      'red=== gate tests: failed in 1.2s (exit 1)',
    ),
    [
      {
        kind: 'gate',
        name: 'tests',
        passed: false,
        text: 'not ok 1\n=== gate other: passed in 1s (exit 0)\nred\n',
        end: 'failed in 1.2s (exit 1)',
      },
    ],
  )
})

test('an agent that prints plain text speaks in one step, and escape codes never reach the page', () => {
  const { push, steps } = stepReader((line) => [{ kind: 'said', text: line, isSub: false }])
  for (const line of ['One.', '', '\u001b[31mTwo.\u001b[0m', '=== ralph: timed out']) push(line)
  assert.deepEqual(steps, [
    { kind: 'words', text: 'One.\n\nTwo.', isSub: false },
    { kind: 'note', tone: 'warn', text: 'timed out' },
  ])
})
