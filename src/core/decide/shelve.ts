/** A story that must wait while its work lies in the repository: that goes onto a branch first, so that no other story is judged with it. */
import { holderOf, storyNamed } from '../plan/stories.ts'
import type { State } from '../state.ts'
import type { Decision } from '../types.ts'
import { branchName } from './escalation.ts'
import { nextTarget } from './next-story.ts'

/** `isStarting`: another story is about to begin. Else only one that is out of the count has to go. */
export function shelvedStory(state: State, isStarting: boolean): Decision | null {
  const story = storyNamed(state.plan, holderOf(state))
  if (story === undefined || state.flights.length > 0 || state.stop !== undefined || state.unmoved !== undefined) return null
  const { id: holder, failed, skip } = story
  const isOut = failed !== undefined || (skip && holder !== state.policy.only)
  const target = nextTarget(state)
  if (target?.story?.id === holder || (!isOut && (!isStarting || target === null))) return null
  const why = isOut ? 'is out of the count' : 'has to wait'
  return {
    kind: 'story.shelved',
    story: holder,
    branch: branchName('wait', holder, state.at),
    because: `${holder} ${why}: its work so far goes onto a branch, and no other story is judged with it`,
  }
}
