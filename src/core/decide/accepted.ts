/** A story whose suspicions a person has accepted: it passes once its gates and reviewers agree, without another call of an agent. */
import type { State } from '../state.ts'
import type { Decision, StoryId } from '../types.ts'
import { nextTarget } from './next-story.ts'
import { workerFor } from './parallel/parallel.ts'
import { shelvedStory } from './shelve.ts'

/** It has not been checked since: no agent works on it before. */
export const isCheckDue = ({ stories }: Pick<State, 'stories'>, id: StoryId): boolean => stories[id]?.accepted?.isDue === true

/** When it is its turn, and nothing else is in flight. */
export function acceptedCheck(state: State, saved: (id: StoryId) => { saves?: true }): Decision | null {
  const target = nextTarget(state)
  if (target === null || state.flights.length > 0 || state.call.phase === 'requested') return null
  const id = state.policy.pick === 'agent' ? anyDue(state) : target.story?.id
  if (id === undefined || !isCheckDue(state, id)) return null
  const { attempts = 0, shifts = 0, isApart = false } = state.stories[id] ?? {}
  // A story that an agent picked was done in the repository itself.
  const worker = state.policy.pick === 'ralph' || isApart ? workerFor(state, id) : null
  return (
    shelvedStory(state, true) ?? {
      kind: 'iteration.started',
      iteration: state.iteration + 1,
      call: state.call.last,
      story: id,
      attempt: attempts + 1,
      mode: 'check',
      code: '',
      shift: '',
      shifts,
      ...(worker === null ? saved(id) : { worker }),
      ...(target?.candidate === undefined ? {} : { candidate: target.candidate }),
      because: `a person accepted ${id} as it is: check before it counts`,
    }
  )
}

const anyDue = (state: State): StoryId | undefined =>
  state.plan?.stories.find(({ id, passes, skip, failed }) => !passes && !skip && failed === undefined && isCheckDue(state, id))
    ?.id
