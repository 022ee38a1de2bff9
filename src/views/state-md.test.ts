import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parse } from 'yaml'
import { aFlight, after, anEnd, aPlan, aPolicy, aResult, aStory, runStarted } from '../../sim/builders.ts'
import { noStory } from '../core/initial.ts'
import type { Flight, State } from '../core/state.ts'
import { stateMarkdown } from './state-md.ts'

/** A story whose last attempt a gate refused, with these words in it. */
function refused(id: string, gate: string, output: string, files: string[]): { state: State; flight: Flight } {
  const result = { ...aResult(gate, false), output }
  const state = after([runStarted(aPlan([aStory(id)]), aPolicy({ maxAttempts: 5 }))])
  const refusal = { iteration: 3, because: 'refused', hash: 'a3f2b7c1', gates: [result], summary: '', files, wasShift: false }
  const story = { ...noStory, attempts: 1, failedAttempts: 1, lastRefused: true, refusals: [refusal], errors: { a3f2b7c1: 2 } }
  const flight = aFlight(3, { story: id, ended: anEnd(3, { files, uncommitted: [] }), gates: [result] })
  return { state: { ...state, stories: { [id]: story } }, flight }
}

const header = (text: string): Record<string, unknown> => parse(text.split('\n---\n')[0]!.replace(/^---\n/, ''))

test('state.md has the failure word for word, and a header that programs can read [R-GATE-3]', () => {
  const { state, flight } = refused('S-1', 'tests', 'FAIL a.test.ts\n  expected 1', ['src/a.ts'])
  const text = stateMarkdown(state, flight)!
  assert.match(text, /## Test Output \(verbatim\)\n```\nFAIL a\.test\.ts\n {2}expected 1\n```/)
  assert.deepEqual(header(text), {
    task_id: 'S-1',
    iteration: 3,
    max_iterations: 5,
    last_gate: 'tests',
    exit_code: 1,
    error_hash: 'a3f2b7c1',
    timestamp: '2026-01-05T08:00:00.000Z',
    stuck_count: 2,
    strategy_shifts: 0,
    files_modified: ['src/a.ts'],
  })
})

test('whatever a story, a gate or a file is called, the header says exactly that', () => {
  const name = fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' })
  fc.assert(
    fc.property(name, name, fc.string({ maxLength: 200 }), fc.array(name, { maxLength: 5 }), (id, gate, output, files) => {
      const { state, flight } = refused(id, gate, output, files)
      const { task_id, last_gate, files_modified } = header(stateMarkdown(state, flight)!)
      assert.deepEqual([task_id, last_gate, files_modified ?? []], [id, gate, files])
    }),
    { numRuns: 300 },
  )
})

test('a story that passed, or has no failure, has no state.md', () => {
  const { state, flight } = refused('S-1', 'tests', '', [])
  assert.equal(stateMarkdown({ ...state, stories: {} }, flight), null)
  assert.equal(stateMarkdown(state, { ...flight, story: null }), null)
})
