/** Worktrees that are made while all workers are busy, so that a free worker need not wait for one. Without the user's set-up: what lands meanwhile may change what that does. */
import type { State } from '../../state.ts'
import type { Decision, StoryId } from '../../types.ts'
import { nextStory } from '../next-story.ts'
import { candidateDue } from './candidates.ts'
import { workerFor } from './parallel.ts'

/** Once no worker is free. One at a time, and no more than there are workers: a run that ends early has made few for nothing. */
export function worktreeAhead(state: State): Decision[] {
  const { flights, plan, policy, stories, used, worktrees } = state
  if (policy.workers === 1 || policy.pick === 'agent' || plan === null || worktrees.asked !== undefined) return []
  // Work that is being inspected needs the machine, and may decide what comes next; agents of a process that was killed do not work any more.
  if (flights.some(({ phase, startedAt }) => phase !== 'working' || startedAt < worktrees.from)) return []
  const made = Object.keys(worktrees.ready)
  if (made.length >= policy.workers || used + flights.length + made.length >= policy.maxIterations) return []
  const apart = Object.keys(stories).filter((id) => stories[id]?.isApart)
  const story = nextStory(state, plan, new Set([...flights.map((flight) => flight.story), ...made, ...apart]))
  if (story === null || workerFor(state, story.id) === null || candidateDue(state, story.id) !== null) return []
  return [{ kind: 'worktree.requested', story: story.id, because: `all workers are busy, and ${story.id} is next` }]
}

export function readyFor({ worktrees }: State, id: StoryId | null, candidate: number | undefined): { ready?: string } {
  const commit = id === null || candidate !== undefined ? null : (worktrees.ready[id] ?? null)
  return commit === null ? {} : { ready: commit }
}
