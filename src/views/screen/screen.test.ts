import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, aPlan, aPolicy, aStart, aStory, eventOf, runStarted } from '../../../sim/builders.ts'
import type { State } from '../../core/state.ts'
import type { Decision, Policy } from '../../core/types.ts'
import { linesFor } from './screen.ts'

const begun = (policy: Partial<Policy> = {}): State => after([runStarted(aPlan([aStory('A'), aStory('B')]), aPolicy(policy))])
const started = (state: State, decision: Decision): string[] =>
  linesFor(eventOf(decision), after([decision], state)).map(({ text }) => text)

test('an iteration says which of how many of this run it is, and its own number where that differs', () => {
  const state = begun({ maxIterations: 5 })
  assert.deepEqual(started(state, aStart(1, 'A')), ['Iteration 1 of 5: A Story A'])
  assert.deepEqual(started({ ...state, used: 2, iteration: 2 }, aStart(3, 'A')), ['Iteration 3 of 5: A Story A'])
  assert.deepEqual(started({ ...state, used: 2, iteration: 22 }, aStart(23, 'A')), ['Iteration 23 (3 of 5): A Story A'])
  const first = after([aStart(1, 'A', { worker: 1 })], state)
  assert.deepEqual(started(first, aStart(2, 'B', { worker: 2 })), ['Iteration 2 of 5: B Story B'])
})

test('where sessions may go on, an iteration says whether it resumes one or starts a new one', () => {
  const state = begun({ session: 'resume' })
  assert.deepEqual(started(state, aStart(1, 'A')).slice(1), ['  new session'])
  assert.deepEqual(started(state, aStart(1, 'A', { resume: 'abc-1' })).slice(1), ['  resumes session abc-1'])
  const words = (policy: Partial<Policy>): string[] =>
    linesFor(eventOf(runStarted(null, aPolicy(policy))), begun(policy)).map(({ text }) => text)
  assert.match(words({})[1]!, /, a new session each iteration,/)
  assert.match(words({ session: 'resume' })[1]!, /, sessions resumed within a story,/)
})
