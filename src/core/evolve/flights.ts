/** Iterations in flight: which one, and how far it is. */
import type { EndedFlight, Flight, JudgedFlight, State } from '../state.ts'
import type { Scope, StoryId } from '../types.ts'

export const flightOf = ({ flights }: Pick<State, 'flights'>, iteration: Scope): Flight | undefined =>
  flights.find((flight) => flight.iteration === iteration)

/** undefined: also while its agent is running. */
export function endedFlight(state: Pick<State, 'flights'>, iteration: Scope): EndedFlight | undefined {
  const flight = flightOf(state, iteration)
  return flight && hasEnded(flight) ? flight : undefined
}

/** undefined: also if it has no verdict yet. */
export function judgedFlight(state: Pick<State, 'flights'>, iteration: Scope): JudgedFlight | undefined {
  const flight = flightOf(state, iteration)
  return flight?.phase === 'judged' ? flight : undefined
}

/** The worktree that it works in; no story's id has a line break. */
export const placeOfFlight = ({ story, candidate }: { story: StoryId; candidate?: number | undefined }): string =>
  candidate === undefined ? story : `${story}\n${candidate}`

/** It checks what people marked done, not a story that they accepted: it works on no story. */
export const isClaimCheck = ({ mode, story }: Pick<Flight, 'mode' | 'story'>): boolean => mode === 'check' && story === null

/** Its agent has ended, and how is known. */
export const hasEnded = (flight: Flight): flight is EndedFlight => flight.phase !== 'working' && flight.phase !== 'returned'

/** Its work is landing or has landed, and the files do not show it yet. */
export const hasLanding = (flight: Flight): boolean =>
  flight.phase === 'landing' || (hasEnded(flight) && flight.landing !== undefined)
