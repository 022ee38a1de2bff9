import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after, anEnd, anEndedFlight, aPlan, aPolicy, aRepo, aStory, runStarted } from '../../../sim/builders.ts'
import { hasSeen } from '../evolve/growing-set.ts'
import type { State } from '../state.ts'
import type { BranchAnswered } from '../types/results.ts'
import type { Report } from '../types.ts'
import { decide } from './decide.ts'
import { isUnderWay } from './under-way.ts'
import { dirtKey, judge, treeKey } from './verdict.ts'

const receipt = { iteration: 1, proven: true, commits: ['c1'], tree: 't1', gates: [], agent: 'x', costUsd: null, given: false }

/** Everything passes and every gate is green. */
function whole(branch?: string | null): State {
  const plan = aPlan([aStory('A', { passes: true })])
  const gates = [{ name: 'tests', command: 'npm test' }]
  const started = { ...runStarted(plan, aPolicy({ gates })), ...(branch === undefined ? {} : { branch }) } as Report
  const state = after([started])
  const stories = { A: { ...state.stories['A']!, receipt } }
  return { ...state, stories, check: { phase: 'green' }, baseline: [] }
}
const kindsOf = (state: State): string[] => decide(state).map(({ kind }) => kind)
const answer = (state: State, more: Partial<BranchAnswered> = {}): State =>
  after([...decide(state), { kind: 'branch.answered', missing: [], repo: state.repo, ...more }], state)

test('a run with git is complete only when git has said that all of it is on the branch', () => {
  const state = whole('main')
  assert.deepEqual(kindsOf(state), ['branch.asked'])
  const asked = after(decide(state), state)
  assert.deepEqual([kindsOf(asked), isUnderWay(asked)], [[], true])
  assert.deepEqual(kindsOf(answer(state)), ['run.ended'])
  assert.deepEqual(kindsOf(whole(null)), ['branch.asked'])
})

test('without git, and in a log of before this was asked, nobody is asked', () => {
  assert.deepEqual(kindsOf(whole()), ['run.ended'])
})

test('the answer holds for its moment: whatever comes after it, git is asked again', () => {
  const said = after([{ kind: 'said', id: 'u1', text: 'a note' }], answer(whole('main')))
  assert.deepEqual(kindsOf(said), ['branch.asked'])
})

test('a story whose work is gone is open again, without its receipt, and the next iteration is told', () => {
  const state = answer(whole('main'), { missing: [{ story: 'A', because: 'c1 is not on main any more.' }] })
  assert.deepEqual([state.plan?.stories[0]?.passes, state.stories['A']?.receipt], [false, undefined])
  assert.deepEqual(
    state.tell.map(({ text }) => text),
    ['A is open again: c1 is not on main any more.'],
  )
  assert.deepEqual(kindsOf(state), ['call.requested'])
})

test('other content than the gates have seen: they look once more; what they left uncommitted does not count', () => {
  assert.deepEqual(kindsOf(answer(whole('main'), { repo: aRepo('other') })), ['gates.started'])
  assert.deepEqual(kindsOf(answer(whole('main'), { repo: { ...whole('main').repo, dirt: 'report.xml' } })), ['run.ended'])
})

test('what an iteration flipped does not pass where its work is not on its branch', () => {
  const state = after([runStarted(aPlan([aStory('A')]))])
  const ended = anEnd(1, { flips: ['A'], astray: 'its commits are on main' })
  const { verdict, passed, refused, failedGates } = judge(state, anEndedFlight(ended))
  assert.deepEqual([verdict, passed, refused, failedGates], ['failed', [], ['A'], ['branch']])
})

test('what git finds when it is asked was there before the next iteration, and is no progress of its own', () => {
  const repo = aRepo('t7', 'mine')
  const { seen } = answer(whole('main'), { repo })
  assert.deepEqual([hasSeen(seen, treeKey('t7')), hasSeen(seen, dirtKey(repo))], [true, true])
})
