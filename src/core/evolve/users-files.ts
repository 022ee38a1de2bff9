/** Whose uncommitted files are: the user's, never committed by us, or left by an iteration and so a story's work. */
import type { State, StoryState, Uncommitted } from '../state.ts'
import type { Ended, EventOf, StoryId } from '../types.ts'
import { withFlight, withStoryState } from './changed.ts'
import { noStory } from './initial.ts'

/** Files named in an event: more than that is a heap, not a list. */
export const maxListed = 500
/** Of what an iteration leaves uncommitted, all must be known: what is not listed is taken for the user's. */
export const maxLeft = 5000

/**
 * Of what is dirty when a run starts, what an iteration left: its story's work still, also where the user has edited it since.
 * `committed`: files that somebody has committed since; what is dirty in them now is newer.
 */
export function leftAmong({ left }: Pick<State, 'left'>, dirty: string[], committed: string[]): string[] {
  const [gone, known] = [new Set(committed), new Set(left)]
  return dirty.filter((path) => !gone.has(path) && known.has(path))
}

/** After an iteration in the repository itself. What of the user's was committed or given up is not uncommitted any more. */
export function afterIteration(
  { users }: State,
  { uncommitted, taken = [], hidden = [] }: Ended,
  leftBy: StoryId | undefined,
): Pick<State, 'users' | 'left' | 'leftBy' | 'hidden'> {
  return {
    users: taken.length === 0 ? users : users.filter((path) => !taken.includes(path)),
    left: uncommitted,
    leftBy,
    hidden,
  }
}

/**
 * Of what is dirty when an agent is about to start, what no iteration has left: the user has made it since, in a pause, while gates or
 * reviewers looked, or after a kill. `uncommitted`: what Ralph never commits of what the last iteration left.
 */
export function foundAmong({ users, left }: Pick<State, 'users' | 'left'>, dirty: string[], uncommitted: string[]): string[] {
  const known = new Set([...users, ...left, ...uncommitted])
  return dirty.filter((path) => !known.has(path))
}

/** The story that begins now, or has begun before, does not own them: they are there again should it be put aside. */
export function usersFound(state: State, { iteration, files }: EventOf<'users.found'>): State {
  const withFiles = <T extends { begunWith?: Uncommitted }>(known: T): T =>
    known.begunWith === undefined
      ? known
      : { ...known, begunWith: { ...known.begunWith, users: union(known.begunWith.users, files) } }
  const next = withFlight({ ...state, users: union(state.users, files) }, iteration, withFiles)
  const story = state.flights.find((flight) => flight.iteration === iteration)?.story ?? null
  return story === null ? next : withStoryState(next, story, withFiles(state.stories[story] ?? noStory))
}

/** What is uncommitted when a story begins. What iterations left belongs to it, unless it is yet to be picked. */
export const beginningFor = (state: State, id: StoryId | null): Uncommitted =>
  id === null
    ? { users: state.users, left: state.left }
    : withOlder({ users: state.users, left: [] }, state.stories[id] ?? noStory)

/** A story that begins anew has older commits: what they took of the user's comes back with the rest, should it be put aside. */
export function withOlder(now: Uncommitted = { users: [], left: [] }, { commits, begunWith }: StoryState): Uncommitted {
  return commits.length === 0 ? now : { ...now, users: union(now.users, begunWith?.users ?? []) }
}

/** The repository is where the story began: so are the user's files, whatever the story did to them. */
export function afterPutAside({ users, stories }: State, id: StoryId): Pick<State, 'users' | 'left'> {
  const { begunWith = { users: [], left: [] } } = stories[id] ?? noStory
  return { users: union(users, begunWith.users), left: begunWith.left }
}

const union = (one: string[], other: string[]): string[] => [...new Set([...one, ...other])]

/** What is kept of a story whatever happens to its count: where its work lies, what it began with and what it has cost; null: nothing. */
export function keptOfStory(story: StoryState): Partial<StoryState> | null {
  const { receipt, isApart, isSaved, shelf, commits, begunWith, costUsd } = story
  const lies = receipt !== undefined || isApart || isSaved || shelf !== undefined || commits.length > 0
  if (!lies) return costUsd === 0 ? null : { costUsd }
  return {
    costUsd,
    isApart,
    isSaved,
    commits,
    ...(begunWith === undefined ? {} : { begunWith }),
    ...(shelf === undefined ? {} : { shelf }),
    ...(receipt === undefined ? {} : { receipt }),
  }
}
