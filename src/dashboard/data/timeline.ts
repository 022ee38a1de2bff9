/** The iterations of one log with their results, and the parts of them that the page asks for. */
import { workedStory } from '../../core/evolve/judged.ts'
import { headingOf, undeclared } from '../../core/proof/finding.ts'
import { keyLines } from '../../core/proof/key-lines.ts'
import type { Event, GateResult, Instant, Scope, StoryId } from '../../core/types.ts'
import { type History, historyFold, type IterationEntry } from '../../views/report/history.ts'
import type { GateRow, LaneBar, LaneCheck, TimelineEntry, TimelineRow, WholeCheck } from './shapes.ts'

type CheckResult = GateResult & { isAfterMerge?: true }
type More = Omit<TimelineEntry, keyof IterationEntry | 'gates'> & {
  story: StoryId | null
  results: CheckResult[]
  checks: LaneCheck[]
  settledAt: Instant | null
}
export type Timeline = Pick<History, 'iterations' | 'breaker'> & { more: Map<Scope, More> }

export function timelineFold(): { add(event: Event): void; value(): Timeline } {
  const history = historyFold()
  const more = new Map<Scope, More>()
  const calls = new Map<number, string>()
  const change = (iteration: Scope, changed: (before: More) => Partial<More>): void => {
    const before = more.get(iteration) ?? none
    more.set(iteration, { ...before, ...changed(before) })
  }
  const add = (event: Event): void => {
    history.add(event)
    switch (event.kind) {
      case 'call.requested':
        calls.set(event.call, event.agent)
        break
      case 'iteration.started': {
        const { story, shift, worker = null } = event
        change(event.iteration, () => ({ story, shift, worker, agents: [calls.get(event.call) ?? ''] }))
        calls.delete(event.call)
        break
      }
      case 'iteration.ended':
        change(event.iteration, () => ({
          summary: event.summary,
          findings: undeclared(event.findings).map((finding) => `${headingOf(finding)}: ${finding.words}`),
          commits: event.commits,
          files: event.files ?? [],
        }))
        break
      case 'gates.started':
        change(event.iteration, ({ checks }) => ({ checks: [...checks, begun('gates', event.at)] }))
        break
      case 'gates.ended':
        change(event.iteration, ({ results, checks }) => ({
          results: [...results, ...event.results.map(shortened)],
          checks: ended(checks, 'gates', event.at, event.results.every(isFine)),
        }))
        break
      case 'review.started':
        change(event.iteration, ({ checks, agents }) => ({
          checks: [...checks, begun('review', event.at)],
          agents: [...new Set([...agents, event.agent])],
        }))
        break
      case 'review.ended': {
        const { result } = event
        change(event.iteration, ({ results, checks }) => ({
          results: result === undefined ? results : [...results, shortened(result)],
          checks: ended(checks, 'review', event.at, result === undefined ? null : isFine(result)),
        }))
        break
      }
      case 'landing.ended':
        change(event.iteration, ({ results }) => ({
          results: [...results, ...event.results.map((result) => ({ ...shortened(result), isAfterMerge: true as const }))],
        }))
        break
      case 'iteration.judged':
        change(event.iteration, ({ story }) => ({
          passed: event.passed,
          refused: event.refused,
          story: workedStory({ story, judged: event }),
        }))
        break
      case 'iteration.settled':
        change(event.iteration, ({ commits }) => ({
          commits: [...new Set([...commits, ...event.commits])],
          settledAt: event.at,
        }))
        break
    }
  }
  const value = (): Timeline => {
    const { iterations, breaker } = history.value()
    return { iterations, breaker, more }
  }
  return { add, value }
}

const isFine = ({ passed, soft, tolerated }: GateResult): boolean => passed || soft === true || tolerated === true
const begun = (kind: LaneCheck['kind'], start: Instant): LaneCheck => ({ kind, start, end: null, passed: null })

/** The oldest of its kind that still runs has ended. */
function ended(checks: LaneCheck[], kind: LaneCheck['kind'], end: Instant, passed: boolean | null): LaneCheck[] {
  const at = checks.findIndex((check) => check.kind === kind && check.end === null)
  return checks.map((check, index) => (index === at ? { ...check, end, passed } : check))
}

