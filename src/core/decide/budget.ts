/** Budgets of a run: how much is spent, when to warn, when to stop. */
import { hasEnded } from '../evolve/flights.ts'
import { isUntold } from '../figures/price.ts'
import type { State } from '../state.ts'
import { later, msBetween, sayDuration } from '../text/time.ts'
import type { BudgetName, Envelope, Exit, Instant, Policy, Usage } from '../types.ts'

export type Budget = {
  which: BudgetName
  used: number
  limit: number
  words: string /** when it starts again */
  until?: Instant
}

/**
 * Configured budgets. An agent that never reports its cost or tokens is refused at the start, or ends the run with its first call (see
 * `untoldBudget`). An iteration's spending counts from its end on, because its reviewers are calls too.
 */
export function budgetsOf({ policy, totals, flights, runStartedAt, at, envelopes = [] }: State): Budget[] {
  const { costUsd, tokens, durationMs } = policy.budget
  const unjudged = flights.flatMap((flight) => (hasEnded(flight) && flight.phase !== 'judged' ? [flight.ended.usage] : []))
  const knownUsd = unjudged.reduce((sum, usage) => sum + (usage.costUsd ?? 0), totals.costUsd)
  const usedTokens = [totals, ...unjudged].reduce((sum, usage) => sum + tokensOf(usage), 0)
  const unpriced = unjudged.filter((usage) => usage.costUsd === null)
  const guessUsd = guessed(
    knownUsd,
    usedTokens,
    unpriced.reduce((sum, usage) => sum + tokensOf(usage), totals.unpricedTokens),
  )
  const usedUsd = knownUsd + guessUsd
  const about = guessUsd === 0 ? '' : 'about '
  const usedMs = msBetween(runStartedAt, at)
  return [
    ...(costUsd === null ? [] : [budget('cost', usedUsd, costUsd, `${about}$${usedUsd.toFixed(2)} of $${costUsd.toFixed(2)}`)]),
    ...(tokens === null ? [] : [budget('tokens', usedTokens, tokens, `${usedTokens} of ${tokens} tokens`)]),
    ...(durationMs === null ? [] : [budget('time', usedMs, durationMs, `${sayDuration(usedMs)} of ${sayDuration(durationMs)}`)]),
    ...envelopes
      .filter(({ until }) => until > at)
      .map((one) => ({ ...budget(one.which, one.usedUsd, one.limitUsd, envelopeWords(one)), until: one.until })),
  ]
}

const tokensOf = ({ inputTokens, outputTokens }: Pick<Usage, 'inputTokens' | 'outputTokens'>): number =>
  inputTokens + outputTokens

/** What calls have cost that were ended before they said it: at the price that the tokens of the others had. */
const guessed = (knownUsd: number, tokens: number, unpriced: number): number =>
  tokens === unpriced ? 0 : (knownUsd * unpriced) / (tokens - unpriced)

export const envelopeWords = ({ which, usedUsd, limitUsd }: Pick<Envelope, 'which' | 'usedUsd' | 'limitUsd'>): string =>
  `$${usedUsd.toFixed(2)} of $${limitUsd.toFixed(2)} ${which === 'day' ? 'today' : 'this month'}, all runs and projects`

/** What is left of the tightest budget of money; undefined: there is none. */
export function usdLeft(state: State): number | undefined {
  const left = budgetsOf(state).flatMap(({ which, used, limit }) =>
    which === 'tokens' || which === 'time' ? [] : [limit - used],
  )
  return left.length === 0 ? undefined : Math.min(...left)
}

export const spentBudget = (state: State): Budget | undefined => budgetsOf(state).find(({ used, limit }) => used >= limit)

/** Of an agent that has worked and reported nothing so far, or that came to its end and reported nothing, a budget would never be spent. */
export function untoldBudget({ policy: { budget }, totals, last, envelopes = [] }: State): string | undefined {
  const isWork = last !== undefined && workEnds.includes(last.ended.exit) && last.judged.verdict !== 'throttled'
  if (!isWork || totals.calls === 0) return
  const words = (what: string, instead: string): string =>
    `the ${what} budget cannot be kept: ${last.agent} did not report the ${what === 'token' ? 'tokens' : 'cost'} of iteration ${last.judged.iteration}. Use ${instead}`
  const isUncounted = totals.uncounted === totals.calls || (last.ended.exit === 'ok' && isUntold(last.ended.usage))
  if (budget.tokens !== null && isUncounted) return words('token', '--max-duration instead')
  const [envelope] = envelopes
  const isUnpriced = totals.unpriced === totals.calls || (isUncounted && last.ended.usage.costUsd === null)
  if ((budget.costUsd !== null || envelope !== undefined) && isUnpriced)
    return words(
      budget.costUsd === null && envelope !== undefined ? envelope.which : 'cost',
      isUncounted ? '--max-duration instead' : '--max-tokens instead, or set prices for its model',
    )
  return
}
const workEnds: Exit[] = ['ok', 'timeout', 'circling']

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
