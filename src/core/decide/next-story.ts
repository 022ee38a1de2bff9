/** What comes next: the story of the next iteration, and those that will start once a worker is free. */

import { isParked } from '../plan/questions.ts'
import { countingStories, gatesAre, holderOf, isAllPassed, isUnblocked, storyNamed } from '../plan/stories.ts'
import type { State } from '../state.ts'
import type { Plan, Story, StoryId } from '../types.ts'
import { isExhausted } from './escalation.ts'
import { isRed } from './gates.ts'
import { candidateDue } from './parallel/candidates.ts'
import { mayStartBeside } from './parallel/parallel.ts'

/** The purpose of the next iteration; if every story passes and a gate fails, it has no story. */
export type Target = { story: Story | null; mode: 'implement' | 'fix'; because: string; candidate?: number }

export function nextTarget(state: State): Target | null {
  const { plan, policy } = state
  const inFlight = new Set(state.flights.map((flight) => flight.story))
  if (plan === null)
    return inFlight.size > 0 ? null : { story: null, mode: 'implement', because: 'no plan: the prompt says what to do' }
  if (isAllPassed(plan, policy)) {
    if (state.check.phase !== 'red' || inFlight.size > 0) return null
    const red = state.check.results.filter(isRed).map((result) => result.name)
    return { story: null, mode: 'fix', because: `every story passes, but ${gatesAre(red)} red` }
  }
  // The agent picks for itself: two at once would pick the same story.
  if (policy.pick === 'agent' && inFlight.size > 0) return null
  const story = nextStory(state, plan, inFlight)
  if (story === null) return null
  if (policy.pick === 'agent') return { story: null, mode: 'implement', because: 'the agent picks the story' }
  const candidate = candidateDue(state, story.id)
  if (typeof candidate === 'number')
    return { story, mode: 'implement', because: `candidate ${candidate} of ${story.id}, in a worktree of its own`, candidate }
  const isFix = state.stories[story.id]?.lastRefused === true
  return { story, mode: isFix ? 'fix' : 'implement', because: `priority ${story.priority}, ${dependencyWords(story)}` }
}

/** Without those that are taken. */
export function nextStory(state: State, plan: Plan, inFlight: Set<StoryId | null>): Story | null {
  const holding = holderOf(state)
  const holder = storyNamed(plan, holding)
  const isCounting = holder !== undefined && countingStories(plan, state.policy).includes(holder)
  if (isCounting && isReady(state, plan, holder, inFlight) && !isExhausted(state, holder.id))
    return mayStartBeside(state, holder, holding) ? holder : null
  let best: Story | null = null
  for (const story of countingStories(plan, state.policy)) {
    if (!isReady(state, plan, story, inFlight)) continue
    if (best !== null && story.priority >= best.priority) continue
    if (mayStartBeside(state, story, holding) && !isExhausted(state, story.id)) best = story
  }
  return best
}

const isReady = (state: State, plan: Plan, story: Story, inFlight: Set<StoryId | null>): boolean =>
  !story.passes && !story.failed && isFree(state, story.id, inFlight) && isUnblocked(plan, story) && !isParked(state, story.id)

/** Several candidates of one story may be in flight, but no two iterations on the same one. */
function isFree(state: State, id: StoryId, inFlight: Set<StoryId | null>): boolean {
  const candidate = candidateDue(state, id)
  return typeof candidate === 'number' || (candidate === null && !inFlight.has(id))
}

const dependencyWords = (story: Story): string =>
  story.dependsOn.length === 0 ? 'first open story' : `first open story whose dependencies (${story.dependsOn.join(', ')}) pass`
