/** Who owns uncommitted files: the user, whose files Ralph never commits, or an iteration, whose files are a story's work. */
import type { State, StoryState, Uncommitted } from '../state.ts'
import type { Ended, EventOf, StoryId } from '../types.ts'
import { noStory } from './initial.ts'
import { withFlight, withStoryState } from './with-change.ts'

/** At most this many files are named in an event. */
export const maxListed = 500
/** All uncommitted files of an iteration must be known: an unlisted one counts as the user's. */
export const maxLeft = 5000

/**
 * Of the dirty files at the start of a run, those that an iteration left: still its story's work, even if the user has edited them since.
 * `committed`: files that somebody has committed since; changes in them are newer.
 */
export function leftAmong({ left }: Pick<State, 'left'>, dirty: string[], committed: string[]): string[] {
  const [gone, known] = [new Set(committed), new Set(left)]
  return dirty.filter((path) => !gone.has(path) && known.has(path))
}

/** After an iteration in the repository itself. The user's files that were committed or given up are no longer uncommitted. */
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
 * Of the dirty files before an agent starts, those that no iteration left: the user made them in a pause, while gates or reviewers ran, or
 * after a kill. `uncommitted`: leftovers of the last iteration that Ralph never commits.
 */
export function foundAmong({ users, left }: Pick<State, 'users' | 'left'>, dirty: string[], uncommitted: string[]): string[] {
  const known = new Set([...users, ...left, ...uncommitted])
  return dirty.filter((path) => !known.has(path))
}

/** They do not belong to the story that starts now or started before: they are restored if it is put aside. */
export function usersFound(state: State, { iteration, files }: EventOf<'users.found'>): State {
  const withFiles = <T extends { begunWith?: Uncommitted }>(known: T): T =>
    known.begunWith === undefined
      ? known
      : { ...known, begunWith: { ...known.begunWith, users: union(known.begunWith.users, files) } }
  const next = withFlight({ ...state, users: union(state.users, files) }, iteration, withFiles)
  const story = state.flights.find((flight) => flight.iteration === iteration)?.story ?? null
  return story === null ? next : withStoryState(next, story, withFiles(state.stories[story] ?? noStory))
}

/** What is uncommitted when a story starts. Leftovers of iterations belong to it, unless it is yet to be picked. */
export const beginningFor = (state: State, id: StoryId | null): Uncommitted =>
  id === null
    ? { users: state.users, left: state.left }
    : withOlder({ users: state.users, left: [] }, state.stories[id] ?? noStory)

/** A story that starts again has older commits: the user's files in them are restored too if it is put aside. */
export function withOlder(now: Uncommitted = { users: [], left: [] }, { commits, begunWith }: StoryState): Uncommitted {
  return commits.length === 0 ? now : { ...now, users: union(now.users, begunWith?.users ?? []) }
}

/** The repository is at the story's start: so are the user's files, whatever the story did to them. */
export function afterPutAside({ users, stories }: State, id: StoryId): Pick<State, 'users' | 'left'> {
  const { begunWith = { users: [], left: [] } } = stories[id] ?? noStory
  return { users: union(users, begunWith.users), left: begunWith.left }
}

const union = (one: string[], other: string[]): string[] => [...new Set([...one, ...other])]

/** What is kept of a story when its counts are reset: where its work is, its start state, its cost and what a person dismissed; null: nothing. */
export function keptOfStory(story: StoryState): Partial<StoryState> | null {
  const { receipt, isApart, candidates, losers, isSaved, shelf, commits, begun, begunWith, costUsd } = story
  const lies = receipt !== undefined || isApart || isSaved || shelf !== undefined || commits.length > 0
  const dismissed = story.dismissed === undefined ? {} : { dismissed: story.dismissed }
  if (!lies) return costUsd === 0 && story.dismissed === undefined ? null : { costUsd, ...dismissed }
  return {
    costUsd,
    ...dismissed,
    isApart,
    ...(candidates === undefined ? {} : { candidates }),
    ...(losers === undefined ? {} : { losers }),
    isSaved,
    commits,
    ...(begun === undefined ? {} : { begun }),
    ...(begunWith === undefined ? {} : { begunWith }),
    ...(shelf === undefined ? {} : { shelf }),
    ...(receipt === undefined ? {} : { receipt }),
  }
}
