/** Where time and money went, and what is left to do: for the report, from the account book. */
import { fewestStories, forecastOf } from '../core/forecast.ts'
import { sumOf } from '../core/judged.ts'
import { sayDuration } from '../core/time.ts'
import type { CallEntry, Ledger, StoryEntry } from './ledger.ts'
import { plural } from './status.ts'

/** Proven stories count; money on failed attempts stands apart, and unknown cost is unknown. */
export function costLines(ledger: Ledger): string[] {
  const { calls, stories } = ledger
  const proven = stories.filter((story) => story.isProven)
  const total = costOf(calls)
  const failed = calls.filter((call) => call.verdict === 'failed')
  return [
    '## Cost',
    '',
    `- Together: ${money(total)} for ${plural(calls.length, 'call')}, ${sayDuration(timeOf(calls))} inside agents`,
    `- Per proven story: ${proven.length === 0 ? 'no story is proven yet' : `${money(total === null ? null : total / proven.length)} (${proven.length} proven)`}`,
    `- On attempts that failed: ${money(costOf(failed))} (${plural(failed.length, 'attempt')})`,
    '',
    '| mode | role | calls | time | cost |',
    '|---|---|---|---|---|',
    ...groups(calls).map(
      ([mode, role, own]) => `| ${mode} | ${role} | ${own.length} | ${sayDuration(timeOf(own))} | ${money(costOf(own))} |`,
    ),
  ]
}

/** From this repository's own history: all features that it has logs of. */
export function forecastLines(ledger: Ledger, all: Ledger[]): string[] {
  const history = all.flatMap(({ stories }) => stories).filter((story) => story.isPassed && story.iterations > 0)
  const open = (ledger.state.plan?.stories ?? []).filter((story) => !story.passes && !story.skip && !story.failed).length
  if (open === 0) return []
  const forecast = forecastOf(history.map(takenBy), open)
  if (forecast === null)
    return [
      '## Forecast',
      '',
      `Too little history: ${plural(history.length, 'story', 'stories')} finished, ${fewestStories} are needed.`,
    ]
  const { iterations, ms, costUsd } = forecast
  return [
    '## Forecast',
    '',
    `${plural(open, 'story', 'stories')} to go, from ${forecast.from} finished ones of this repository:`,
    '',
    '| | even chance | nine in ten |',
    '|---|---|---|',
    `| iterations | ${iterations.p50} | ${iterations.p90} |`,
    `| time inside agents | ${sayDuration(ms.p50)} | ${sayDuration(ms.p90)} |`,
    `| cost | ${costUsd === null ? 'unknown' : money(costUsd.p50)} | ${costUsd === null ? 'unknown' : money(costUsd.p90)} |`,
  ]
}

const takenBy = ({ iterations, ms, costUsd }: StoryEntry) => ({ iterations, ms, costUsd })

function groups(calls: CallEntry[]): [string, string, CallEntry[]][] {
  const byKind = new Map<string, CallEntry[]>()
  for (const call of calls) {
    const key = `${call.role === 'learner' ? 'learn' : call.mode}\t${call.role}`
    byKind.set(key, [...(byKind.get(key) ?? []), call])
  }
  return [...byKind].map(([key, own]) => [...(key.split('\t') as [string, string]), own])
}

const costOf = (calls: CallEntry[]): number | null => calls.reduce((sum: number | null, call) => sumOf(sum, call.costUsd), 0)
const timeOf = (calls: CallEntry[]): number => calls.reduce((sum, call) => sum + call.ms, 0)
const money = (usd: number | null): string =>
  usd === null ? 'unknown (an agent did not say what it costs)' : `$${usd.toFixed(2)}`
