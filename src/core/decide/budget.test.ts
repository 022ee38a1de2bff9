import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aPlan, aPolicy, aStory, eventOf, runStarted, startOfTime } from '../../../sim/builders.ts'
import { play } from '../../../sim/play.ts'
import { evolve } from '../evolve/evolve.ts'
import { initialState } from '../evolve/initial.ts'
import type { State } from '../state.ts'
import { later } from '../text/time.ts'
import type { Policy } from '../types.ts'
import { budgetsOf, nearBudget, spentBudget, withinTime } from './budget.ts'
import { decide } from './decide.ts'

type Spent = Partial<State['totals']> & { ms?: number }

/** A run with these budgets that has spent this. */
function stateWith(budget: Partial<Policy['budget']>, { ms = 0, ...totals }: Spent = {}): State {
  const policy = aPolicy({ budget: { costUsd: null, tokens: null, durationMs: null, ...budget } })
  const state = evolve(initialState, eventOf(runStarted(aPlan([aStory('A')]), policy)))
  return { ...state, at: later(startOfTime, ms), totals: { ...state.totals, ...totals } }
}

test('only the budgets that are set are there, each with what is spent of it in words', () => {
  assert.deepEqual(budgetsOf(stateWith({}, { costUsd: 99, inputTokens: 1e9, ms: 1e9 })), [])
  const all = stateWith(
    { costUsd: 2, tokens: 1000, durationMs: 60_000 },
    { costUsd: 0.5, inputTokens: 300, outputTokens: 50, ms: 30_000 },
  )
  assert.deepEqual(budgetsOf(all), [
    { which: 'cost', used: 0.5, limit: 2, words: '$0.50 of $2.00' },
    { which: 'tokens', used: 350, limit: 1000, words: '350 of 1000 tokens' },
    { which: 'time', used: 30_000, limit: 60_000, words: '30s of 1m 0s' },
  ])
})

test('a budget is near at 80 % and spent at all of it [R-LIM-5]', () => {
  const at = (inputTokens: number) => {
    const state = stateWith({ tokens: 1000 }, { inputTokens })
    return [nearBudget(state)?.which, spentBudget(state)?.which]
  }
  assert.deepEqual(at(799), [undefined, undefined])
  assert.deepEqual(at(800), ['tokens', undefined])
  assert.deepEqual(at(999), ['tokens', undefined])
  assert.deepEqual(at(1000), ['tokens', 'tokens'])
})

test('each budget is told of once, and one does not hide another [R-LIM-5]', () => {
  const state = stateWith({ costUsd: 1, durationMs: 10_000 }, { costUsd: 0.9, ms: 9_000 })
  const [first] = decide(state)
  assert.deepEqual(first, { kind: 'budget.warned', which: 'cost', because: '$0.90 of $1.00 are spent' })
  const told = evolve(state, eventOf(first!, state.at))
  const [second] = decide(told)
  assert.deepEqual(second, { kind: 'budget.warned', which: 'time', because: '9.0s of 10s are spent' })
  assert.deepEqual(
    decide(evolve(told, eventOf(second!, state.at))).map(({ kind }) => kind),
    ['call.requested'],
  )
})

test('time that is up ends the run before another call is asked for [R-LIM-5]', () => {
  assert.deepEqual(decide(stateWith({ durationMs: 10_000 }, { ms: 10_000 })), [
    { kind: 'run.ended', outcome: 'budget', because: 'budget spent: 10s of 10s' },
  ])
})

test('no wait goes on after the time of the run is up', () => {
  const limited = stateWith({ durationMs: 10_000 })
  assert.equal(withinTime(later(startOfTime, 5_000), limited), later(startOfTime, 5_000))
  assert.equal(withinTime(later(startOfTime, 50_000), limited), later(startOfTime, 10_000))
  assert.equal(withinTime(later(startOfTime, 50_000), stateWith({})), later(startOfTime, 50_000))
})

test('an iteration that its budget cut short ends the run, also where its last count never came [R-LIM-5]', () => {
  const because = '1150 of 1100 tokens'
  const { state, judged } = play({
    plan: aPlan([aStory('A')]),
    policy: { budget: { costUsd: null, tokens: 1_000_000, durationMs: null } },
    agent: () => ({
      exit: 'over-budget',
      flips: ['A'],
      usage: { inputTokens: 0, outputTokens: 0, costUsd: null },
      signals: [{ kind: 'error', hash: '', message: because }],
    }),
  })
  assert.deepEqual(
    judged.map(({ verdict, passed, refused }) => ({ verdict, passed, refused })),
    [{ verdict: 'interrupted', passed: [], refused: ['A'] }],
  )
  assert.deepEqual(
    [state.outcome, state.used],
    [{ outcome: 'budget', because: `stopped, because a budget was spent: ${because}` }, 0],
  )
})

test('what an iteration spent counts before its reviewer is called [R-LIM-5]', () => {
  const { state, decisions } = play({
    plan: aPlan([aStory('A')]),
    policy: { budget: { costUsd: 1, tokens: null, durationMs: null }, review: { spec: 'judge', final: [] } },
    agent: () => ({ flips: ['A'], usage: { inputTokens: 1, outputTokens: 1, costUsd: 1 } }),
  })
  assert.deepEqual(state.outcome, { outcome: 'budget', because: 'budget spent: $1.00 of $1.00' })
  assert.equal(decisions.filter((decision) => decision.kind === 'review.started').length, 0)
  assert.equal(state.plan?.stories[0]?.passes, false)
})
