import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  after,
  anEnd,
  aPlan,
  aPolicy,
  aReading,
  aStory,
  committed,
  eventOf,
  openPlan,
  progress,
  runStarted,
  startOfTime,
} from '../../../sim/builders.ts'
import { play } from '../../../sim/play.ts'
import { evolve } from '../evolve/evolve.ts'
import type { State } from '../state.ts'
import { later } from '../text/time.ts'
import type { Decision, Ended, Policy, Report, Rule } from '../types.ts'
import { breakerAfterFailure, breakerChanged, breakerDue, closedBreaker } from './breaker.ts'
import { decide } from './decide.ts'

/** Where the breaker goes when iterations come back like this; the rest of them make progress. */
function moves(ends: Partial<Ended>[], maxStuck = 3): string[] {
  const { decisions } = play({
    plan: openPlan,
    policy: { maxStuck, maxIterations: ends.length, testLoops: 0 },
    agent: ({ iteration }) => ends[iteration - 1]!,
  })
  return decisions.filter((decision) => decision.kind === 'breaker.changed').map((change) => `${change.from} → ${change.to}`)
}

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
      text: 'Iteration 1 ended with a question, but nobody is there to answer. Decide yourself, or, if only a person can decide, signal DECIDE as described under "How to signal".',
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

test('a story that passes in a lost iteration parts two failures alike, as it does in any other', () => {
  const passes = (exit: 'ok' | 'lost'): State =>
    play({
      plan: aPlan([aStory('A'), aStory('B'), aStory('C')]),
      policy: { maxAttempts: 1, gates: [{ name: 'tests', command: 'x' }] },
      agent: ({ iteration, story }) =>
        committed(iteration, `t${iteration}`, { flips: [story!], ...(story === 'B' ? { exit } : {}) }),
      gate: (_, iteration) => iteration === 'whole' || iteration === 2,
    }).state
  const [undisturbed, killed] = [passes('ok'), passes('lost')]
  assert.deepEqual(killed.outcome, undisturbed.outcome)
  assert.deepEqual([killed.outcome?.outcome, killed.breaker.state], ['stories-failed', 'closed'])
})

test('an open one tries again after its cooldown, and not before; without one it stays open', () => {
  const open = { ...closedBreaker, state: 'open', idle: 3, changedAt: '2026-01-05T08:00:00.000Z', because: 'idle' } as const
  const due = (cooldownMinutes: number, at: string) => breakerDue(open, aPolicy({ cooldownMinutes }), at)
  assert.equal(due(10, '2026-01-05T08:09:59.999Z'), null)
  assert.deepEqual(due(10, '2026-01-05T08:10:00.000Z'), {
    to: 'half-open',
    because: '10 minutes of cooldown are over: trying once',
  })
  assert.equal(due(10, '2026-01-04T08:00:00.000Z'), null)
  assert.equal(due(0, '2027-01-05T08:00:00.000Z'), null)
})

test('a claim that ends the work is not idling: the next run is not refused', () => {
  const done = (exitSignal: boolean): Partial<Ended> => ({
    signals: [{ kind: 'claimed-done', by: 'status-block', exitSignal, evidence: 'done' }],
  })
  const { state } = play({ plan: null, policy: { maxStuck: 2 }, agent: ({ iteration }) => done(iteration === 2) })
  assert.deepEqual(
    [state.outcome?.outcome, state.breaker.state, state.breaker.counts['no-progress'].times],
    ['complete', 'half-open', 1],
  )
})

