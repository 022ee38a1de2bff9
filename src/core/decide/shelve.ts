/** A story that must wait while its work is in the repository: the work moves to a branch first, so that no other story is checked with it. */
import { holderOf, storyNamed } from '../plan/stories.ts'
import type { State } from '../state.ts'
import type { Decision } from '../types.ts'
import { branchName } from './escalation.ts'
import { nextTarget } from './next-story.ts'

/** `isStarting`: another story is about to start. Otherwise only a skipped one must move. */
export function shelvedStory(state: State, isStarting: boolean): Decision | null {
  const story = storyNamed(state.plan, holderOf(state))
  if (story === undefined || state.flights.length > 0 || state.stop !== undefined || state.unmoved !== undefined) return null
  const { id: holder, failed, skip } = story
  const isOut = failed !== undefined || (skip && holder !== state.policy.only)
  const target = nextTarget(state)
  if (target?.story?.id === holder || (!isOut && (!isStarting || target === null))) return null
  const why = isOut ? 'is skipped' : 'has to wait'
  return {
    kind: 'story.shelved',
    story: holder,
    branch: branchName('wait', holder, state.at),
    because: `${holder} ${why}: its work so far moves to a branch, so that no other story is checked with it`,
  }
}
