import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  after,
  anEnd,
  anEndedFlight,
  aPlan,
  aPolicy,
  aRepo,
  aResult,
  aStory,
  committed,
  runStarted,
} from '../../../sim/builders.ts'
import type { State } from '../state.ts'
import type { Ended, GateResult, Signal } from '../types.ts'
import { gatesFor } from './gates.ts'
import { judge, needsGates } from './verdict.ts'

const tests = { name: 'tests', command: 'npm test' }
const state = after([runStarted(aPlan([aStory('A'), aStory('B', { gates: { lint: 'lint b' } })]), aPolicy({ gates: [tests] }))])
const claim: Signal = { kind: 'claimed-done', by: 'promise', exitSignal: true, evidence: '' }
const words: Signal = { kind: 'claimed-done', by: 'keywords', exitSignal: false, evidence: '' }

const judged = (more: Partial<Ended>, gates?: GateResult[], before: State = state) =>
  judge(before, anEndedFlight(anEnd(1, more), gates && { gates }))
const verdictOf = (more: Partial<Ended>, results?: GateResult[]) => {
  const { verdict, because } = judged(more, results)
  return `${verdict}: ${because}`
}

test('a failed hard gate outranks a claim of done', () => {
  assert.deepEqual(judged({ flips: ['A'], signals: [claim] }, [aResult('tests', false)]), {
    kind: 'iteration.judged',
    iteration: 1,
    verdict: 'failed',
    because: 'Agent marked A done, but tests failed',
    progress: 'idle',
    passed: [],
    proven: false,
    refused: ['A'],
    failedGates: ['tests'],
    claim: 'refused',
    openStories: ['A', 'B'],
  })
})

test('a flip whose gates pass is done, with its proof', () => {
  assert.deepEqual(judged(committed(1, 't1', { flips: ['A'] }), [aResult('tests', true)]), {
    kind: 'iteration.judged',
    iteration: 1,
    verdict: 'done',
    because: 'A passed',
    progress: 'made',
    passed: ['A'],
    proven: true,
    refused: [],
    failedGates: [],
    claim: 'none',
    openStories: [],
  })
})

test('a story’s own gate refuses that story alone', () => {
  const { passed, refused } = judged({ flips: ['A', 'B'] }, [aResult('tests', true), aResult('lint', false, { story: 'B' })])
  assert.deepEqual({ passed, refused }, { passed: ['A'], refused: ['B'] })
})

test('each way to end has its verdict and its words', () => {
  const throttled: Signal = { kind: 'throttled', by: 'overload', message: 'busy' }
  assert.deepEqual(
    [
      verdictOf({ exit: 'stopped', flips: ['A'] }),
      verdictOf({ exit: 'lost' }),
      verdictOf({ exit: 'timeout' }),
      verdictOf({ signals: [throttled] }),
      verdictOf({ signals: [throttled], flips: ['A'] }),
      verdictOf({ signals: [{ kind: 'blocked', reason: 'no key', evidence: '' }] }),
      verdictOf({ signals: [{ kind: 'question', text: 'A or B?', evidence: '' }] }),
      verdictOf({ exit: 'failed', exitCode: 1, signals: [{ kind: 'error', hash: 'x', message: 'no disk' }] }),
      verdictOf({}),
      verdictOf(committed(1, 't1'), [aResult('tests', false)]),
    ],
    [
      'interrupted: stopped early',
      'lost: Ralph stopped during it',
      'failed: timed out after 1.0s',
      'throttled: provider overloaded: busy',
      'done: A passed',
      'blocked: the agent says it is blocked: no key',
      'question: the agent asks: A or B?',
      'failed: the agent failed (exit 1): no disk',
      'worked: nothing changed',
      'worked: new commits; tests red',
    ],
  )
})

test('a timeout that committed new content failed, and made progress all the same (G05)', () => {
  const { verdict, progress } = judged(committed(1, 't1', { exit: 'timeout' }))
  assert.deepEqual({ verdict, progress }, { verdict: 'failed', progress: 'made' })
})

