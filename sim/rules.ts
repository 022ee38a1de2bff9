/** The contract's small rules, written a second time, so that the core is not measured by itself. */
import type { State } from '../src/core/state.ts'
import type { Event, Plan, StoryId, Verdict } from '../src/core/types.ts'

export const isCounted = (verdict: Verdict): boolean => !['lost', 'throttled', 'interrupted'].includes(verdict)

export const isOurs = (event: Event): boolean => 'because' in event

/** Dependencies met, open, and no other of a lower number, or of the same number and earlier in the file. */
export function isNext(plan: Plan, state: State, id: StoryId): boolean {
  const busy = new Set(state.flights.map((flight) => flight.story))
  const met = (need: StoryId): boolean => plan.stories.some((story) => story.id === need && (story.passes || story.skip))
  const ready = plan.stories
    .filter((story) => (state.policy.only === undefined ? !story.skip : story.id === state.policy.only))
    .filter((story) => !story.passes && !story.failed && !busy.has(story.id) && story.dependsOn.every(met))
    .filter((story) => !state.questions.some((question) => question.story === story.id && question.text === undefined))
  const lowest = Math.min(...ready.map((story) => story.priority))
  return ready.find((story) => story.priority === lowest)?.id === id
}
