/** A story that must wait while its work is in the repository: the work moves to a branch first, so that no other story is checked with it. */

import { holderOf, storyNamed } from '../plan/stories.ts'
import type { State } from '../state.ts'
import type { Decision } from '../types.ts'
import { branchName } from './escalation.ts'
import { nextTarget } from './next-story.ts'
import { hasWorkToMove } from './parallel/candidates.ts'

/** `isStarting`: another story is about to start. Otherwise only a skipped one must move. */
export function shelvedStory(state: State, isStarting: boolean): Decision | null {
  if (state.flights.length > 0 || state.stop !== undefined || state.unmoved !== undefined) return null
  const target = nextTarget(state)
  const next = target?.story?.id
  if (isStarting && next !== undefined && hasWorkToMove(state, next))
    return {
      kind: 'story.shelved',
      story: next,
      branch: branchName('fail', next, state.at),
      because: `${next} gets several attempts, each in its own worktree: its work so far moves to a branch`,
    }
  const story = storyNamed(state.plan, holderOf(state))
  if (story === undefined) return null
  const { id: holder, failed, skip } = story
  const isOut = failed !== undefined || (skip && holder !== state.policy.only)
  if (target?.story?.id === holder || (!isOut && (!isStarting || target === null))) return null
  const why = isOut ? 'is skipped' : 'has to wait'
  return {
    kind: 'story.shelved',
    story: holder,
    branch: branchName('wait', holder, state.at),
    because: `${holder} ${why}: its work so far moves to a branch, so that no other story is checked with it`,
  }
}
