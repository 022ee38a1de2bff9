/** logs/summary.csv: a row per call, the first eight columns in an order that other tools rely on. */

import { evolve } from '../core/evolve.ts'
import { initialState } from '../core/initial.ts'
import type { State } from '../core/state.ts'
import type { Event, EventOf } from '../core/types.ts'
import { storyCounts } from './status.ts'

export const csvHeader =
  'iteration,mode,duration_seconds,commit_hash,stories_complete,stories_total,stuck_count,timestamp,story,outcome,input_tokens,output_tokens,cost_usd,output_chars\n'

/** The row of an iteration that was just settled; `before` still has it in flight. */
export function csvRow(before: State, event: EventOf<'iteration.settled'>): string {
  const flight = before.flights.find((candidate) => candidate.iteration === event.iteration)
  if (flight?.ended === undefined || flight.judged === undefined) return ''
  const { ended, judged } = flight
  const { complete, total } = storyCounts(before)
  const commit = event.commits.at(-1) ?? ended.commits.at(-1) ?? ''
  const cells = [
    String(flight.iteration),
    flight.mode,
    String(Math.round(ended.durationMs / 1000)),
    commit.slice(0, 7),
    String(complete),
    String(total),
    String(before.breaker.counts['no-progress'].times),
    event.at,
    flight.story ?? judged.passed[0] ?? judged.refused[0] ?? '',
    event.problem === undefined ? judged.verdict : 'failed',
    String(ended.usage.inputTokens),
    String(ended.usage.outputTokens),
    ended.usage.costUsd === null ? '' : ended.usage.costUsd.toFixed(4),
    String(ended.outputChars),
  ]
  return `${cells.map(cell).join(',')}\n`
}

/** The row of a reviewer's call. */
export function csvReviewRow(before: State, event: EventOf<'review.ended'>): string {
  const { complete, total } = storyCounts(before)
  const { usage } = event
  const cells = [
    String(event.iteration),
    'review',
    String(Math.round(event.durationMs / 1000)),
    '',
    String(complete),
    String(total),
    String(before.breaker.counts['no-progress'].times),
    event.at,
    event.story ?? '',
    reviewOutcome(event),
    String(usage.inputTokens),
    String(usage.outputTokens),
    usage.costUsd === null ? '' : usage.costUsd.toFixed(4),
    String(event.outputChars),
  ]
  return `${cells.map(cell).join(',')}\n`
}

function reviewOutcome({ review, throttled, exit, calls, result }: EventOf<'review.ended'>): string {
  if (throttled) return 'throttled'
  if (exit === 'stopped' || exit === 'over-budget') return 'interrupted'
  if (calls) return calls.for
  if (result === undefined) return 'unread'
  if (result.passed) return 'pass'
  return review === 'quality' ? 'warn' : 'fail'
}

/** The whole file as a fold of the log, for when it was lost or a kill came between a row and its event. */
export type Csv = { state: State; text: string }
export const emptyCsv: Csv = { state: initialState, text: csvHeader }
export function withRows({ state, text }: Csv, event: Event): Csv {
  const row =
    event.kind === 'iteration.settled' ? csvRow(state, event) : event.kind === 'review.ended' ? csvReviewRow(state, event) : ''
  return { state: evolve(state, event), text: text + row }
}

const cell = (text: string): string => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
