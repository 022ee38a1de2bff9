/** The calls in a log: what each took, and for which role. Budgets and all views of cost use this. */

import { endedFlight } from '../evolve/flights.ts'
import { workedStory } from '../evolve/judged.ts'
import type { State } from '../state.ts'
import type { Event, Instant, Mode, Role, RunId, StoryId, Usage, Verdict } from '../types.ts'
import { unknownUsage } from './price.ts'

export type CallEntry = {
  run: RunId
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

type CallTook = { usage: Usage; durationMs: number; outputChars?: number }

/** The calls that end with this event. `before`: the state before it. */
export function callsIn(before: State, event: Event): CallEntry[] {
  const { run, at } = event
  const callOf = (role: Role, of: { mode: Mode; story: StoryId | null }, taken: CallTook): CallEntry => {
    const { inputTokens, outputTokens, costUsd } = taken.usage
    const { durationMs: ms, outputChars = 0 } = taken
    return { run, ...of, role, at, ms, inputTokens, outputTokens, costUsd, outputChars }
  }
  const learnerCall = (story: StoryId | null, taken: CallTook): CallEntry =>
    callOf('learner', { mode: 'implement', story }, taken)
  const reviewerCall = (story: StoryId | null, taken: CallTook): CallEntry => callOf('reviewer', { mode: 'review', story }, taken)
  switch (event.kind) {
    case 'skill.ended':
      // Retiring a skill takes no call; a skill whose answer was unusable still had one.
      return event.isRetired ? [] : [learnerCall(null, withoutChars(event))]
    case 'learning.ended':
      return [learnerCall(event.story, withoutChars(event))]
    case 'review.ended':
      return [reviewerCall(event.story, event)]
    case 'iteration.judged': {
      const flight = endedFlight(before, event.iteration)
      if (flight === undefined || flight.mode === 'check') return []
      const story = workedStory({ story: flight.story, judged: event })
      const call = callOf('implementer', { mode: flight.mode, story }, flight.ended)
      return [{ ...call, verdict: event.verdict }]
    }
    case 'run.resumed':
      // Calls that ran when Ralph was killed reported no usage. Iterations have their own end.
      return [
        ...reviewing(before).map((story) => reviewerCall(story, untold)),
        ...(isLearning(before) ? [learnerCall(null, untold)] : []),
      ]
    default:
      return []
  }
}

/** Started, but not ended. */
export const callsUnderWay = (state: State): number =>
  state.flights.filter(({ phase, mode }) => phase !== 'judged' && mode !== 'check').length +
  reviewing(state).length +
  (isLearning(state) ? 1 : 0)

/** What reviewers are at work on; null: the whole, or no story in particular. */
const reviewing = ({ flights, final }: State): (StoryId | null)[] => [
  ...flights.filter(({ phase }) => phase === 'reviewing').map(({ story }) => story),
  ...(final.isReviewing ? [null] : []),
]

const isLearning = ({ learning: { running } }: State): boolean => running === 'learning' || running === 'skill'

const withoutChars = ({ usage, durationMs }: CallTook): CallTook => ({ usage, durationMs })

const untold: CallTook = { usage: unknownUsage, durationMs: 0 }
