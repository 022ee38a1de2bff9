import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anEnd, anEndedFlight, aReading, aResult } from '../../../sim/builders.ts'
import { initialState } from '../../core/evolve/initial.ts'
import type { EventOf } from '../../core/types.ts'
import { progressEntry } from './progress.ts'

test('an entry has the summary, and what the agent reports of tasks and files', () => {
  const reading = aReading({ reported: { tasks: 1, files: 3 } })
  const flight = anEndedFlight(anEnd(2, { summary: 'review the\n login', reading }))
  const judged = { passed: [], refused: [], verdict: 'worked', claim: 'none' } as unknown as EventOf<'iteration.judged'>
  const entry = progressEntry(initialState, { ...flight, phase: 'judged', judged }, { files: [], commits: [] })
  assert.match(entry, /\nSummary: review the login\nReported: 1 task completed, 3 files modified\n/)
})

test('of a gate that refused the story an entry has the failing test, as the screen does, not what else was printed', () => {
  const output = 'Error log: /tmp/x\nnot ok 1 - adds\n  AssertionError: expected 3, got 4\n1..1\n'
  const flight = anEndedFlight(anEnd(2), { gates: [aResult('tests', false, { output })] })
  const judged = { passed: [], refused: ['A'], verdict: 'failed', claim: 'none' } as unknown as EventOf<'iteration.judged'>
  const entry = progressEntry(initialState, { ...flight, phase: 'judged', judged }, { files: [], commits: [] })
  assert.match(entry, /\nLearnings:\n {2}- tests: not ok 1 - adds\n {2}- tests: AssertionError: expected 3, got 4\n$/)
})