test('a tree that was dirty before and is as dirty after is idle (G03)', () => {
  const dirty = after([runStarted(aPlan([aStory('A')]), aPolicy(), aRepo('t0', 'mine'))])
  assert.equal(judged({ repo: aRepo('t0', 'mine') }, undefined, dirty).progress, 'idle')
  assert.equal(judged({ repo: aRepo('t0', 'more') }, undefined, dirty).progress, 'neutral')
})

test('a commit that brings back content of this run is idle', () => {
  const { progress } = judged({ repo: aRepo('t0'), commits: ['h9'], trees: ['t0'] })
  assert.equal(progress, 'idle')
})

test('completion words are a claim only when enough of them came in a row without a flip', () => {
  const once = { ...state, inARow: { ...state.inARow, done: 1 } }
  assert.equal(judged({ signals: [words] }).claim, 'none')
  assert.equal(judged({ signals: [words] }, undefined, once).claim, 'refused')
  assert.equal(judged({ signals: [words], flips: ['A'] }, undefined, once).claim, 'none')
})

test('a plugin’s claim counts at once, under its name, also beside plain words of the agent [R-SIG-6]', () => {
  const named: Signal = { kind: 'claimed-done', by: 'plugin', name: 'translated', exitSignal: true, evidence: '' }
  const all = after([runStarted(aPlan([aStory('A', { passes: true })]), aPolicy())])
  const { claim, because } = judged({ signals: [words, named] }, undefined, all)
  assert.deepEqual([claim, because], ['accepted', 'completion claimed by plugin translated, and nothing contradicts it'])
  assert.equal(judged({ signals: [words, named] }).claim, 'refused')
})

test('an iteration that was cut short has no final word', () => {
  assert.deepEqual(
    (['stopped', 'lost', 'timeout'] as const).map((exit) => judged({ exit, signals: [claim] }).claim),
    ['none', 'none', 'none'],
  )
})

test('gates run for a flip, a change, or a gate to be fixed, and not for nothing', () => {
  const needs = (more: Partial<Ended>, flight: Parameters<typeof anEndedFlight>[1] = {}): boolean =>
    needsGates(state, anEndedFlight(anEnd(1, more), flight))
  assert.deepEqual(
    [
      needs({}),
      needs({ flips: ['A'] }),
      needs(committed(1, 't1')),
      needs({ repo: aRepo('t0', 'dirt') }),
      needs({ signals: [claim] }),
      needs({}, { story: null, mode: 'fix' }),
      needs({ flips: ['A'], exit: 'stopped' }),
    ],
    [false, true, true, true, false, true, false],
  )
})

test('the gates of an iteration are the run’s, and those of the stories it flipped', () => {
  assert.deepEqual(gatesFor(state, anEnd(1, { flips: ['B'] })), [tests, { name: 'lint', command: 'lint b', story: 'B' }])
  assert.deepEqual(gatesFor(state, anEnd(1, { flips: ['A'] })), [tests])
})

test('the exit signal of an agent that was given one story is that story’s; the promise is for the whole [R-DONE-1]', () => {
  const exit: Signal = { kind: 'claimed-done', by: 'status-block', exitSignal: true, evidence: '' }
  const ownSignal: State = { ...state, plan: aPlan([aStory('A', { exitSignal: true }), aStory('B')]) }
  const anyStory = (signal: Signal): string => judge(state, anEndedFlight(anEnd(1, { signals: [signal] }), { story: null })).claim
  assert.deepEqual(
    [
      judged({ flips: ['A'], signals: [exit] }).claim,
      judged({ signals: [exit] }).claim,
      judged({ flips: ['A'], signals: [claim] }).claim,
      judged({ flips: ['A'], signals: [words] }, undefined, ownSignal).claim,
      judged({ signals: [words] }, undefined, ownSignal).claim,
      anyStory(exit),
    ],
    ['none', 'none', 'refused', 'none', 'refused', 'refused'],
  )
})
