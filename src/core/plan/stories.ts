/** Queries on the plan: what counts, what is open, what is done. */
import type { State } from '../state.ts'
import type { EventOf, Plan, Policy, Story, StoryId } from '../types.ts'

export const storyNamed = (plan: Plan | null, id: StoryId | null): Story | undefined =>
  plan === null || id === null ? undefined : byId(plan.stories).get(id)

/** Of the same list the same: in a plan of thousands each story asks for others. */
const indexes = new WeakMap<Story[], Map<StoryId, Story>>()

function byId(stories: Story[]): Map<StoryId, Story> {
  const known = indexes.get(stories)
  if (known !== undefined) return known
  const index = new Map<StoryId, Story>()
  for (const story of stories) if (!index.has(story.id)) index.set(story.id, story)
  indexes.set(stories, index)
  return index
}

/** Stories that must pass before the run is complete. */
export const countingStories = (plan: Plan, policy: Policy): Story[] =>
  plan.stories.filter((story) => (policy.only === undefined ? !story.skip : story.id === policy.only))

export const unpassedStories = (plan: Plan, policy: Policy): Story[] =>
  countingStories(plan, policy).filter((story) => !story.passes)

export function isAllPassed(plan: Plan | null, policy: Policy): boolean {
  return plan !== null && unpassedStories(plan, policy).length === 0
}

/** An open story with work in the repository itself, committed or not: it continues before any other starts. */
export function holderOf({ plan, policy, stories, repo, left, leftBy }: State): StoryId | null {
  if (plan === null || policy.pick === 'agent' || repo.head === null) return null
  const isHolding = ({ id, passes }: Story): boolean => {
    const known = stories[id]
    if (passes || known === undefined || known.isApart) return false
    return known.commits.length > 0 || (left.length > 0 && leftBy === id)
  }
  return plan.stories.find(isHolding)?.id ?? null
}

/** A skipped dependency counts as met. */
export function isUnblocked(plan: Plan, story: Story): boolean {
  return story.dependsOn.every((id) => {
    const dependency = storyNamed(plan, id)
    return dependency === undefined || dependency.passes || dependency.skip
  })
}

export const gatesAre = (names: string[]): string =>
  names.length === 1 ? `gate ${names[0]} is` : `gates ${names.join(', ')} are`

/** How an agent marks a story as done, by the plan's format. */
export function doneMark(file: string): string {
  if (file.endsWith('.md')) return 'tick its box in the plan (`[x]`)'
  return file.endsWith('.yaml')
    ? 'set its `status` to done (or its `passes` to true) in the plan'
    : 'set its `passes` to true in the plan'
}

/** Names in a sentence: prompts and summaries stay short, however long a plan is. */
export function listed(names: string[]): string {
  const shown = names.slice(0, 20)
  return names.length > shown.length ? `${shown.join(', ')} and ${names.length - shown.length} more` : shown.join(', ')
}

type Judged = Pick<EventOf<'iteration.judged'>, 'claim' | 'failedGates'>

/** Only the end is left after this iteration: its uncommitted files are part of the result. */
export const isWhole = ({ claim, failedGates }: Judged, { plan, policy }: State): boolean =>
  claim === 'accepted' || (failedGates.length === 0 && isAllPassed(plan, policy))