/** What the page always has: how many iterations there are, and how many belong to no story. */
export function outlineOf(timeline: Timeline): { iterations: number; others: number } {
  const others = timeline.iterations.filter((entry) => storyOf(timeline, entry) === null)
  return { iterations: timeline.iterations.length, others: others.length }
}

const storyOf = ({ more }: Timeline, { iteration, story }: IterationEntry): StoryId | null => more.get(iteration)?.story ?? story

/** Oldest first; null: those of no story. */
export const rowsOf = (timeline: Timeline, wanted: StoryId | null): TimelineRow[] =>
  timeline.iterations
    .filter((entry) => storyOf(timeline, entry) === wanted)
    .map(({ iteration, attempt, mode, verdict, startedAt, endedAt, because, ms, costUsd }) => ({
      iteration,
      story: wanted,
      attempt,
      mode,
      verdict,
      startedAt,
      endedAt,
      because: because || (timeline.more.get(iteration)?.summary.slice(0, mostWords) ?? ''),
      ms,
      costUsd,
    }))

export function entryOf(timeline: Timeline, wanted: number): TimelineEntry | null {
  const entry = timeline.iterations.find(({ iteration }) => iteration === wanted)
  if (entry === undefined) return null
  const { checks: _checks, settledAt: _settled, results, ...more } = timeline.more.get(wanted) ?? none
  return { ...more, ...entry, story: storyOf(timeline, entry), gates: results.map(gateRow) }
}

export const lanesOf = (timeline: Timeline): LaneBar[] =>
  timeline.iterations.map((entry) => {
    const { worker, checks, settledAt } = timeline.more.get(entry.iteration) ?? none
    const last = checks.findLast((check) => check.end !== null)?.end ?? entry.endedAt
    return {
      iteration: entry.iteration,
      story: storyOf(timeline, entry),
      lane: worker ?? 0,
      start: entry.startedAt,
      agentEnd: entry.endedAt,
      end: settledAt ?? (entry.verdict === null ? null : last),
      verdict: entry.verdict,
      checks,
    }
  })

export const wholeChecks = ({ more }: Timeline): WholeCheck[] => more.get('whole')?.checks ?? []

/** Counted backwards from what is open now: after each iteration that passed a story there was one less. */
export function burnOf({ iterations, more }: Timeline, openNow: number): { iteration: number[]; open: number[] } {
  const judged = iterations.filter(({ verdict }) => verdict !== null)
  let open = openNow
  const counts = judged.toReversed().map(({ iteration }) => {
    const after = open
    open += more.get(iteration)?.passed.length ?? 0
    return after
  })
  return { iteration: [0, ...judged.map(({ iteration }) => iteration)], open: [open, ...counts.reverse()] }
}

type Gated = Pick<GateResult, 'name' | 'kind' | 'passed' | 'soft' | 'tolerated' | 'durationMs' | 'census' | 'flaky'> & {
  output?: string
  isAfterMerge?: true
}

export function gateRow(gate: Gated): GateRow {
  const { name, kind, passed, soft, tolerated, durationMs: ms, census, flaky, output = '' } = gate
  const isAfterMerge = gate.isAfterMerge === true
  const isSoft = soft === true || tolerated === true
  const lines = passed || kind !== 'command' ? [] : keyLines(output)
  return { name, kind, passed, isSoft, isAfterMerge, ms, census: census ?? null, isFlaky: flaky !== undefined, lines, output }
}

/** Nobody reads the output of a passed gate here, except a reviewer's words; it is in the log. */
const shortened = (result: GateResult): GateResult => ({
  ...result,
  output: result.passed && result.kind !== 'review' ? '' : result.output.slice(-mostOutput),
})

const mostOutput = 8000
const mostWords = 200
const none: More = {
  story: null,
  agents: [],
  worker: null,
  shift: '',
  summary: '',
  findings: [],
  commits: [],
  files: [],
  passed: [],
  refused: [],
  results: [],
  checks: [],
  settledAt: null,
}
