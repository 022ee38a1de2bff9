import assert from 'node:assert/strict'
import { test } from 'node:test'
import { streamJsonReader } from '../adapters/agents/shared/stream-json.ts'
import type { Entry } from '../core/reading/transcript.ts'
import { logReader } from './log-lines.ts'

const shown = (lines: string[], entries?: (line: string) => Entry[]): string[] => {
  const claude = streamJsonReader()
  const read = logReader(entries ?? ((line) => claude(line, 'out')))
  return lines.flatMap(read).map(({ tone, text }) => `${tone}: ${text}`)
}
const says = (text: string): string => JSON.stringify({ type: 'assistant', message: { content: [{ type: 'text', text }] } })
const uses = (name: string, input: object): string =>
  JSON.stringify({ type: 'assistant', message: { content: [{ type: 'tool_use', id: 't', name, input }] } })
const result = (content: string, is_error: boolean): string =>
  JSON.stringify({ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't', content, is_error }] } })
const ends = (text: string): string => JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: text })

test("the agent's words are set apart from its tools, and failed results are seen [R-TEL-4]", () => {
  assert.deepEqual(
    shown([
      says('First line\nsecond line'),
      uses('Bash', { command: 'npm\n  test' }),
      result('fine', false),
      result('1 test\nfailed', true),
      'a line of something else',
    ]),
    [
      'plain: First line',
      'plain: second line',
      'dim:   → Bash npm test',
      'bad:   ✗ 1 test failed',
      'plain: a line of something else',
    ],
  )
})

test('last words are shown once, whether they come with the end or before it', () => {
  assert.deepEqual(shown([says('It is there.'), ends('It is there.')]), ['plain: It is there.'])
  assert.deepEqual(shown([says('Nearly.'), ends('It is there.')]), ['plain: Nearly.', 'plain: It is there.'])
})

test('gates are shown as they print, also what looks like an agent, and also without a last line end', () => {
  assert.deepEqual(
    shown([
      '=== gate tests: npm test',
      says('no agent'),
      '',
      'ok=== gate tests: passed in 1m 3s (exit 0)',
      '=== gate lint: x',
      '=== gate lint: failed in 0.1s (could not start: no sh)',
      says('the reviewer'),
    ]),
    [
      'strong: === gate tests: npm test',
      `plain: ${says('no agent')}`,
      'plain: ',
      'plain: ok',
      'good: === gate tests: passed in 1m 3s (exit 0)',
      'strong: === gate lint: x',
      'bad: === gate lint: failed in 0.1s (could not start: no sh)',
      'plain: the reviewer',
    ],
  )
})

test('plain text keeps its empty lines', () => {
  const text = (line: string): Entry[] => [{ kind: 'said', text: line, isSub: false }]
  assert.deepEqual(shown(['one', '', 'two'], text), ['plain: one', 'plain: ', 'plain: two'])
})
