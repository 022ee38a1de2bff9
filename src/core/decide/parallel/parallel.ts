/** Parallel stories: which may start together, each in its own worktree, and as which worker. */

import { holderOf, storyNamed } from '../../plan/stories.ts'
import type { Flight, State } from '../../state.ts'
import { overlap } from '../../text/paths-touched.ts'
import type { Ended, Story, StoryId } from '../../types.ts'
import { candidateDue, hasWorkToMove } from './candidates.ts'

/** After this many failed landings a story waits until nothing else is running. */
const maxBounced = 2

/** One more agent may run; reviewers count too. Spending is known only when an agent has ended: with a budget, that is awaited. */
export function hasFreeWorker({ flights, policy }: State): boolean {
  const isSpendingLimited = policy.budget.costUsd !== null || policy.budget.tokens !== null
  const isBusy = ({ phase }: Flight): boolean =>
    phase === 'reviewing' || phase === 'working' || (phase === 'returned' && isSpendingLimited)
  return flights.filter(isBusy).length < policy.workers
}

/** An agent's end that neither delays nor ends the run, so the next one may start first. */
export const concernsNobody = ({ exit, signals }: Pick<Ended, 'exit' | 'signals'>): boolean =>
  exit === 'ok' && signals.every(({ kind }) => kind === 'claimed-done')

/** Work that only waits for its gates or its landing occupies no worker, but must not pile up. */
export const hasRoom = ({ flights, policy: { workers } }: State): boolean =>
  flights.filter((flight) => !isCandidateWaiting(flight)).length < (workers === 1 ? 1 : 2 * workers)

/** For the other candidates of its story: it cannot pile up. */
const isCandidateWaiting = ({ candidate, phase }: Flight): boolean => candidate !== undefined && phase === 'waiting'

/** Its worker if it is in its own worktree; null: in the repository itself. */
export function workerFor(state: State, id: StoryId | null): number | null {
  if (id === null || !isApart(state, id)) return null
  const taken = state.flights.map(({ worker }) => worker)
  for (let worker = 1; ; worker++) if (!taken.includes(worker)) return worker
}

/** A story that was begun in the repository ends there, and one begun in a worktree ends in it, whatever the number of workers. */
function isApart(state: State, id: StoryId, holder = holderOf(state)): boolean {
  const { policy, stories, repo } = state
  const story = stories[id]
  const isBegunHere = story?.isSaved === true || holder === id
  const isCandidate = typeof candidateDue(state, id) === 'number' && !hasWorkToMove(state, id)
  return repo.head !== null && (story?.isApart === true || isCandidate || (policy.workers > 1 && !isBegunHere))
}

/** Whether nothing running is in its way. `holder`: of the state, for whoever asks about many stories. */
export function mayStartBeside(state: State, story: Story, holder: StoryId | null): boolean {
  // Other candidates of the story change the same files, and only one of them lands.
  const others = state.flights.filter((flight) => flight.story !== story.id)
  if (others.length === 0) return true
  if (hasWorkToMove(state, story.id)) return false
  const isAlone = ({ worker, story: other }: Flight): boolean => worker === undefined || hasBouncedOften(state, other)
  if (others.some(isAlone) || hasBouncedOften(state, story.id) || !isApart(state, story.id, holder)) return false
  const paths = touchedBy(state, story)
  return !others.some(({ story: other }) => overlap(paths, touchedBy(state, storyNamed(state.plan, other))))
}

const hasBouncedOften = ({ stories }: State, id: StoryId | null): boolean =>
  id !== null && (stories[id]?.bounced ?? 0) >= maxBounced

/** From the plan, and from its earlier attempts. */
const touchedBy = ({ stories }: State, story: Story | undefined): string[] =>
  story === undefined ? [] : [...(story.touches ?? []), ...(stories[story.id]?.files ?? [])]