type Opening = { rule: Rule; ends: Partial<Ended>[]; again: Partial<Ended>; opposite: Partial<Ended> }
const error: Ended['signals'] = [{ kind: 'error', hash: 'e1', message: 'Error: no' }]
const usual = [1, 2, 3].map((n) => committed(n, `t${n}`, { outputChars: 1000 }))
/** What opens it by each rule, what opens it again when it tries once more, and what closes it. */
const openings: Opening[] = [
  { rule: 'no-progress', ends: [{}, {}, {}], again: {}, opposite: progress(9) },
  {
    rule: 'same-error',
    ends: [1, 2, 3, 4, 5].map((n) => ({ ...progress(n), signals: error })),
    again: { ...progress(9), signals: error },
    opposite: { ...progress(9), signals: [{ kind: 'error', hash: 'e2', message: 'Error: yes' }] },
  },
  {
    rule: 'output-decline',
    ends: [...usual, { outputChars: 1 }, { outputChars: 1 }],
    again: { outputChars: 1 },
    opposite: committed(9, 't9', { outputChars: 1 }),
  },
  {
    rule: 'permission-denied',
    ends: [1, 2].map(() => ({ signals: [{ kind: 'permission-denied', tool: 'Bash' }] })),
    again: { signals: [{ kind: 'permission-denied', tool: 'Bash' }] },
    opposite: { ...progress(9), signals: [{ kind: 'permission-denied', tool: 'Bash' }] },
  },
]

for (const { rule, ends, again, opposite } of openings) {
  const { state: open } = play({ plan: openPlan, policy: { testLoops: 0 }, agent: ({ iteration }) => ends[iteration - 1]! })

  test(`opened by ${rule}, it stays open for the next run, and a reset forgets all that counted`, () => {
    assert.deepEqual([open.breaker.state, open.breaker.by, open.outcome?.outcome], ['open', rule, 'stuck'])
    assert.deepEqual(oneMore(open, again, 0), { moves: [], shift: undefined, outcome: 'stuck' })
    const reset = after([{ kind: 'breaker.reset' }], open)
    assert.deepEqual(reset.breaker, { ...closedBreaker, changedAt: startOfTime, because: 'reset by hand' })
    assert.deepEqual(reset.breakerHistory.at(-1), { at: startOfTime, from: 'open', to: 'closed', because: 'reset by hand' })
  })

  test(`opened by ${rule}, it tries again after its cooldown: one more of the same kind opens it, its opposite closes it`, () => {
    const tries = 'open → half-open'
    const shift = '10 minutes of cooldown are over: trying once'
    assert.deepEqual(oneMore(open, again, 10), { moves: [tries, 'half-open → open'], shift, outcome: 'stuck' })
    assert.deepEqual(oneMore(open, opposite, 10), { moves: [tries, 'half-open → closed'], shift, outcome: 'incomplete' })
  })
}

/** A run of one iteration that begins so many minutes after the breaker opened; 0: cooldown is off. */
function oneMore(open: State, end: Partial<Ended>, minutes: number) {
  const at = later(startOfTime, minutes * 60_000)
  const decisions: Decision[] = []
  let state = open
  const facts: Report[] = [runStarted(openPlan, aPolicy({ cooldownMinutes: minutes, maxIterations: 1 }), open.repo)]
  for (let fact = facts.shift(); fact !== undefined; fact = facts.shift()) {
    state = evolve(state, eventOf(fact, at, 'r2'))
    for (let [decision] = decide(state); decision !== undefined; [decision] = decide(state)) {
      decisions.push(decision)
      state = evolve(state, eventOf(decision, at, 'r2'))
      const { repo } = state
      if (decision.kind === 'call.requested') facts.push({ kind: 'call.granted', call: decision.call })
      if (decision.kind === 'iteration.started')
        facts.push({ kind: 'iteration.ended', ...anEnd(decision.iteration, { repo, ...end, iteration: decision.iteration }) })
      if (decision.kind === 'iteration.judged')
        facts.push({ kind: 'iteration.settled', iteration: decision.iteration, repo, commits: [] })
    }
  }
  return {
    moves: decisions.flatMap((decision) => (decision.kind === 'breaker.changed' ? [`${decision.from} → ${decision.to}`] : [])),
    shift: decisions.find((decision) => decision.kind === 'iteration.started')?.shift,
    outcome: state.outcome?.outcome,
  }
}

