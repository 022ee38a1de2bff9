import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aPlan, aPolicy, aReading, aStory, committed } from '../../sim/builders.ts'
import { play } from '../../sim/play.ts'
import { breakerDue, closedBreaker } from './breaker.ts'
import type { Ended } from './types.ts'

const openPlan = aPlan([aStory('A')])

/** Where the breaker goes when iterations come back like this; the rest of them make progress. */
function moves(ends: Partial<Ended>[], maxStuck = 3): string[] {
  const { decisions } = play({
    plan: openPlan,
    policy: { maxStuck, maxIterations: ends.length, testLoops: 0 },
    agent: ({ iteration }) => ends[iteration - 1]!,
  })
  return decisions.filter((decision) => decision.kind === 'breaker.changed').map((change) => `${change.from} → ${change.to}`)
}
const progress = (n: number): Partial<Ended> => committed(n, `t${n}`)

test('one idle iteration leaves it closed, two half open it, three open it (B01)', () => {
  assert.deepEqual(moves([{}]), [])
  assert.deepEqual(moves([{}, {}]), ['closed → half-open'])
  assert.deepEqual(moves([{}, {}, {}]), ['closed → half-open', 'half-open → open'])
})

test('progress after two idle iterations closes it and starts the count again (B02)', () => {
  assert.deepEqual(moves([{}, {}, progress(3)]), ['closed → half-open', 'half-open → closed'])
  assert.deepEqual(moves([{}, {}, progress(3), {}, {}]), ['closed → half-open', 'half-open → closed', 'closed → half-open'])
})

test('a threshold of one opens at once, and zero turns it off', () => {
  assert.deepEqual(moves([{}], 1), ['closed → open'])
  assert.deepEqual(moves([{}, {}, {}, {}], 0), [])
})

test('an agent that exits 1 on every call opens it after three (B11)', () => {
  const { state, decisions } = play({ plan: openPlan, agent: () => ({ exit: 'failed', exitCode: 1 }) })
  assert.equal(decisions.filter((decision) => decision.kind === 'call.requested').length, 3)
  assert.deepEqual(state.outcome, {
    outcome: 'stuck',
    because: '3 of 3 iterations in a row without progress (iterations 1, 2, 3)',
  })
})

test('an iteration that ends with a question does not count, and the next is told how to decide (B14)', () => {
  const { state } = play({
    plan: openPlan,
    policy: { maxIterations: 1 },
    agent: () => ({ reading: aReading({ status: 'question' }) }),
  })
  assert.equal(state.breaker.counts['no-progress'].times, 0)
  assert.deepEqual(state.tell, [
    {
      text: 'Iteration 1 ended with a question, and nobody is there to answer it. Decide it yourself, or, if only a person can, signal DECIDE as described below.',
      since: 1,
    },
  ])
})

test('an uncommitted change neither raises nor clears the count (G02)', () => {
  const { state } = play({
    plan: openPlan,
    policy: { maxIterations: 2 },
    agent: ({ iteration }) =>
      iteration === 1 ? {} : { repo: { head: 'h-t0', tree: 't0', dirt: 'new' }, uncommitted: ['new.ts'] },
  })
  assert.deepEqual([state.breaker.counts['no-progress'].times, state.last?.judged.progress], [1, 'neutral'])
})

test('a story refused by its gate does not count: that belongs to the story', () => {
  const { state } = play({
    plan: openPlan,
    policy: { maxIterations: 3, gates: [{ name: 'tests', command: 'x' }] },
    agent: () => ({ flips: ['A'] }),
    gate: () => false,
  })
  assert.deepEqual([state.breaker.counts['no-progress'].times, state.stories['A']?.failedAttempts], [0, 3])
})

test('what was lost, throttled or interrupted leaves it alone, even with new content', () => {
  const throttled = { kind: 'throttled', by: 'overload', message: 'busy' } as const
  const { state } = play({
    plan: openPlan,
    policy: { maxRetries: 0, maxIterations: 9 },
    agent: ({ iteration }) => (iteration === 1 ? {} : committed(iteration, `t${iteration}`, { signals: [throttled] })),
  })
  assert.deepEqual([state.breaker.counts['no-progress'].times, state.used, state.outcome?.outcome], [1, 1, 'limited'])
})

test('an open one tries again after its cooldown, and not before; without one it stays open', () => {
  const open = { ...closedBreaker, state: 'open', idle: 3, changedAt: '2026-01-05T08:00:00.000Z', because: 'idle' } as const
  const due = (cooldownMinutes: number, at: string) => breakerDue(open, aPolicy({ cooldownMinutes }), at)
  assert.equal(due(10, '2026-01-05T08:09:59.999Z'), null)
  assert.deepEqual(due(10, '2026-01-05T08:10:00.000Z'), {
    to: 'half-open',
    because: '10 minutes of cooldown are over: one more try',
  })
  assert.equal(due(10, '2026-01-04T08:00:00.000Z'), null)
  assert.equal(due(0, '2027-01-05T08:00:00.000Z'), null)
})

test('a claim that ends the work is not idling: the next run is not refused', () => {
  const done: Partial<Ended> = { signals: [{ kind: 'claimed-done', by: 'keywords', exitSignal: false, evidence: 'done' }] }
  const { state } = play({ plan: null, policy: { maxStuck: 2 }, agent: () => done })
  assert.deepEqual(
    [state.outcome?.outcome, state.breaker.state, state.breaker.counts['no-progress'].times],
    ['complete', 'half-open', 1],
  )
})
