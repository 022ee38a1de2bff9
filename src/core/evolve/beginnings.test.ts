import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, anEnd, aPlan, aPolicy, aRepo, aResult, aStory, runStarted } from '../../../sim/builders.ts'
import { decide } from '../decide/decide.ts'
import type { State } from '../state.ts'

const tests = { name: 'tests', command: 'npm test' }
const plan = aPlan([aStory('A'), aStory('B')])
const policy = aPolicy({ gates: [tests] })
const counted = (passed: number) => aResult('tests', true, { census: { passed, failed: 0, skipped: 0 } })
const next = (state: State): State => after(decide(state), state)

/** Before the first iteration, with three tests. */
const atBaseline = (): State =>
  after([{ kind: 'gates.ended', iteration: 'whole', results: [counted(3)] }], next(after([runStarted(plan, policy)])))

/** Story A has started, from the commit of tree t0. */
const working = (state = atBaseline()): State => next(after([{ kind: 'call.granted', call: 1 }], next(state)))

test('where a story began, and the tests that ran then, comes from the log', () => {
  const state = working()
  assert.deepEqual(state.stories['A']?.begun, { commit: 'h-t0', census: { tests: { passed: 3, failed: 0, skipped: 0 } } })
})

test('a story that goes on in the next run began where its first iteration did, unless somebody else committed meanwhile', () => {
  const unfinished = after([{ kind: 'run.ended', outcome: 'incomplete', because: 'x' }], { ...working(), repo: aRepo('t5') })
  const again = (tree: string) => after([runStarted(plan, policy, aRepo(tree))], unfinished)
  assert.equal(again('t5').stories['A']?.begun?.commit, 'h-t0')
  assert.equal(again('t5').begun?.commit, 'h-t0')
  assert.equal(again('t6').stories['A']?.begun, undefined)
  assert.equal(again('t6').begun?.commit, 'h-t6')
})

test('what passes is what the next story is counted against', () => {
  const ended = after([{ kind: 'iteration.ended', ...anEnd(1, { flips: ['A'], repo: aRepo('t1') }) }], working())
  const judged = next(after([{ kind: 'gates.ended', iteration: 1, results: [counted(5)] }], next(ended)))
  assert.deepEqual(judged.census, { tests: { passed: 5, failed: 0, skipped: 0 } })
  assert.equal(judged.begun?.census['tests']?.passed, 3)
})
