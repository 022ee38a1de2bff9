/** What all runs and projects of this user have spent today and this month, kept in calls.json while calls run: a killed run has spent it too. */
import { randomUUID } from 'node:crypto'
import { tried } from '../../core/failure.ts'
import { unknownUsage } from '../../core/figures/price.ts'
import { instantOf } from '../../core/text/time.ts'
import type { Envelope, Instant, Usage } from '../../core/types.ts'
import { isLike, type OpenCall, type SharedCalls, type SpentDay, sharedNow, withShared } from './calls-file.ts'

/** In USD; null: no limit. */
export type DayLimits = { day: number | null; month: number | null }

export const limitsIn = (settings: { 'budget.day_usd': number | null; 'budget.month_usd': number | null }): DayLimits => ({
  day: settings['budget.day_usd'],
  month: settings['budget.month_usd'],
})

/** Notes what one call has spent: each time for the whole call so far, from its start on. */
export type Spending = { soFar(usage: Usage): void; ended(usage: Usage): void }

export function openSpending(home: string, agent: string, now: () => Instant): Spending {
  const id = randomUUID()
  let noted = ''
  const note = (usage: Usage, hasEnded: boolean): void => {
    const call = { id, agent, usd: usage.costUsd, tokens: usage.inputTokens + usage.outputTokens }
    const text = JSON.stringify([call, hasEnded])
    if (text === noted) return
    noted = text
    // What is wrong with the file is said when the next call is asked for.
    tried(() => withShared(home, (shared) => withSpent(shared, { ...call, day: dayOf(now()) }, hasEnded)), null)
  }
  note(unknownUsage, false)
  return { soFar: (usage) => note(usage, false), ended: (usage) => note(usage, true) }
}

/** The day and month budgets that are set, with what is spent of them; for scripted agents what scripted calls claim to cost. */
export function envelopesNow(home: string, agent: string, limits: DayLimits, now: Instant): Envelope[] {
  const { day, month } = limits
  if (day === null && month === null) return []
  const shared = sharedNow(home)
  const today = dayOf(now)
  const of = (which: Envelope['which'], limitUsd: number | null, until: Instant): Envelope[] => {
    if (limitUsd === null) return []
    const isIn = (one: { day: string }): boolean => one.day.startsWith(which === 'day' ? today : today.slice(0, MONTH_LENGTH))
    return [{ which, limitUsd, until, ...spentIn(shared, agent, isIn) }]
  }
  return [...of('day', day, midnightAfter(now)), ...of('month', month, monthAfter(now))]
}

/** The same budgets by now: other runs may have spent more, or another day may have begun. */
export function currentEnvelopes(
  home: string,
  { agent, envelopes }: { agent: string; envelopes: Envelope[] },
  now: Instant,
): Envelope[] {
  const limitOf = (which: Envelope['which']): number | null => envelopes.find((one) => one.which === which)?.limitUsd ?? null
  return envelopesNow(home, agent, { day: limitOf('day'), month: limitOf('month') }, now)
}

/** A call whose agent has not reported its cost counts at the price of the tokens that the same agent's calls had; without one it is unknown. */
function spentIn({ days = [], open = [] }: SharedCalls, agent: string, isIn: (one: { day: string }) => boolean) {
  const counts = (one: { day: string; agent: string }): boolean => isLike(agent)(one) && isIn(one)
  const [ended, running] = [days.filter(counts), open.filter(counts)]
  const guesses = running.map((call) => call.usd ?? guessed(call, days))
  return {
    usedUsd: sumOf([...ended.map(({ usd }) => usd), ...guesses.map((usd) => usd ?? 0)]),
    unknown: sumOf(ended.map(({ unknown }) => unknown)) + guesses.filter((usd) => usd === null).length,
  }
}

function guessed({ agent, tokens }: OpenCall, days: SpentDay[]): number | null {
  const own = days.filter((day) => day.agent === agent)
  const known = sumOf(own.map((day) => day.tokens))
  return known === 0 || tokens === 0 ? null : (tokens * sumOf(own.map(({ usd }) => usd))) / known
}

/** Ended calls are summed up by day and agent. What is older than two months counts for nothing any more. */
function withSpent(
  { days = [], open = [], ...shared }: SharedCalls,
  call: OpenCall,
  hasEnded: boolean,
): { next: SharedCalls; result: null } {
  const isRecent = ({ day }: { day: string }): boolean => day >= monthBefore(call.day)
  const others = open.filter((one) => one.id !== call.id && isRecent(one))
  const recent = days.filter(isRecent)
  const next = hasEnded ? { days: withDay(recent, call), open: others } : { days: recent, open: [...others, call] }
  return { next: { ...shared, ...next }, result: null }
}

function withDay(days: SpentDay[], { day, agent, usd, tokens }: OpenCall): SpentDay[] {
  const isSame = (one: SpentDay): boolean => one.day === day && one.agent === agent
  const known = days.find(isSame) ?? { day, agent, usd: 0, tokens: 0, unknown: 0 }
  const next =
    usd === null ? { ...known, unknown: known.unknown + 1 } : { ...known, usd: known.usd + usd, tokens: known.tokens + tokens }
  return [...days.filter((one) => !isSame(one)), next]
}

/** By the local calendar: `2026-01-09`. */
function dayOf(at: Instant): string {
  const when = new Date(at)
  return [when.getFullYear(), when.getMonth() + 1, when.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
}
const MONTH_LENGTH = '2026-01'.length

const midnightAfter = (at: Instant): Instant =>
  onLocalDay(at, (when) => [when.getFullYear(), when.getMonth(), when.getDate() + 1])
const monthAfter = (at: Instant): Instant => onLocalDay(at, (when) => [when.getFullYear(), when.getMonth() + 1, 1])
const onLocalDay = (at: Instant, of: (when: Date) => [number, number, number]): Instant =>
  instantOf(new Date(...of(new Date(at))).getTime())

function monthBefore(day: string): string {
  const [year = 0, month = 1] = day.split('-').map(Number)
  return month === 1 ? `${year - 1}-12` : `${year}-${String(month - 1).padStart(2, '0')}`
}

const sumOf = (values: number[]): number => values.reduce((sum, value) => sum + value, 0)
