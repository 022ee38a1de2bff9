/** What happened, iteration by iteration and gate by gate, for the report's charts and tables. A fold of the log. */
import type {
  BreakerState,
  Census,
  Event,
  EventOf,
  GateResult,
  Instant,
  Mode,
  Progress,
  RunId,
  StoryId,
  Verdict,
} from '../../core/types.ts'
import { countedTests } from '../proof.ts'
import { type ReadingShown, shownReading } from '../reading.ts'

export type IterationEntry = {
  iteration: number
  run: RunId
  story: StoryId | null
  attempt: number
  mode: Mode
  startedAt: Instant
  /** null: it has not ended yet. */
  endedAt: Instant | null
  verdict: Verdict | null
  progress: Progress | null
  because: string
  ms: number
  inputTokens: number
  outputTokens: number
  costUsd: number | null
  outputChars: number
  failedGates: string[]
  /** The tests that its gates ran, by gate; null: none could be counted. */
  tests: Record<string, Census> | null
  /** How its answer was read; null: it has not ended yet. */
  reading: ReadingShown | null
}
export type GateEntry = {
  name: string
  command: string
  times: number
  passed: number
  failed: number
  ms: number
  lastAt: Instant
  /** The tests that it ran last; null: they could not be counted. */
  census: Census | null
}
export type BreakerChange = { at: Instant; from: BreakerState; to: BreakerState; because: string }
export type History = { iterations: IterationEntry[]; gates: GateEntry[]; breaker: BreakerChange[] }

export function historyOf(events: Iterable<Event>): History {
  const fold = historyFold()
  for (const event of events) fold.add(event)
  return fold.value()
}

/** The same, event by event, for a growing log. */
export function historyFold(): { add(event: Event): void; value(): History } {
  const iterations = new Map<number, IterationEntry>()
  const gates = new Map<string, GateEntry>()
  const breaker: BreakerChange[] = []
  const add = (event: Event): void => {
    switch (event.kind) {
      case 'iteration.started':
        iterations.set(event.iteration, begun(event))
        break
      case 'iteration.ended': {
        const { durationMs: ms, outputChars, usage } = event
        const { inputTokens, outputTokens, costUsd } = usage
        const known = {
          endedAt: event.at,
          ms,
          inputTokens,
          outputTokens,
          costUsd,
          outputChars,
          reading: shownReading(event.reading),
        }
        Object.assign(iterations.get(event.iteration) ?? {}, known)
        break
      }
      case 'iteration.judged': {
        const { verdict, progress, because, failedGates } = event
        Object.assign(iterations.get(event.iteration) ?? {}, { verdict, progress, because, failedGates })
        break
      }
      case 'gates.ended':
        for (const result of event.results) count(gates, result, event.at)
        if (event.iteration !== 'whole')
          Object.assign(iterations.get(event.iteration) ?? {}, { tests: countedTests(event.results) })
        break
      case 'review.ended':
        if (event.result !== undefined) count(gates, event.result, event.at)
        break
      case 'breaker.changed':
        breaker.push({ at: event.at, from: event.from, to: event.to, because: event.because })
        break
      case 'breaker.reset':
        breaker.push({ at: event.at, from: breaker.at(-1)?.to ?? 'closed', to: 'closed', because: 'reset by hand' })
        break
    }
  }
  const value = (): History => ({ iterations: [...iterations.values()], gates: [...gates.values()], breaker })
  return { add, value }
}

const begun = ({ iteration, run, story, attempt, mode, at }: EventOf<'iteration.started'>): IterationEntry => ({
  iteration,
  run,
  story,
  attempt,
  mode,
  startedAt: at,
  endedAt: null,
  verdict: null,
  progress: null,
  because: '',
  ms: 0,
  inputTokens: 0,
  outputTokens: 0,
  costUsd: null,
  outputChars: 0,
  failedGates: [],
  tests: null,
  reading: null,
})

/** Two gates may have the same name: one of the project, one of a story. */
function count(gates: Map<string, GateEntry>, result: GateResult, lastAt: Instant): void {
  const { name, command, passed, durationMs, census = null } = result
  const key = JSON.stringify([name, command])
  const known = gates.get(key) ?? { name, command, times: 0, passed: 0, failed: 0, ms: 0, lastAt, census }
  const more = passed ? { passed: known.passed + 1 } : { failed: known.failed + 1 }
  gates.set(key, { ...known, times: known.times + 1, ...more, ms: known.ms + durationMs, lastAt, census })
}
