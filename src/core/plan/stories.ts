/** Questions to the plan: what counts, what is open, what comes next. */

import { isExhausted } from '../decide/escalation.ts'
import { isRed } from '../decide/gates.ts'
import { hasFreeWorker, mayStartBeside, workerFor } from '../decide/parallel.ts'
import type { State } from '../state.ts'
import type { EventOf, Plan, Policy, Story, StoryId } from '../types.ts'
import { isParked } from './questions.ts'

/** What the next iteration is for; a red gate with every story passing has no story of its own. */
export type Target = { story: Story | null; mode: 'implement' | 'fix'; because: string }

export const storyNamed = (plan: Plan | null, id: StoryId | null): Story | undefined =>
  plan?.stories.find((story) => story.id === id)

/** Stories that must pass before the run is complete. */
export const countingStories = (plan: Plan, policy: Policy): Story[] =>
  plan.stories.filter((story) => (policy.only === undefined ? !story.skip : story.id === policy.only))

export const unpassedStories = (plan: Plan, policy: Policy): Story[] =>
  countingStories(plan, policy).filter((story) => !story.passes)

export function isAllPassed(plan: Plan | null, policy: Policy): boolean {
  return plan !== null && unpassedStories(plan, policy).length === 0
}

export function nextTarget(state: State): Target | null {
  const { plan, policy } = state
  const inFlight = new Set(state.flights.map((flight) => flight.story))
  if (plan === null)
    return inFlight.size > 0 ? null : { story: null, mode: 'implement', because: 'there is no plan: the prompt says what to do' }
  if (isAllPassed(plan, policy)) {
    if (state.check.phase !== 'red' || inFlight.size > 0) return null
    const red = state.check.results.filter(isRed).map((result) => result.name)
    return { story: null, mode: 'fix', because: `every story passes, but ${gatesAre(red)} red` }
  }
  // The agent picks for itself: two of them at once would pick the same one.
  if (policy.pick === 'agent' && inFlight.size > 0) return null
  const story = nextStory(state, plan, inFlight)
  if (story === null) return null
  if (policy.pick === 'agent') return { story: null, mode: 'implement', because: 'the agent picks the story' }
  const isFix = state.stories[story.id]?.lastRefused === true
  return { story, mode: isFix ? 'fix' : 'implement', because: `priority ${story.priority}, ${dependencyWords(story)}` }
}

/** An open story whose work lies in the repository itself, committed or not: it goes on before any other begins. */
export function holderOf({ plan, policy, stories, repo, left, leftBy }: State): StoryId | null {
  if (plan === null || policy.pick === 'agent' || repo.head === null) return null
  const isHolding = ({ id, passes }: Story): boolean => {
    const known = stories[id]
    if (passes || known === undefined || known.isApart) return false
    return known.commits.length > 0 || (left.length > 0 && leftBy === id)
  }
  return plan.stories.find(isHolding)?.id ?? null
}

function nextStory(state: State, plan: Plan, inFlight: Set<StoryId | null>): Story | null {
  const holder = storyNamed(plan, holderOf(state))
  const isCounting = holder !== undefined && countingStories(plan, state.policy).includes(holder)
  if (isCounting && isReady(state, plan, holder, inFlight) && !isExhausted(state, holder.id))
    return mayStartBeside(state, holder) ? holder : null
  let best: Story | null = null
  for (const story of countingStories(plan, state.policy)) {
    if (!isReady(state, plan, story, inFlight)) continue
    if (best !== null && story.priority >= best.priority) continue
    if (mayStartBeside(state, story) && !isExhausted(state, story.id)) best = story
  }
  return best
}

const isReady = (state: State, plan: Plan, story: Story, inFlight: Set<StoryId | null>): boolean =>
  !story.passes && !story.failed && !inFlight.has(story.id) && isUnblocked(plan, story) && !isParked(state, story.id)

/** Once every worker is busy: the stories that will begin in worktrees of their own when they are free, the next ones first. */
export function comingApart(state: State): StoryId[] {
  const { plan, policy, flights, stop, pause, used } = state
  if (plan === null || policy.pick === 'agent' || hasFreeWorker(state) || stop !== undefined || pause !== 'none') return []
  const inFlight = new Set(flights.map((flight) => flight.story))
  const isBegun = ({ id }: Story): boolean => state.stories[id]?.isApart === true || workerFor(state, id) === null
  const most = Math.min(policy.workers, policy.maxIterations - used - flights.length)
  return countingStories(plan, policy)
    .filter((story) => isReady(state, plan, story, inFlight) && !isBegun(story))
    .toSorted((one, other) => one.priority - other.priority)
    .slice(0, Math.max(0, most))
    .map(({ id }) => id)
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

/** How an agent says in the plan that a story is done, by the plan's format. */
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

const dependencyWords = (story: Story): string =>
  story.dependsOn.length === 0 ? 'first open story' : `first open story whose dependencies (${story.dependsOn.join(', ')}) pass`

type Judged = Pick<EventOf<'iteration.judged'>, 'claim' | 'failedGates'>

/** Nothing but the end is left after this iteration: what it left uncommitted is part of the whole. */
export const isWhole = ({ claim, failedGates }: Judged, { plan, policy }: State): boolean =>
  claim === 'accepted' || (failedGates.length === 0 && isAllPassed(plan, policy))
