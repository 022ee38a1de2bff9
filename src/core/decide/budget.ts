/** Budgets of a run: what is spent of each, when to warn, when to stop. */
import { hasEnded } from '../evolve/flights.ts'
import type { State } from '../state.ts'
import { later, msBetween, sayDuration } from '../text/time.ts'
import type { Instant, Policy } from '../types.ts'

export type Budget = { which: 'cost' | 'tokens' | 'time'; used: number; limit: number; words: string }

/**
 * Those that are set. Unknown cost is not counted: an agent that never says what it costs is refused at the start. What an
 * iteration has spent counts from its end on: its reviewers are calls too.
 */
export function budgetsOf({ policy, totals, flights, runStartedAt, at }: State): Budget[] {
  const { costUsd, tokens, durationMs } = policy.budget
  const unjudged = flights.flatMap((flight) => (hasEnded(flight) && flight.phase !== 'judged' ? [flight.ended.usage] : []))
  const usedUsd = unjudged.reduce((sum, usage) => sum + (usage.costUsd ?? 0), totals.costUsd)
  const usedTokens = [totals, ...unjudged].reduce((sum, usage) => sum + usage.inputTokens + usage.outputTokens, 0)
  const usedMs = msBetween(runStartedAt, at)
  return [
    ...(costUsd === null ? [] : [budget('cost', usedUsd, costUsd, `$${usedUsd.toFixed(2)} of $${costUsd.toFixed(2)}`)]),
    ...(tokens === null ? [] : [budget('tokens', usedTokens, tokens, `${usedTokens} of ${tokens} tokens`)]),
    ...(durationMs === null ? [] : [budget('time', usedMs, durationMs, `${sayDuration(usedMs)} of ${sayDuration(durationMs)}`)]),
  ]
}

export const spentBudget = (state: State): Budget | undefined => budgetsOf(state).find(({ used, limit }) => used >= limit)

const softShare = 0.8

/** One that is nearly spent, and not told yet. */
export const nearBudget = (state: State): Budget | undefined =>
  budgetsOf(state).find(({ which, used, limit }) => used >= softShare * limit && !state.warned.includes(which))

/** No wait goes on after the run's time is up. */
export function withinTime(until: Instant, { policy, runStartedAt }: State): Instant {
  if (policy.budget.durationMs === null) return until
  const end = later(runStartedAt, policy.budget.durationMs)
  return end < until ? end : until
}

export const noBudget: Policy['budget'] = { costUsd: null, tokens: null, durationMs: null }

const budget = (which: Budget['which'], used: number, limit: number, words: string): Budget => ({ which, used, limit, words })
