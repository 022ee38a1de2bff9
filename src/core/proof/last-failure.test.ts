import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, aPlan, aPolicy, aStory, runStarted } from '../../../sim/builders.ts'
import { redResult } from '../decide/gates.ts'
import { noStory } from '../evolve/initial.ts'
import type { Refusal, State } from '../state.ts'
import type { GateResult } from '../types.ts'
import { failureWords, lastFailure } from './last-failure.ts'

const red = (output: string): GateResult => ({
  ...redResult('commit', 'npm test', output),
  name: 'tests',
  kind: 'command',
  exitCode: 1,
  durationMs: 200,
})
const refusal = (iteration: number, gates: GateResult[], because = 'it failed'): Refusal => ({
  ...{ iteration, because, hash: 'h', gates, summary: '', files: [], wasShift: false, attempt: 1 },
})
const begun = after([runStarted(aPlan([aStory('A'), aStory('B')]), aPolicy())])
const withRefusals = (refusals: Record<string, Refusal[]>, state: State = begun): State => ({
  ...state,
  stories: Object.fromEntries(Object.entries(refusals).map(([id, list]) => [id, { ...noStory, refusals: list }])),
})

test('the last rejected story that does not pass yet is what failed last, with the lines of its gate', () => {
  const state = withRefusals({ A: [refusal(2, [red('sh: eslint: not found')])], B: [refusal(1, [red('Error: older')])] })
  const failure = lastFailure(state)
  assert.deepEqual(failure, {
    iteration: 2,
    story: 'A',
    what: 'gate tests failed in 0.2s (exit 1)',
    lines: ['sh: eslint: not found'],
  })
  assert.equal(failure && failureWords(failure), 'iteration 2, A: gate tests failed in 0.2s (exit 1)')
})

test('a story that failed for good goes before one that was rejected later', () => {
  const plan = aPlan([{ ...aStory('A'), failed: { reason: 'r', branch: 'wip', iteration: 1 } as never }, aStory('B')])
  const state = withRefusals({ A: [refusal(1, [red('Error: of A')])], B: [refusal(5, [red('Error: of B')])] }, { ...begun, plan })
  assert.deepEqual(lastFailure(state)?.lines, ['Error: of A'])
})

test('a story that passes has not failed', () => {
  const plan = aPlan([{ ...aStory('A'), passes: true }])
  assert.equal(lastFailure(withRefusals({ A: [refusal(1, [red('Error: x')])] }, { ...begun, plan })), null)
})

test('without an iteration, red gates of the beginning are what failed, and have no iteration', () => {
  const failure = lastFailure({ ...begun, baseline: [red('Error: before')] })
  assert.deepEqual([failure?.iteration, failure?.story, failure?.lines], [0, null, ['Error: before']])
  assert.equal(failure && failureWords(failure), 'the whole project: gate tests failed in 0.2s (exit 1)')
})

test('a time limit has no gate: its reason says it', () =>
  assert.deepEqual(lastFailure(withRefusals({ A: [refusal(3, [], 'timed out after 15m')] })), {
    ...{ iteration: 3, story: 'A', what: 'timed out after 15m', lines: [] },
  }))
