import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aFlight, after, anEnd, anEndedFlight, aPlan, aPolicy, aResult, aStory, runStarted } from '../../../sim/builders.ts'
import type { State } from '../state.ts'
import type { Policy } from '../types.ts'
import { decide } from './decide.ts'
import { claimsAmong } from './hand-marked.ts'

const tests = { name: 'tests', command: 'npm test' }
const plan = aPlan([aStory('A'), aStory('B', { passes: true })])

/** B was marked done by hand after a kill. */
function resumed(policy: Partial<Policy>): State {
  const begun = after([runStarted(aPlan([aStory('A'), aStory('B')]), aPolicy(policy))])
  const state = after([{ kind: 'run.resumed', plan, policy: begun.policy, repo: begun.repo, pid: 2, claims: ['B'] }], begun)
  return { ...state, baseline: [], check: { phase: 'green' } }
}
const step = (state: State): State => after(decide(state), state)
const passing = ({ plan: now }: State): string[] => (now?.stories ?? []).filter(({ passes }) => passes).map(({ id }) => id)

function checked(isGreen: boolean): State {
  const started = step(resumed({ gates: [tests] }))
  const gating = step(after([{ kind: 'iteration.ended', ...anEnd(1, { exit: 'lost', flips: ['B'] }) }], started))
  return step(after([{ kind: 'gates.ended', iteration: 1, results: [aResult('tests', isGreen)] }], gating))
}

test('a story that was marked done by hand after a kill passes once the gates are green, without a call [R-PLAN-7]', () => {
  const [start] = decide(resumed({ gates: [tests] }))
  assert.deepEqual(start?.kind === 'iteration.started' && [start.mode, start.story, start.call], ['check', null, 0])
  const state = checked(true)
  assert.deepEqual([passing(state), state.claims, state.stories['B']?.receipt?.proven], [['B'], [], true])
  assert.deepEqual([state.used, state.stories['B']?.attempts], [0, 0])
})

test('red gates set it back, with the reason, and cost it no attempt [R-PLAN-7]', () => {
  const state = checked(false)
  assert.deepEqual([passing(state), state.claims, state.stories['B']?.failedAttempts], [[], [], 0])
  assert.equal(state.last?.judged.because, 'B set back: tests failed')
})

test('where nothing could check it, the word of the user counts as at the start of a run [R-PLAN-7]', () => {
  const state = resumed({})
  assert.deepEqual([passing(state), state.stories['B']?.receipt?.given, state.claims], [['B'], true, []])
})

test('stopped before its gates were done, it is checked in the next run', () => {
  const started = step(resumed({ gates: [tests] }))
  const ended = after([{ kind: 'iteration.ended', ...anEnd(1, { exit: 'lost', flips: ['B'] }) }], started)
  const stopped = step(after([{ kind: 'stop.requested', by: 'SIGINT', now: true }], ended))
  assert.deepEqual([passing(stopped), stopped.claims], [[], ['B']])
})

test('where somebody was at work when Ralph was killed, a mark counts only with a check and if it was made after that', () => {
  const found = (policy: Partial<Policy>, flights: State['flights'], isMarkedSince: boolean): string[] => {
    const state = { ...resumed(policy), flights }
    return claimsAmong(state, { policy: state.policy, plan }, ['B'], () => isMarkedSince)
  }
  const [atWork, flipped] = [[aFlight(1)], [anEndedFlight(anEnd(1, { flips: ['B'] }))]]
  assert.deepEqual(found({}, [], false), ['B'])
  assert.deepEqual([found({}, atWork, true), found({ gates: [tests] }, atWork, false)], [[], []])
  assert.deepEqual(found({ gates: [tests] }, atWork, true), ['B'])
  assert.deepEqual(found({ review: { spec: 'judge', final: [] } }, atWork, false), [])
  assert.deepEqual(found({ gates: [tests] }, flipped, true), [])
})
