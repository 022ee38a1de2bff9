/** Budgets of a run: how much is spent, when to warn, when to stop. */
import { hasEnded } from '../evolve/flights.ts'
import type { State } from '../state.ts'
import { later, msBetween, sayDuration } from '../text/time.ts'
import type { Instant, Policy } from '../types.ts'

export type Budget = { which: 'cost' | 'tokens' | 'time'; used: number; limit: number; words: string }

/**
 * Configured budgets. Unknown cost does not count: an agent that never reports its cost is refused at the start. An iteration's spending
 * counts from its end on, because its reviewers are calls too.
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

/** One that is nearly spent, and not reported yet. */
export const nearBudget = (state: State): Budget | undefined =>
  budgetsOf(state).find(({ which, used, limit }) => used >= softShare * limit && !state.warned.includes(which))

/** No wait continues beyond the run's time budget. */
export function withinTime(until: Instant, { policy, runStartedAt }: State): Instant {
  if (policy.budget.durationMs === null) return until
  const end = later(runStartedAt, policy.budget.durationMs)
  return end < until ? end : until
}

export const noBudget: Policy['budget'] = { costUsd: null, tokens: null, durationMs: null }

const budget = (which: Budget['which'], used: number, limit: number, words: string): Budget => ({ which, used, limit, words })
