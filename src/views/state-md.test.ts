import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parse } from 'yaml'
import { after, anEnd, aPlan, aPolicy, aResult, aStory, runStarted } from '../../sim/builders.ts'
import type { Flight, State } from '../core/state.ts'
import { stateMarkdown } from './state-md.ts'

/** A story whose last attempt a gate refused, with these words in it. */
function refused(id: string, gate: string, output: string, files: string[]): { state: State; flight: Flight } {
  const result = { ...aResult(gate, false), output }
  const state = after([runStarted(aPlan([aStory(id)]), aPolicy({ maxAttempts: 5 }))])
  const story = {
    attempts: 1,
    failedAttempts: 1,
    lastRefused: true,
    refusals: [{ iteration: 3, because: 'refused', gates: [result] }],
  }
  const ended = anEnd(3, { files, uncommitted: [] })
  const flight: Flight = {
    iteration: 3,
    story: id,
    attempt: 1,
    mode: 'implement',
    startedAt: '',
    isStopping: false,
    ended,
    gates: [result],
  }
  return { state: { ...state, stories: { [id]: story } }, flight }
}

const header = (text: string): Record<string, unknown> => parse(text.split('\n---\n')[0]!.replace(/^---\n/, ''))

test('state.md has the failure word for word, and a header that programs can read [R-GATE-3]', () => {
  const { state, flight } = refused('S-1', 'tests', 'FAIL a.test.ts\n  expected 1', ['src/a.ts'])
  const text = stateMarkdown(state, flight)!
  assert.match(text, /## Gate tests \(verbatim\)\n```\nFAIL a\.test\.ts\n {2}expected 1\n```/)
  const { task_id, iteration, max_iterations, last_gate, files_modified } = header(text)
  assert.deepEqual([task_id, iteration, max_iterations, last_gate, files_modified], ['S-1', 3, 5, 'tests', ['src/a.ts']])
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
