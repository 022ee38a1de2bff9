/** Stories worked on at once: which may start beside which, each in a worktree of its own, and as which worker. */
import { holderOf, storyNamed } from '../plan/stories.ts'
import type { Flight, State } from '../state.ts'
import { overlap } from '../text/paths-touched.ts'
import type { Ended, Story, StoryId } from '../types.ts'

/** Landings that failed after which a story waits until nothing else is worked on. */
const maxBounced = 2

/** One more agent may be at work: a reviewer is one, too. What one has spent is known with its end: where that counts, it is waited for. */
export function hasFreeWorker({ flights, policy }: State): boolean {
  const isSpendingLimited = policy.budget.costUsd !== null || policy.budget.tokens !== null
  const isBusy = ({ phase }: Flight): boolean =>
    phase === 'reviewing' || phase === 'working' || (phase === 'returned' && isSpendingLimited)
  return flights.filter(isBusy).length < policy.workers
}

/** An agent's end: nothing in it that the run may have to wait or end for, before the next one starts. */
export const concernsNobody = ({ exit, signals }: Pick<Ended, 'exit' | 'signals'>): boolean =>
  exit === 'ok' && signals.every(({ kind }) => kind === 'claimed-done')

/** Work that only waits for its gates or its landing keeps no worker busy, but does not pile up either. */
export const hasRoom = ({ flights, policy: { workers } }: State): boolean => flights.length < (workers === 1 ? 1 : 2 * workers)

/** Its worker where it is worked on in a worktree of its own; null: in the repository itself. */
export function workerFor(state: State, id: StoryId | null): number | null {
  if (id === null || !isApart(state, id)) return null
  const taken = state.flights.map(({ worker }) => worker)
  for (let worker = 1; ; worker++) if (!taken.includes(worker)) return worker
}

/** A story that was begun in the repository itself ends there, and one that was begun apart ends apart, however many workers there are. */
function isApart(state: State, id: StoryId): boolean {
  const { policy, stories, repo } = state
  const story = stories[id]
  const isBegunHere = story?.isSaved === true || holderOf(state) === id
  return repo.head !== null && (story?.isApart === true || (policy.workers > 1 && !isBegunHere))
}

/** Whether nothing that is worked on stands in its way. */
export function mayStartBeside(state: State, story: Story): boolean {
  if (state.flights.length === 0) return true
  const isAlone = ({ worker, story: other }: Flight): boolean => worker === undefined || hasBouncedOften(state, other)
  if (!isApart(state, story.id) || hasBouncedOften(state, story.id) || state.flights.some(isAlone)) return false
  const paths = touchedBy(state, story)
  return !state.flights.some(({ story: other }) => overlap(paths, touchedBy(state, storyNamed(state.plan, other))))
}

const hasBouncedOften = ({ stories }: State, id: StoryId | null): boolean =>
  id !== null && (stories[id]?.bounced ?? 0) >= maxBounced

/** As the plan says, and as its earlier attempts did. */
const touchedBy = ({ stories }: State, story: Story | undefined): string[] =>
  story === undefined ? [] : [...(story.touches ?? []), ...(stories[story.id]?.files ?? [])]
