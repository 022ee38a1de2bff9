/** The calls of a log: what each took, and whose account it goes to. */
import type { Taken } from '../core/forecast.ts'
import type { State } from '../core/state.ts'
import { sumOf } from '../core/totals.ts'
import type { Event, Instant, Mode, Role, RunId, StoryId, Usage, Verdict } from '../core/types.ts'

export type CallEntry = {
  run: RunId
  iteration: number
  story: StoryId | null
  role: Role
  mode: Mode
  at: Instant
  ms: number
  inputTokens: number
  outputTokens: number
  costUsd: number | null
  outputChars: number
  /** Of an iteration. */
  verdict?: Verdict
}

/** The call that this event says the end of, with what it took. `before`: the state that the event comes to. */
export function callIn(before: State, event: Event): CallEntry | undefined {
  const { run, at } = event
  const callOf = (role: Role, mode: Mode, story: StoryId | null, iteration: number, taken: Took): CallEntry => {
    const { inputTokens, outputTokens, costUsd } = taken.usage
    const { durationMs: ms, outputChars = 0 } = taken
    return { run, iteration, story, role, mode, at, ms, inputTokens, outputTokens, costUsd, outputChars }
  }
  switch (event.kind) {
    case 'skill.ended':
      return event.agent === '' ? undefined : callOf('learner', 'implement', null, before.iteration, withoutChars(event))
    case 'learning.ended':
      return callOf('learner', 'implement', event.story, before.iteration, withoutChars(event))
    case 'review.ended':
      return callOf('reviewer', 'review', event.story, event.iteration, event)
    case 'iteration.judged': {
      const flight = flightOf(before, event.iteration)
      if (flight?.ended === undefined) return undefined
      return { ...callOf('implementer', flight.mode, flight.story, event.iteration, flight.ended), verdict: event.verdict }
    }
    default:
      return undefined
  }
}

/** Learning is the feature's affair: the story is done. */
export const isOfStory = (call: CallEntry): call is CallEntry & { story: StoryId } =>
  call.story !== null && call.role !== 'learner'

/** What a call adds to the account of its story. */
export function charge(entry: Taken & { tokens?: number }, { role, ms, inputTokens, outputTokens, costUsd }: CallEntry): void {
  if (role === 'implementer') entry.iterations += 1
  entry.ms += ms
  if (entry.tokens !== undefined) entry.tokens += inputTokens + outputTokens
  entry.costUsd = sumOf(entry.costUsd, costUsd)
}

type Took = { usage: Usage; durationMs: number; outputChars?: number }
const withoutChars = ({ usage, durationMs }: Took): Took => ({ usage, durationMs })

export const flightOf = ({ flights }: State, iteration: number) => flights.find((flight) => flight.iteration === iteration)
