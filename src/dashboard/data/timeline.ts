/** The iterations of one log with their results, and the parts of them that the page asks for. */
import type { Event, Scope } from '../../core/types.ts'
import { type History, historyFold } from '../../views/report/history.ts'
import { gateRow, type RunData, rowsInPage, type TimelineEntry, type TimelineRow } from './shapes.ts'

type More = Pick<TimelineEntry, 'shift' | 'summary' | 'commits' | 'files' | 'passed' | 'refused' | 'gates'>
export type Timeline = Pick<History, 'iterations' | 'breaker'> & { more: Map<Scope, More> }

export function timelineFold(): { add(event: Event): void; value(): Timeline } {
  const history = historyFold()
  const more = new Map<Scope, More>()
  const change = (iteration: Scope, changed: (before: More) => Partial<More>): void => {
    const before = more.get(iteration) ?? none
    more.set(iteration, { ...before, ...changed(before) })
  }
  return {
    add(event) {
      history.add(event)
      switch (event.kind) {
        case 'iteration.started':
          change(event.iteration, () => ({ shift: event.shift }))
          break
        case 'iteration.ended':
          change(event.iteration, () => ({ summary: event.summary, commits: event.commits, files: event.files ?? [] }))
          break
        case 'gates.ended':
          change(event.iteration, ({ gates }) => ({ gates: [...gates, ...event.results.map(gateRow)] }))
          break
        case 'review.ended': {
          const { result } = event
          if (result !== undefined) change(event.iteration, ({ gates }) => ({ gates: [...gates, gateRow(result)] }))
          break
        }
        case 'iteration.judged':
          change(event.iteration, () => ({ passed: event.passed, refused: event.refused }))
          break
        case 'iteration.settled':
          change(event.iteration, ({ commits }) => ({ commits: [...new Set([...commits, ...event.commits])] }))
          break
      }
    },
    value() {
      const { iterations, breaker } = history.value()
      return { iterations, breaker, more }
    },
  }
}

/** What the page always has: which iterations exist, and what they took. */
export function outlineOf({ iterations, breaker }: Timeline): Pick<RunData, 'iterations' | 'took' | 'breaker'> {
  const ended = iterations.filter(({ endedAt }) => endedAt !== null)
  const took = {
    iteration: ended.map(({ iteration }) => iteration),
    costUsd: ended.map(({ costUsd }) => costUsd),
    tokens: ended.map(({ inputTokens, outputTokens }) => inputTokens + outputTokens),
    ms: ended.map(({ ms }) => ms),
    outputChars: ended.map(({ outputChars }) => outputChars),
  }
  return { iterations: iterations.map(({ iteration }) => iteration), took, breaker }
}

/** Pages count from the oldest iteration, so that a full page never changes. */
export const pageOf = ({ iterations, more }: Timeline, page: number): TimelineRow[] =>
  iterations.slice(page * rowsInPage, (page + 1) * rowsInPage).map(({ iteration, story, mode, verdict, endedAt, because }) => ({
    iteration,
    story,
    mode,
    verdict,
    endedAt,
    because: because || (more.get(iteration)?.summary.slice(0, mostWords) ?? ''),
  }))

export function entryOf({ iterations, more }: Timeline, wanted: number): TimelineEntry | null {
  const entry = iterations.find(({ iteration }) => iteration === wanted)
  return entry === undefined ? null : { ...none, ...more.get(wanted), ...entry }
}

const mostWords = 200
const none: More = { shift: '', summary: '', commits: [], files: [], passed: [], refused: [], gates: [] }
