import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aFlight, after, aPlan, aPolicy, aStart, aStory, runStarted } from '../../../../sim/builders.ts'
import { noStory } from '../../evolve/initial.ts'
import type { State } from '../../state.ts'
import { later } from '../../text/time.ts'
import type { Decision, Policy, Report, Story } from '../../types.ts'
import { decide } from '../decide.ts'
import { isUnderWay } from '../under-way.ts'

const [A, B, C, D] = [aStory('A'), aStory('B'), aStory('C'), aStory('D')]
const busyOn = (stories: Story[], policy: Partial<Policy> = {}, more: Partial<State> = {}): State => ({
  ...after([runStarted(aPlan(stories), aPolicy({ workers: 2, ...policy }))]),
  flights: [aFlight(1, { story: 'A', worker: 1 }), aFlight(2, { story: 'B', worker: 2 })],
  ...more,
})
const aheadOf = (state: State): string[] =>
  decide(state).map((decision) => (decision.kind === 'worktree.requested' ? decision.story : decision.kind))
const ready = (story: string, commit: string | null): Report => ({ kind: 'worktree.ready', story, commit })

test('while every worker is busy, the worktree of the next story is made, one after the other, one for each worker', () => {
  const asked = after(decide(busyOn([A, B, C, D, aStory('E')])), busyOn([A, B, C, D, aStory('E')]))
  assert.equal(asked.worktrees.asked, 'C')
  assert.deepEqual(aheadOf(asked), [])
  const one = after([ready('C', 'abc')], asked)
  assert.deepEqual(aheadOf(one), ['D'])
  assert.deepEqual(aheadOf(after([...decide(one), ready('D', 'abc')], one)), [])
})

test('none is made for one worker, where the agent picks, where a worker is free, or while work is inspected', () => {
  assert.deepEqual(aheadOf(busyOn([A, B, C], { workers: 3 })), ['call.requested'])
  assert.deepEqual(aheadOf(busyOn([A, B, C], { pick: 'agent' })), [])
  assert.deepEqual(aheadOf(busyOn([A, B, C], {}, { flights: [aFlight(1, { story: 'A', worker: 1 })] })), ['call.requested'])
  const returned = aFlight(2, { story: 'B', worker: 2, phase: 'returned' })
  const budget = { costUsd: 5, tokens: null, minutes: null }
  const flights = [aFlight(1, { story: 'A', worker: 1 }), returned]
  assert.deepEqual(aheadOf(busyOn([A, B, C], { budget: { ...aPolicy().budget, ...budget } }, { flights })), [])
  assert.deepEqual(aheadOf(busyOn([A, B, C], { maxIterations: 2 })), [])
})

test('none is made for a story that cannot start, has a worktree, or gets several attempts', () => {
  assert.deepEqual(aheadOf(busyOn([A, B, aStory('C', { dependsOn: ['A'] })])), [])
  assert.deepEqual(aheadOf(busyOn([A, B, C], {}, { stories: { C: { ...noStory, isApart: true } } })), [])
  assert.deepEqual(aheadOf(busyOn([A, B, aStory('C', { bestOf: 2 })])), [])
  assert.deepEqual(aheadOf(busyOn([A, B, C], {}, { repo: { head: null, tree: '', dirt: '' } })), [])
})

test('a story starts in the worktree that was made for it, once it is ready', () => {
  const granted: Partial<State> = { call: { last: 3, phase: 'granted', role: 'implementer' } }
  const free = { ...busyOn([A, B, C]), flights: [aFlight(1, { story: 'A', worker: 1 })], ...granted }
  const making: State = { ...free, stories: { B: { ...noStory, isApart: true } }, worktrees: { from: '', asked: 'B', ready: {} } }
  assert.deepEqual(aheadOf(making), [])
  assert.equal(isUnderWay({ ...making, flights: [] }), true)
  const made = after([ready('B', 'abc')], making)
  const [start] = decide(made)
  assert.equal(start?.kind === 'iteration.started' && start.story === 'B' && start.ready, 'abc')
  assert.deepEqual(after(decide(made), made).worktrees.ready, {})
})

test('one that could not be made is not asked for again, and its story starts as any other', () => {
  const state = busyOn([A, B, C], {}, { worktrees: { from: '', ready: { C: null } } })
  assert.deepEqual(aheadOf(state), [])
  const free = { ...state, flights: [aFlight(1, { story: 'A', worker: 1 })], stories: {} }
  const next: Decision[] = decide({
    ...free,
    plan: aPlan([A, C]),
    call: { last: 3, phase: 'granted', role: 'implementer' },
  })
  assert.equal(next[0]?.kind === 'iteration.started' && next[0].story === 'C' && 'ready' in next[0], false)
})

test('after a kill nothing is known of them: somebody may have worked there', () => {
  const before = busyOn([A, B, C], {}, { worktrees: { from: '', asked: 'C', ready: { D: 'abc' } } })
  const { plan, policy, repo } = before
  const resumed = after([{ kind: 'run.resumed', plan, policy, repo, pid: 2 }], before)
  assert.deepEqual([resumed.worktrees.asked, resumed.worktrees.ready], [undefined, {}])
  assert.deepEqual(aheadOf({ ...resumed, at: later(resumed.at, 1), worktrees: { from: later(resumed.at, 1), ready: {} } }), [])
})

test('a story that starts without one is not changed by the others', () => {
  const state = busyOn([A, B, C], {}, { worktrees: { from: '', ready: { C: 'abc' } } })
  assert.deepEqual(after([aStart(3, 'D', { worker: 3 })], state).worktrees.ready, { C: 'abc' })
})
