/** `ralph stats`: how often stories pass at once, and what a proven one takes, by agent, model and kind of story over all features. */
import { sayDuration } from '../../core/text/time.ts'
import { aligned } from '../status/features.ts'
import { costValue } from '../status/status.ts'
import type { Ledger, StoryEntry } from './ledger.ts'

/** Of finished stories: those that passed or failed for good. Cost and time include what failed stories took. */
export type StatsRow = {
  name: string
  finished: number
  proven: number
  /** The share of finished stories that were proven in their first iteration; null: none is finished. */
  firstPass: number | null
  costPerProvenUsd: number | null
  msPerProven: number | null
}
export type Stats = { all: StatsRow; agents: StatsRow[]; models: StatsRow[]; kinds: StatsRow[] }

export function statsOf(ledgers: Ledger[]): Stats {
  const finished = ledgers
    .flatMap(({ stories }) => stories)
    .filter(({ isPassed, isFailed, iterations }) => (isPassed || isFailed) && iterations > 0)
  const by = (nameOf: (story: StoryEntry) => string): StatsRow[] =>
    [...Map.groupBy(finished, nameOf)].map(([name, stories]) => rowOf(name, stories)).sort((a, b) => b.finished - a.finished)
  return {
    all: rowOf('all', finished),
    agents: by(({ agent }) => agent || 'unknown'),
    models: by(({ agent, model }) => `${agent || 'unknown'} ${model || 'default model'}`),
    kinds: by(({ kind }) => kind || 'none'),
  }
}

function rowOf(name: string, stories: StoryEntry[]): StatsRow {
  const proven = stories.filter(({ isProven }) => isProven)
  const costs = stories.map(({ costUsd }) => costUsd)
  const costUsd = costs.reduce<number | null>((sum, cost) => (sum === null || cost === null ? null : sum + cost), 0)
  const ms = stories.reduce((sum, story) => sum + story.ms, 0)
  const per = (whole: number | null): number | null => (whole === null || proven.length === 0 ? null : whole / proven.length)
  return {
    name,
    finished: stories.length,
    proven: proven.length,
    firstPass: stories.length === 0 ? null : proven.filter(({ iterations }) => iterations === 1).length / stories.length,
    costPerProvenUsd: per(costUsd),
    msPerProven: per(ms),
  }
}

export function statsLines({ all, agents, models, kinds }: Stats): string[] {
  if (all.finished === 0) return ['No story is finished yet. Start with: ralph run']
  const tables = [
    { head: 'AGENT', rows: [...agents, ...(agents.length > 1 ? [all] : [])] },
    { head: 'MODEL', rows: models },
    { head: 'KIND', rows: kinds },
  ]
  return [
    ...tables.flatMap(({ head, rows }) => [
      ...aligned([[head, 'FINISHED', 'PROVEN', 'FIRST PASS', 'COST EACH', 'TIME EACH'], ...rows.map(cellsOf)]),
      '',
    ]),
    'Finished: passed or failed. First pass: proven in the first iteration. Each: all cost and agent time, per proven story.',
  ]
}

const cellsOf = ({ name, finished, proven, firstPass, costPerProvenUsd, msPerProven }: StatsRow): string[] => [
  name,
  String(finished),
  String(proven),
  firstPass === null ? '-' : `${Math.round(100 * firstPass)} %`,
  proven === 0 ? '-' : costValue(costPerProvenUsd),
  msPerProven === null ? '-' : sayDuration(msPerProven),
]
