import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, anEnd, anEndedFlight, aPlan, aPolicy, aResult, aStory, runStarted } from '../../../sim/builders.ts'
import { decide } from '../decide/decide.ts'
import type { State } from '../state.ts'
import type { GateResult } from '../types.ts'

const tests = { name: 'tests', command: 'npm test' }

/** A passed its gates, and is settled with what they say of what was committed. */
function settledWith(result: GateResult, problem?: string): State {
  const begun = after([runStarted(aPlan([aStory('A')]), aPolicy({ gates: [tests] }))])
  const flight = anEndedFlight(anEnd(1, { flips: ['A'] }), { gates: [aResult('tests', true)] })
  const flying: State = { ...begun, check: { phase: 'green' }, flights: [flight] }
  const settled = { iteration: 1, repo: begun.repo, commits: ['c1'], results: [result] }
  const judged = after(decide(flying), flying)
  return after([{ kind: 'iteration.settled', ...settled, ...(problem === undefined ? {} : { problem }) }], judged)
}

test('gates that are green on what was committed leave the story passed, and the whole checked', () => {
  const { plan, stories, check } = settledWith(aResult('tests', true))
  assert.deepEqual([plan?.stories[0]?.passes, stories['A']?.receipt?.commits, check], [true, ['c1'], { phase: 'green' }])
})

test('gates that are red on what was committed take the pass back: a failed attempt, and the next one is told', () => {
  const red = aResult('tests', false)
  const { plan, stories, check, tell } = settledWith(red, 'a commit hook changed it, and gate tests is red.')
  assert.deepEqual([plan?.stories[0]?.passes, stories['A']?.failedAttempts, stories['A']?.receipt], [false, 1, undefined])
  assert.deepEqual(check, { phase: 'red', results: [red] })
  assert.deepEqual(
    [stories['A']?.refusals.at(-1)?.gates, tell.at(-1)?.text],
    [[red], 'A does not pass yet: a commit hook changed it, and gate tests is red.'],
  )
})

test('stopped before the gates had looked at what was committed, the story is open and has not failed', () => {
  const { plan, stories, check } = settledWith(aResult('tests', false, { ended: 'stopped', exitCode: null }), 'stopped')
  assert.deepEqual([plan?.stories[0]?.passes, stories['A']?.failedAttempts, check], [false, 0, { phase: 'due' }])
})
