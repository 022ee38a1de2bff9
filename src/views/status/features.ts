/** All features of a project, and all runs of a feature, a line each. */
import { outcomeWords } from '../../core/decide/outcome.ts'
import { msBetween, sayDuration } from '../../core/text/time.ts'
import type { Instant, Outcome } from '../../core/types.ts'
import type { RunEntry } from '../figures/ledger.ts'
import { localTime, sayLocal } from '../local-time.ts'
import type { Status } from './status.ts'

/** A feature in a list. `problem`: why nothing is known about it. */
export type FeatureRow = {
  feature: string
  state: Status['state'] | 'archived' | 'unreadable'
  outcome: Outcome | null
  stories: { complete: number; total: number; failed: number; asking: number }
  run: string
  lastEventAt: Instant | null
  folder: string
  problem?: string
}

export function featureRow(status: Status, folder: string, isArchived: boolean): FeatureRow {
  const { feature, state, outcome, stories, run, lastEvent } = status
  const count = (wanted: string): number => stories.list.filter((story) => story.state === wanted).length
  return {
    ...{ feature, state: isArchived ? 'archived' : state, outcome },
    stories: { complete: stories.complete, total: stories.total, failed: count('failed'), asking: status.questions.length },
    ...{ run, lastEventAt: lastEvent?.at ?? null, folder },
  }
}

export function featureLines(rows: FeatureRow[], now: Instant): string[] {
  const cells = rows.map(({ feature, stories, lastEventAt, ...row }) => [
    feature,
    stateWords({ feature, stories, lastEventAt, ...row }),
    storyWords(stories),
    lastEventAt === null ? 'never' : sayLocal(lastEventAt, now),
  ])
  const problems = rows.flatMap(({ feature, problem }) => (problem === undefined ? [] : [`! ${feature}: ${problem}`]))
  return [...aligned([['FEATURE', 'STATE', 'STORIES', 'LAST RUN'], ...cells]), ...problems]
}

const stateWords = ({ state, outcome, stories }: FeatureRow): string => {
  if (state === 'idle') return 'never run'
  if (state === 'ended' && outcome === 'question' && stories.asking === 0) return 'ended: answered'
  return outcome !== null && (state === 'ended' || state === 'archived') ? `${state}: ${outcomeWords(outcome)}` : state
}

function storyWords({ complete, total, failed, asking }: FeatureRow['stories']): string {
  const more = [...(failed > 0 ? [`${failed} failed`] : []), ...(asking > 0 ? [`${asking} waiting for you`] : [])]
  return total === 0 ? 'none yet' : `${complete}/${total}${more.length === 0 ? '' : ` (${more.join(', ')})`}`
}

/** Newest first. */
export function runLines(runs: (RunEntry & { costUsd: number | null })[], now: Instant): string[] {
  const cells = runs
    .toReversed()
    .map(({ run, startedAt, endedAt, outcome, iterations, costUsd }) => [
      run,
      localTime(startedAt, now),
      endedAt === null ? 'not ended' : sayDuration(msBetween(startedAt, endedAt)),
      outcomeWords(outcome) || '-',
      String(iterations),
      costUsd === null ? 'unknown' : `$${costUsd.toFixed(2)}`,
    ])
  return aligned([['RUN', 'STARTED', 'TOOK', 'OUTCOME', 'ITERATIONS', 'COST'], ...cells])
}

/** The last column ends where its words end. */
export function aligned(rows: string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** At the end of `ralph status`: what else there is. */
export function otherFeaturesLine(names: string[], shown: string): string[] {
  const others = names.filter((name) => name !== shown)
  if (others.length === 0) return []
  const listed = others.length > 5 ? `${others.slice(0, 5).join(', ')} and ${others.length - 5} more` : others.join(', ')
  return ['', `Other features: ${listed} (ralph list)`]
}
