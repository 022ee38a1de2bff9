/** Where time and money went, and what is left to do: for the report, from the account book. */
import { type Forecast, fewestStories, forecastOf } from '../core/forecast.ts'
import { sayDuration } from '../core/time.ts'
import type { Role } from '../core/types.ts'
import type { CallEntry, Ledger, StoryEntry } from './ledger.ts'
import { plural } from './status.ts'

/** Unknown cost is null, never 0; where a part of it is known, that is told, and of how many calls the rest is not. */
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
/** `too-little`: history that says nothing yet. */
export type Outlook =
  | { kind: 'nothing-open' }
  | { kind: 'too-little'; open: number; finished: number; needed: number }
  | ({ kind: 'told' } & Forecast)

/** Proven stories count; money on failed attempts stands apart. */
export function costsOf({ calls, stories }: Ledger): Costs {
  const proven = stories.filter((story) => story.isProven).length
  const total = costOf(calls)
  const failed = calls.filter((call) => call.verdict === 'failed')
  return {
    calls: calls.length,
    ms: timeOf(calls),
    costUsd: total,
    unpriced: calls.filter(({ costUsd }) => costUsd === null).length,
    provenStories: proven,
    perProvenStoryUsd: proven === 0 || total === null ? null : total / proven,
    failedAttempts: failed.length,
    failedUsd: costOf(failed),
    byKind: byKind(calls),
  }
}

/** From this repository's own history: all features that it has logs of. */
export const outlookOf = (ledger: Ledger, all: Ledger[]): Outlook => outlooksFrom(all)(ledger)

/** The same for many features: their common history is gone through once. */
export function outlooksFrom(all: Ledger[]): (ledger: Ledger) => Outlook {
  const history = all.flatMap(({ stories }) => stories.filter((story) => story.isPassed && story.iterations > 0).map(takenBy))
  const known = new Map<number, Outlook>()
  const outlookFor = (open: number): Outlook => {
    if (open === 0) return { kind: 'nothing-open' }
    const forecast = forecastOf(history, open)
    if (forecast === null) return { kind: 'too-little', open, finished: history.length, needed: fewestStories }
    return { kind: 'told', ...forecast }
  }
  return ({ state }) => {
    const open = (state.plan?.stories ?? []).filter((story) => !story.passes && !story.skip && !story.failed).length
    const outlook = known.get(open) ?? outlookFor(open)
    known.set(open, outlook)
    return outlook
  }
}

/** Beside the part that is known. */
export const unpricedWords = ({ costUsd, unpriced }: Pick<Costs, 'costUsd' | 'unpriced'>): string =>
  costUsd === null || unpriced === 0 ? '' : ` and ${plural(unpriced, 'call')} of unknown cost`

export function costLines(costs: Costs): string[] {
  return [
    '## Cost',
    '',
    `- Together: ${money(costs.costUsd)}${unpricedWords(costs)} for ${plural(costs.calls, 'call')}, ${sayDuration(costs.ms)} inside agents`,
    `- Per proven story: ${costs.provenStories === 0 ? 'no story is proven yet' : `${money(costs.perProvenStoryUsd)} (${costs.provenStories} proven)`}`,
    `- On attempts that failed: ${money(costs.failedUsd)} (${plural(costs.failedAttempts, 'attempt')})`,
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
      return ['## Forecast', '', tooLittleWords(outlook)]
    case 'told': {
      const { stories, from, iterations, ms, costUsd } = outlook
      return [
        '## Forecast',
        '',
        `${plural(stories, 'story', 'stories')} to go, from ${from} finished ones of this repository:`,
        '',
        '| | even chance | nine in ten |',
        '|---|---|---|',
        `| iterations | ${iterations.p50} | ${iterations.p90} |`,
        `| time inside agents | ${sayDuration(ms.p50)} | ${sayDuration(ms.p90)} |`,
        `| cost | ${costUsd === null ? 'unknown' : money(costUsd.p50)} | ${costUsd === null ? 'unknown' : money(costUsd.p90)} |`,
      ]
    }
  }
}

export const tooLittleWords = ({ finished, needed }: { finished: number; needed: number }): string =>
  `Too little history: ${plural(finished, 'story', 'stories')} finished, ${needed} are needed.`

const takenBy = ({ iterations, ms, costUsd }: StoryEntry) => ({ iterations, ms, costUsd })

function byKind(calls: CallEntry[]): Costs['byKind'] {
  const groups = new Map<string, { mode: string; role: Role; own: CallEntry[] }>()
  for (const call of calls) {
    const mode = call.role === 'learner' ? 'learn' : call.mode
    const key = `${mode} ${call.role}`
    const group = groups.get(key) ?? { mode, role: call.role, own: [] }
    groups.set(key, group)
    group.own.push(call)
  }
  return [...groups.values()].map(({ mode, role, own }) => ({
    mode,
    role,
    calls: own.length,
    ms: timeOf(own),
    tokens: own.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0),
    costUsd: costOf(own),
  }))
}

function costOf(calls: CallEntry[]): number | null {
  const known = calls.flatMap(({ costUsd }) => (costUsd === null ? [] : [costUsd]))
  return known.length === 0 && calls.length > 0 ? null : known.reduce((sum, costUsd) => sum + costUsd, 0)
}
const timeOf = (calls: CallEntry[]): number => calls.reduce((sum, call) => sum + call.ms, 0)
const money = (usd: number | null): string =>
  usd === null ? 'unknown (an agent did not say what it costs)' : `$${usd.toFixed(2)}`
