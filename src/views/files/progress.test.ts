import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anEnd, anEndedFlight, aReading } from '../../../sim/builders.ts'
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
