/** logs/summary.csv: one row per call; other tools rely on the order of the first eight columns. */

import { evolve } from '../../core/evolve/evolve.ts'
import { judgedFlight } from '../../core/evolve/flights.ts'
import { initialState } from '../../core/evolve/initial.ts'
import { isUntold, unknownUsage } from '../../core/figures/price.ts'
import type { State } from '../../core/state.ts'
import type { ReviewEnded } from '../../core/types/results.ts'
import { scopeNumber } from '../../core/types/words.ts'
import type { Census, Event, EventOf, GateResult, Instant, Mode, Scope, StoryId } from '../../core/types.ts'
import { countedTests } from '../proof.ts'
import { storyCounts } from '../status/status.ts'

export const csvHeader =
  'iteration,mode,duration_seconds,commit_hash,stories_complete,stories_total,stuck_count,timestamp,story,outcome,input_tokens,output_tokens,cost_usd,output_chars,tests_passed,tests_failed,tests_skipped,tests_by_gate\n'

/**
 * The rows that an event adds; `before`: the state before it. An iteration gets its row when it is settled, followed by its reviews; a final
 * review belongs to no iteration.
 */
export function csvRows(before: State, event: Event): string {
  switch (event.kind) {
    case 'iteration.settled':
      return settledRows(before, event)
    case 'review.ended':
      return event.iteration === 'whole' ? row(before, reviewCall(event)) : ''
    case 'run.resumed':
      return before.final.isReviewing ? row(before, lostReview('whole', null, event.at)) : ''
    default:
      return ''
  }
}

type Called = Pick<ReviewEnded, 'iteration' | 'story' | 'usage' | 'durationMs' | 'outputChars'> & {
  mode: Mode
  commit: string
  at: Instant
  outcome: string
  /** Of its gates. */
  results?: GateResult[]
}

function settledRows(before: State, event: EventOf<'iteration.settled'>): string {
  const flight = judgedFlight(before, event.iteration)
  if (flight === undefined) return ''
  const { iteration, mode, ended, judged, reviewed } = flight
  const own: Called = {
    ...ended,
    mode,
    commit: event.commits.at(-1) ?? ended.commits.at(-1) ?? '',
    at: flight.endedAt,
    story: flight.story ?? judged.passed[0] ?? judged.refused[0] ?? judged.parked?.[0] ?? null,
    outcome: event.problem === undefined ? judged.verdict : 'failed',
    results: event.results ?? flight.gates ?? [],
  }
  const reviews = reviewed.map((review) =>
    typeof review === 'string' ? lostReview(iteration, flight.story, review) : reviewCall(review),
  )
  return [...(mode === 'check' ? [] : [own]), ...reviews].map((call) => row(before, call)).join('')
}

const reviewCall = (event: EventOf<'review.ended'>): Called => ({
  ...event,
  mode: 'review',
  commit: '',
  outcome: reviewOutcome(event),
})

const lostReview = (iteration: Scope, story: StoryId | null, at: Instant): Called => {
  const nothing = { usage: unknownUsage, durationMs: 0, outputChars: 0 }
  return { iteration, story, at, mode: 'review', commit: '', outcome: 'lost', ...nothing }
}

function row(state: State, call: Called): string {
  const { iteration, mode, durationMs, commit, at, story, outcome, usage, outputChars } = call
  const { complete, total } = storyCounts(state)
  const cells = [
    String(scopeNumber(iteration)),
    mode,
    String(Math.round(durationMs / 1000)),
    commit.slice(0, 7),
    String(complete),
    String(total),
    String(state.breaker.counts['no-progress'].times),
    at.replace(/\.\d+Z$/, 'Z'), // to the second
    story ?? '',
    outcome,
    isUntold(usage) ? '' : String(usage.inputTokens),
    isUntold(usage) ? '' : String(usage.outputTokens),
    usage.costUsd === null ? '' : usage.costUsd.toFixed(4),
    String(outputChars),
    ...testCells(call.results ?? []),
  ]
  return `${cells.map(cell).join(',')}\n`
}

/** Together, and by gate as passed/failed/skipped; empty: none could be counted. */
function testCells(results: GateResult[]): string[] {
  const counted = Object.entries(countedTests(results) ?? {})
  if (counted.length === 0) return ['', '', '', '']
  const sum = (kind: keyof Census): string => String(counted.reduce((all, [, census]) => all + census[kind], 0))
  const byGate = counted.map(([name, { passed, failed, skipped }]) => `${name} ${passed}/${failed}/${skipped}`)
  return [sum('passed'), sum('failed'), sum('skipped'), byGate.join('; ')]
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
  return { state: evolve(state, event), text: text + csvRows(state, event) }
}

const cell = (text: string): string => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
