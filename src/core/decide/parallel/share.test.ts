import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  aFlight,
  after,
  anEnd,
  anEndedFlight,
  aPlan,
  aPolicy,
  aStart,
  aStory,
  committed,
  runStarted,
} from '../../../../sim/builders.ts'
import type { Flight, State } from '../../state.ts'
import type { Decision } from '../../types.ts'
import { noBudget } from '../budget.ts'
import { decide } from '../decide.ts'
import { shareFor } from './share.ts'

/** Three workers with a budget of 4 USD, of which so much is spent. */
function working(flights: Flight[], { costUsd = 0, dearestUsd = 0, workers = 3, limit = 4 as number | null } = {}): State {
  const state = after([runStarted(aPlan([aStory('A')]), aPolicy({ workers, budget: { ...noBudget, costUsd: limit } }))])
  return { ...state, flights, totals: { ...state.totals, costUsd, dearestUsd } }
}
const atWork = (iteration: number, maxUsd?: number): Flight =>
  aFlight(iteration, { story: `S-${iteration}`, worker: iteration, ...(maxUsd === undefined ? {} : { maxUsd }) })

test('workers that start together share what is left of a budget, for none of them says before its end what it took [R-COST-1]', () => {
  assert.deepEqual(shareFor(working([])), { maxUsd: 1.3333 })
  assert.deepEqual(shareFor(working([atWork(1, 1.3333)])), { maxUsd: 1.3333 })
  assert.deepEqual(shareFor(working([atWork(1, 1.3333), atWork(2, 1.3333)])), { maxUsd: 1.3334 })
  assert.deepEqual(shareFor(working([atWork(1, 1.3333), atWork(2, 1.3333)], { costUsd: 0.2 })), { maxUsd: 1.1334 })
})

test('one worker, or none with a budget of money, has all that is left [R-COST-1]', () => {
  assert.deepEqual([shareFor(working([], { workers: 1 })), shareFor(working([], { limit: null }))], [{}, {}])
})

test('nobody begins with less than the dearest call took: fewer work at a time, and the last one has all of it [R-COST-1]', () => {
  assert.deepEqual(shareFor(working([], { costUsd: 1, dearestUsd: 1 })), { maxUsd: 1 })
  assert.deepEqual(shareFor(working([], { costUsd: 1, dearestUsd: 1.2 })), { maxUsd: 1.5 })
  assert.deepEqual(shareFor(working([atWork(1, 1.5)], { costUsd: 1, dearestUsd: 1.2 })), { maxUsd: 1.5 })
  assert.equal(shareFor(working([atWork(1, 1.5), atWork(2, 1.5)], { costUsd: 1, dearestUsd: 1.2 })), null)
  assert.deepEqual(shareFor(working([], { costUsd: 2.5, dearestUsd: 1.2 })), {})
  assert.equal(shareFor(working([atWork(1)], { costUsd: 2.5, dearestUsd: 1.2 })), null)
})

test('an agent that has returned keeps its share until it is counted, and what one without a verdict took counts [R-COST-1]', () => {
  const returned: Flight = { ...aFlight(1, { story: 'A', worker: 1, maxUsd: 2 }), phase: 'returned' }
  assert.deepEqual(shareFor(working([returned])), { maxUsd: 1 })
  const ended = anEndedFlight(committed(1, 't1', { usage: { inputTokens: 1, outputTokens: 1, costUsd: 1.5 } }), {
    story: 'A',
    worker: 1,
    maxUsd: 2,
  })
  assert.deepEqual(shareFor(working([ended])), {}) // 2.50 are left, which is less than two such calls
})

test('an agent that stopped at its share ends no run while something is left, and its story is continued [R-COST-1]', () => {
  const policy = aPolicy({ workers: 2, budget: { ...noBudget, costUsd: 4 } })
  const usage = { inputTokens: 9, outputTokens: 9, costUsd: 2.1 }
  const stopped = anEnd(1, { exit: 'over-budget', shareSpent: true, usage, signals: [] })
  const state = after([
    runStarted(aPlan([aStory('A')]), policy),
    aStart(1, 'A', { worker: 1, maxUsd: 2 }),
    { kind: 'iteration.ended', ...stopped },
  ])
  const [judged] = decide(state) as [Decision]
  assert.deepEqual([judged.kind, judged.because.split(':')[0]], ['iteration.judged', 'stopped at its share of the budget'])
  const settled = after([judged, { kind: 'iteration.settled', iteration: 1, repo: state.repo, commits: [] }], state)
  assert.deepEqual(
    decide(settled).map(({ kind, because }) => [kind, because]),
    [['call.requested', 'priority 1, first open story']],
  )
})
