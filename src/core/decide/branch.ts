/** Before a run is complete, git must confirm that the work of every passed story is on the run's branch. */

import { withSeen } from '../evolve/growing-set.ts'
import { noFinal } from '../evolve/initial.ts'
import { withTold } from '../evolve/with-change.ts'
import type { State } from '../state.ts'
import type { Decision, EventOf } from '../types.ts'
import { dirtKey, treeKey } from './verdict.ts'

type BranchAsked = Extract<Decision, { kind: 'branch.asked' }>

export const isAskingBranch = ({ home }: State): boolean => home?.phase === 'asked'

/** null: git has just answered, or there is no git. */
export const branchDue = ({ home }: State): BranchAsked | null =>
  home === undefined || home.phase === 'known'
    ? null
    : {
        kind: 'branch.asked',
        because: `before the run is complete: check that all work is on ${home.branch ?? 'the detached HEAD'}?`,
      }

export const withHome = (state: State, phase: 'due' | 'asked' | 'known'): State =>
  state.home === undefined ? state : { ...state, home: { ...state.home, phase } }

/** A story whose work is gone is reopened: its pass is no longer true. */
export function branchAnswered(state: State, { missing, repo }: EventOf<'branch.answered'>): State {
  const isChanged = repo.tree !== state.repo.tree // gates have seen what they left uncommitted
  const stories = { ...state.stories }
  for (const { story } of missing) if (stories[story]) stories[story] = { ...stories[story], receipt: undefined }
  const isMissing = (id: string): boolean => missing.some(({ story }) => story === id)
  const next: State = {
    ...withHome(state, 'known'),
    repo,
    seen: withSeen(state.seen, [treeKey(repo.tree), dirtKey(repo)]),
    stories,
    plan: state.plan && {
      ...state.plan,
      stories: state.plan.stories.map((story) => (isMissing(story.id) ? { ...story, passes: false } : story)),
    },
    // The gates saw other content.
    ...(isChanged ? { check: { phase: 'due' as const }, finals: [], final: noFinal } : {}),
  }
  return withTold(
    next,
    missing.map(({ story, because }) => `${story} is open again: ${because}`),
  )
}
