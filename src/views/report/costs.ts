/** Where time and money went, and what is left to do: figures for the report. */
import type { CallEntry } from '../../core/figures/calls.ts'
import type { Estimate } from '../../core/figures/estimate.ts'
import { type Forecast, fewestStories, forecastOf, type StoryTook } from '../../core/figures/forecast.ts'
import { sayDuration } from '../../core/text/time.ts'
import type { Plan, Role } from '../../core/types.ts'
import type { Ledger, StoryEntry } from '../figures/ledger.ts'
import { plural, unpricedWords } from '../status/status.ts'

/** Unknown cost is null, never 0; a partly known cost is given with the number of calls without one. */
export type Costs = {
  calls: number
  ms: number
  costUsd: number | null
  unpriced: number
  provenStories: number
  perProvenStoryUsd: number | null
  failedAttempts: number
  failedUsd: number | null
  byKind: { mode: string; role: Role; calls: number; ms: number; tokens: number; costUsd: number | null }[]
}
/** `too-little`: not enough history. */
export type Outlook =
  | { kind: 'nothing-open' }
  | { kind: 'too-little'; open: number; finished: number; needed: number }
  | ({ kind: 'told' } & Forecast)

/** Counts proven stories; money spent on failed attempts is listed separately. */
export function costsOf({ calls, stories }: Ledger): Costs {
  const spent = nothingSpent()
  for (const call of calls) spend(spent, call)
  return costsFrom(spent, stories.filter((story) => story.isProven).length)
}

/** What all calls so far took. */
export type Spent = Omit<Costs, 'provenStories' | 'perProvenStoryUsd'>

export const nothingSpent = (): Spent => ({ ...nothing, unpriced: 0, failedAttempts: 0, failedUsd: 0, byKind: [] })

/** Adds one more, at constant cost. */
export function spend(spent: Spent, call: CallEntry): void {
  const { role, ms, inputTokens, outputTokens, costUsd, verdict } = call
  take(spent, ms, costUsd)
  if (costUsd === null) spent.unpriced += 1
  if (verdict === 'failed') {
    spent.failedUsd = withCost(spent.failedUsd, costUsd, spent.failedAttempts === 0)
    spent.failedAttempts += 1
  }
  const mode = role === 'learner' ? 'learn' : call.mode
  const known = spent.byKind.find((each) => each.mode === mode && each.role === role)
  const kind = known ?? { mode, role, ...nothing, tokens: 0 }
  if (known === undefined) spent.byKind.push(kind)
  take(kind, ms, costUsd)
  kind.tokens += inputTokens + outputTokens
}

const nothing = { calls: 0, ms: 0, costUsd: 0 }

function take(sum: { calls: number; ms: number; costUsd: number | null }, ms: number, costUsd: number | null): void {
  sum.costUsd = withCost(sum.costUsd, costUsd, sum.calls === 0)
  sum.calls += 1
  sum.ms += ms
}

/** Unknown as long as no part of it is known. */
const withCost = (sum: number | null, costUsd: number | null, isFirst: boolean): number | null =>
  costUsd !== null ? (sum ?? 0) + costUsd : isFirst ? null : sum

export function costsFrom(
  { calls, ms, costUsd, unpriced, failedAttempts, failedUsd, byKind }: Spent,
  provenStories: number,
): Costs {
  const perProvenStoryUsd = provenStories === 0 || costUsd === null ? null : costUsd / provenStories
  return { calls, ms, costUsd, unpriced, provenStories, perProvenStoryUsd, failedAttempts, failedUsd, byKind }
}

/** From this repository's history: all features with a log. */
export const outlookOf = (ledger: Ledger, all: Ledger[]): Outlook => outlooksFrom(all)(ledger)

/** The same for many features: their common history is read once. */
export function outlooksFrom(all: Ledger[]): (ledger: Ledger) => Outlook {
  const outlookFor = outlooksIn(all.flatMap(finishedOf))
  return ({ state }) => outlookFor(state.plan)
}

/** What the finished stories of a feature took. */
export const finishedOf = ({ stories }: Ledger): StoryTook[] =>
  stories.filter((story) => story.isPassed && story.iterations > 0).map(takenBy)