test('opened by two stories that failed alike, it tries again with the next: it opens or closes with that one', () => {
  const story = (id: string) => aStory(id, { gates: { database: id } })
  const stories = ['A', 'B', 'C'].map(story)
  const { state } = play({
    plan: aPlan(stories),
    policy: { maxAttempts: 1 },
    agent: ({ story }) => ({ flips: [story!] }),
    gate: () => false,
  })
  assert.deepEqual([state.breaker.state, state.breaker.by], ['open', 'stories-alike'])
  const cooled = after(
    [{ kind: 'breaker.changed', from: 'open', to: 'half-open', rule: 'stories-alike', because: 'cooled' }],
    state,
  )
  const failed = (hash: string) => breakerDue(breakerAfterFailure(cooled.breaker, 'C', hash), aPolicy(), startOfTime)?.to
  const { hash } = state.stories['A']!.refusals[0]!
  assert.deepEqual([failed(hash), failed('another')], ['open', undefined])
  const passed = {
    ...cooled.breaker,
    counts: { ...cooled.breaker.counts, 'stories-alike': closedBreaker.counts['stories-alike'] },
  }
  assert.deepEqual(breakerDue(passed, aPolicy(), startOfTime), { to: 'closed', because: 'a story passed' })
})

test('a threshold of one tries again after its cooldown as any other does, and one that is off by now just closes', () => {
  const { breaker } = play({ plan: openPlan, policy: { maxStuck: 1 }, agent: () => ({}) }).state
  const cooled = (policy: Policy) => {
    const change = { kind: 'breaker.changed', from: 'open', to: 'half-open', rule: 'no-progress', because: 'cooled' } as const
    const tried = breakerChanged(breaker, { ...change, at: startOfTime, run: 'r2' }, policy)
    return { times: tried.counts['no-progress'].times, due: breakerDue(tried, policy, startOfTime) }
  }
  assert.deepEqual(cooled(aPolicy({ maxStuck: 1 })), { times: 0, due: null })
  assert.deepEqual(cooled(aPolicy({ maxStuck: 3 })), { times: 2, due: null })
  const due = { to: 'closed', because: 'the settings now allow more' }
  assert.deepEqual(cooled(aPolicy({ maxStuck: 0 })), { times: 0, due })
})

test('a half-open one closes when the next run allows more, and says so', () => {
  const { breaker } = play({ plan: openPlan, policy: { maxIterations: 2 }, agent: () => ({}) }).state
  assert.equal(breaker.state, 'half-open')
  const due = { to: 'closed', because: 'the settings now allow more' }
  assert.deepEqual(breakerDue(breaker, aPolicy({ maxStuck: 9 }), startOfTime), due)
})

test('only testing ends a run before the breaker counts the same iterations, denied tools or not (E07)', () => {
  const tested: Partial<Ended> = {
    signals: [
      { kind: 'testing-only', evidence: 'ran the tests' },
      { kind: 'permission-denied', tool: 'Bash' },
    ],
  }
  const { state } = play({ plan: openPlan, agent: () => tested })
  assert.deepEqual([state.outcome?.outcome, state.breaker.state, state.used], ['testing-only', 'closed', 3])
})

test('what a run before counted toward its end is not held against the next: the agent is called (E08)', () => {
  const testing: Partial<Ended> = { signals: [{ kind: 'testing-only', evidence: 'ran the tests' }] }
  const { state } = play({ plan: openPlan, policy: { maxIterations: 2 }, agent: () => testing })
  const next = after([runStarted(openPlan)], state)
  assert.deepEqual([next.inARow.testing, decide(next).map(({ kind }) => kind)], [0, ['call.requested']])
})

test('a timeout that changed nothing is a failed iteration, and idle: no limit is suspected (G06)', () => {
  const { state, judged } = play({ plan: openPlan, policy: { maxIterations: 1 }, agent: () => ({ exit: 'timeout' }) })
  assert.deepEqual(
    [judged[0]?.verdict, judged[0]?.progress, state.limit, state.retryDue],
    ['failed', 'idle', undefined, undefined],
  )
  assert.equal(state.breaker.counts['no-progress'].times, 1)
})
