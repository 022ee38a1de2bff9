/** The state of a fleet for people: workers, queue, and who needs a person. */
import type { Instant } from '../core/types.ts'
import { sayLocal } from './local-time.ts'
import { plural } from './status/status.ts'

export type FleetStatus = {
  at: Instant
  isPaused: boolean
  workers: { id: string; slots: number; running: number; labels: string[]; isDraining: boolean; isSilent: boolean }[]
  accounts: { account: string; used: number; limit: number; limitedUntil: Instant | null }[]
  features: FleetFeature[]
}
export type FleetFeature = {
  repository: string
  feature: string
  state: 'queued' | 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'cancelled'
  wanted: 'run' | 'pause' | 'cancel'
  priority: number
  labels: string[]
  worker: string | null
  turn: number
  branch: string
  reason: string
  asks: { kind: 'question' | 'blocked'; story: string | null; text: string }[]
  iteration: number
  stories: { complete: number; total: number } | null
  costUsd: number | null
}

/** The lines of `ralph fleet status`: features that need a person come first. */
export function fleetLines({ at, isPaused, workers, accounts, features }: FleetStatus): string[] {
  const asking = features.filter(({ asks }) => asks.length > 0)
  return [
    countsLine(features, isPaused),
    ...accounts.map((account) => accountLine(account, at)),
    ...section('Needs you', asking.flatMap(askLines)),
    ...section(
      'Workers',
      workers.length === 0 ? ['  none. Start one: ralph fleet work --allow <repository>'] : workers.map(workerLine),
    ),
    ...section(
      'Features',
      features.length === 0 ? ['  none. Submit one: ralph fleet submit <feature>'] : features.map(featureLine),
    ),
  ]
}

const section = (title: string, lines: string[]): string[] => (lines.length === 0 ? [] : ['', title, ...lines])

function countsLine(features: FleetFeature[], isPaused: boolean): string {
  const states = ['running', 'queued', 'waiting', 'paused', 'completed', 'failed', 'cancelled'] as const
  const counts = states.map((state) => ({ state, count: features.filter((one) => one.state === state).length }))
  const words = counts.filter(({ count }) => count > 0).map(({ state, count }) => `${count} ${state}`)
  return `${isPaused ? 'Paused (continue with: ralph fleet resume). ' : ''}${plural(features.length, 'feature')}${words.length > 0 ? `: ${words.join(', ')}` : ''}`
}

function accountLine({ account, used, limit, limitedUntil }: FleetStatus['accounts'][number], now: Instant): string {
  const calls = limit === 0 ? `${used} calls, no limit` : `${used} of ${limit} calls`
  return `Account ${account}: ${calls}${limitedUntil === null ? '' : `, provider limit until ${sayLocal(limitedUntil, now)}`}`
}

const askLines = ({ feature, asks }: FleetFeature): string[] =>
  asks.map(({ kind, story, text }) =>
    kind === 'blocked'
      ? `  ${feature} is blocked: ${text} (ralph fleet unblock ${feature} "…")`
      : `  ${feature}${story === null ? '' : ` ${story}`} asks: ${text} (ralph fleet answer ${feature} "…"${story === null ? '' : ` --story ${story}`})`,
  )

function workerLine({ id, slots, running, labels, isDraining, isSilent }: FleetStatus['workers'][number]): string {
  const marks = [
    ...(labels.length > 0 ? [labels.join(',')] : []),
    ...(isDraining ? ['draining'] : []),
    ...(isSilent ? ['silent'] : []),
  ]
  return `  ${id}  ${running} of ${slots}${marks.length > 0 ? `  (${marks.join('; ')})` : ''}`
}

function featureLine(one: FleetFeature): string {
  const stories = one.stories === null ? '' : `  ${one.stories.complete}/${one.stories.total} stories, iteration ${one.iteration}`
  const cost = one.costUsd === null || one.costUsd === 0 ? '' : `  $${one.costUsd.toFixed(2)}`
  const who = one.worker === null ? '' : `  ${one.worker}`
  const wanted = one.wanted === 'run' ? '' : ` (${one.wanted} asked)`
  const why = one.reason === '' || one.state === 'completed' ? '' : `  ${one.reason}`
  return `  ${one.state.padEnd(9)}${wanted} ${one.feature}${stories}${cost}${who}${why}`
}
