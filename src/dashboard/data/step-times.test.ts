/** When steps began and ended, read from lines as the agents print them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '../../core/reading/transcript.ts'
import { timeIn, tookMs } from './step-times.ts'
import { stepReader } from './transcript-steps.ts'

const at = (second: number): string => `2026-01-09T12:00:0${second}.000Z`
const ms = (second: number): number => Date.parse(at(second))

test('the time of a line is found where each agent writes it, and nowhere else', () => {
  const both = (second: number) => ({ start: at(second), end: at(second) })
  assert.deepEqual(timeIn(JSON.stringify({ type: 'assistant', message: {}, timestamp: at(1) })), both(1)) // Claude Code, Copilot, Gemini
  assert.deepEqual(timeIn(JSON.stringify({ type: 'message_end', message: { role: 'assistant', timestamp: ms(2) } })), both(2)) // pi
  const ofOpenCode = { type: 'tool_use', timestamp: ms(4), part: { state: { time: { start: ms(3), end: ms(4) } } } }
  assert.deepEqual(timeIn(JSON.stringify(ofOpenCode)), { start: at(3), end: at(4) })
  const others = [
    { type: 'item.completed', item: { text: '"timestamp":"2026-01-09T12:00:00.000Z"' } }, // Codex
    { type: 'user', message: { content: [{ timestamp: at(1) }] } },
    { timestamp: 'yesterday' },
    { timestamp: 0 },
    { timestamp: 1e300 },
  ].map((line) => JSON.stringify(line))
  for (const line of [...others, '{"timestamp":', 'said "timestamp"']) assert.equal(timeIn(line), null, line)
})

test('a tool takes from its call to its result, words since the step before; without times nothing is said', () => {
  const line = (second: number | null, ...entries: Entry[]): string =>
    JSON.stringify({ ...(second === null ? {} : { timestamp: at(second) }), entries })
  const { push, steps, times } = stepReader((text) => (JSON.parse(text) as { entries: Entry[] }).entries)
  const said = (text: string): Entry => ({ kind: 'said', text, isSub: false })
  const tool: Entry = { kind: 'tool', name: 'Bash', target: 'npm test', isSub: false }
  const result: Entry = { kind: 'tool-result', failed: false, text: 'ok' }
  push(line(2, said('I look.')))
  push(line(3, tool))
  push(line(7, result))
  push(line(9, said('It is there.')))
  push(line(null, said('No time.')))
  push(line(null, tool), at(9))
  assert.deepEqual(
    steps.map((step) => times.get(step)),
    [
      { start: at(2), end: at(2) },
      { start: at(3), end: at(7) },
      { start: at(9), end: at(9) },
      undefined,
      { start: at(9), end: null },
    ],
  )
  const [look, ran, there, none, running] = steps.map((step) => times.get(step))
  assert.deepEqual(
    [
      tookMs('words', look, at(0)),
      tookMs('tool', ran, at(2)),
      tookMs('words', there, at(7)),
      tookMs('words', there, null),
      tookMs('words', none, at(9)),
      tookMs('tool', running, null),
    ],
    [2000, 4000, 2000, null, null, null],
  )
})