/** From finished stories; the same number of open ones is forecast once. */
export function outlooksIn(history: StoryTook[]): (plan: Plan | null) => Outlook {
  const known = new Map<number, Outlook>()
  const outlookFor = (open: number): Outlook => {
    if (open === 0) return { kind: 'nothing-open' }
    const forecast = forecastOf(history, open)
    if (forecast === null) return { kind: 'too-little', open, finished: history.length, needed: fewestStories }
    return { kind: 'told', ...forecast }
  }
  return (plan) => {
    const open = (plan?.stories ?? []).filter((story) => !story.passes && !story.skip && !story.failed).length
    const outlook = known.get(open) ?? outlookFor(open)
    known.set(open, outlook)
    return outlook
  }
}

export function costLines(costs: Costs): string[] {
  return [
    '## Cost',
    '',
    `- Total: ${money(costs.costUsd)}${unpricedWords(costs)} for ${plural(costs.calls, 'call')}, ${sayDuration(costs.ms)} agent time`,
    `- Per proven story: ${costs.provenStories === 0 ? 'no proven stories yet' : `${money(costs.perProvenStoryUsd)} (${costs.provenStories} proven)`}`,
    `- Failed attempts: ${money(costs.failedUsd)} (${plural(costs.failedAttempts, 'attempt')})`,
    '',
    '| mode | role | calls | time | cost |',
    '|---|---|---|---|---|',
    ...costs.byKind.map(
      ({ mode, role, calls, ms, costUsd }) => `| ${mode} | ${role} | ${calls} | ${sayDuration(ms)} | ${money(costUsd)} |`,
    ),
  ]
}

export function outlookLines(outlook: Outlook): string[] {
  switch (outlook.kind) {
    case 'nothing-open':
      return []
    case 'too-little':
      return ['## Forecast', '', `No forecast: ${tooLittleWords(outlook)}.`]
    case 'told': {
      const { stories, from, iterations, ms, costUsd } = outlook
      return [
        '## Forecast',
        '',
        `${plural(stories, 'story', 'stories')} left, estimated from ${from} finished in this repository:`,
        '',
        '| | likely (p50) | at most (p90) |',
        '|---|---|---|',
        `| iterations | ${iterations.p50} | ${iterations.p90} |`,
        `| agent time | ${sayDuration(ms.p50)} | ${sayDuration(ms.p90)} |`,
        `| cost | ${costUsd === null ? 'unknown' : money(costUsd.p50)} | ${costUsd === null ? 'unknown' : money(costUsd.p90)} |`,
      ]
    }
  }
}

/** The same with what it rests on. */
export function estimateWords({ isGuess, ...estimate }: Estimate): string {
  const from = isGuess
    ? `no history, guessed from the number of stories`
    : `p50 to p90 of ${plural(estimate.from, 'finished story', 'finished stories')}`
  return `${outlookWords({ kind: 'told', ...estimate }, roundTime)} (${from})`
}

/** An estimate is not exact to the second. */
function roundTime(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  if (minutes < 1) return 'under 1 min'
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`
}

/** On one line: the median, and the 90th percentile. */
export function outlookWords(outlook: Outlook, time = sayDuration): string {
  switch (outlook.kind) {
    case 'nothing-open':
      return 'no open stories'
    case 'too-little':
      return tooLittleWords(outlook)
    case 'told': {
      const { stories, iterations, ms, costUsd } = outlook
      const cost = costUsd === null ? 'cost unknown' : range(costUsd, (usd) => `$${usd.toFixed(2)}`)
      const count = iterations.p50 === iterations.p90 ? '' : `${iterations.p50} to `
      const size = `${count}${plural(iterations.p90, 'iteration')}, ${range(ms, time)}`
      return `${plural(stories, 'story', 'stories')} left: ${size}, ${cost}`
    }
  }
}

export const tooLittleWords = ({ finished, needed }: { finished: number; needed: number }): string =>
  `not enough history yet (${finished} of ${needed} stories)`

/** One value if both look the same. */
export function range({ p50, p90 }: { p50: number; p90: number }, words: (value: number) => string): string {
  return words(p50) === words(p90) ? words(p90) : `${words(p50)} to ${words(p90)}`
}

const takenBy = ({ iterations, ms, costUsd }: StoryEntry): StoryTook => ({ iterations, ms, costUsd })

const money = (usd: number | null): string => (usd === null ? 'unknown (the agent does not report cost)' : `$${usd.toFixed(2)}`)
