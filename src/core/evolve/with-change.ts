/** The state with one thing changed. */
import type { EndedFlight, Flight, State, StoryState } from '../state.ts'
import type { Scope, StoryId } from '../types.ts'
import { hasEnded } from './flights.ts'
import { noStory } from './initial.ts'

export function withFlight(state: State, iteration: Scope, change: (flight: Flight) => Flight): State {
  return { ...state, flights: state.flights.map((flight) => (flight.iteration === iteration ? change(flight) : flight)) }
}

export const withEnded = (state: State, iteration: Scope, change: (flight: EndedFlight) => Flight): State =>
  withFlight(state, iteration, (flight) => (hasEnded(flight) ? change(flight) : flight))

export const withStoryState = (state: State, id: StoryId, change: Partial<StoryState>): State => ({
  ...state,
  stories: { ...state.stories, [id]: { ...(state.stories[id] ?? noStory), ...change } },
})

export const withTold = (state: State, texts: string[]): State => ({
  ...state,
  tell: [...state.tell, ...texts.map((text) => ({ text, since: state.iteration }))].slice(-20),
})

/** What somebody must know about branches in this run. */
export const withBranchNote = (state: State, note: string): State => ({
  ...state,
  aboutBranch: [...state.aboutBranch, note].slice(-10),
})
