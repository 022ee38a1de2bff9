/** `best_of`: several attempts on one story, each in its own worktree, are its candidates. How many there are, who makes them, and which is next. */

import { alikeAttempts, failedAfter, timesAlike } from '../../evolve/alike.ts'
import { hasLanding } from '../../evolve/flights.ts'
import { noStory } from '../../evolve/initial.ts'
import { isParked } from '../../plan/questions.ts'
import { holderOf, storyNamed } from '../../plan/stories.ts'
import type { Flight, State, StoryState } from '../../state.ts'
import type { Rival } from '../../types/policy.ts'
import type { StoryId } from '../../types.ts'
import { budgetsOf } from '../budget.ts'

/** How many candidates the next attempt on a story has; 1: it is an ordinary one. They need a branch to start from, and a story that is named. */
function candidatesWanted({ plan, policy, stories, repo }: State, id: StoryId): number {
  if (policy.pick === 'agent' || repo.head === null) return 1
  return storyNamed(plan, id)?.bestOf ?? (isLastAttempt(stories[id] ?? noStory, policy.maxAttempts) ? (policy.bestOf ?? 1) : 1)
}

/** Another failure like the last one, or any at all, and the story has failed. */
function isLastAttempt(story: StoryState, maxAttempts: number): boolean {
  if (maxAttempts === 0) return false
  const last = story.refusals.at(-1)
  const alike = last === undefined ? 1 : timesAlike(story, last.hash) + 1
  return failedAfter(story, alike >= alikeAttempts ? alike : 0, maxAttempts) >= maxAttempts
}

/** Which candidate an iteration on the story would be for now; null: an ordinary attempt. 'none': every candidate has had its turn. */
export function candidateDue(state: State, id: StoryId): number | null | 'none' {
  const known = state.stories[id]?.candidates
  const isAlone = state.flights.some(({ story, candidate }) => story === id && candidate === undefined)
  if (known === undefined || isAlone) return !isAlone && candidatesWanted(state, id) > 1 ? 1 : null
  const own = candidatesInFlight(state, id)
  if (own.some(hasLanding)) return 'none'
  const open = known.findIndex(({ isOut }, at) => !isOut && !own.some(({ candidate }) => candidate === at + 1))
  if (open >= 0) return open + 1
  const wanted = candidatesWanted(state, id)
  if (known.length < wanted && isAffordable(state, known)) return known.length + 1
  if (own.length > 0) return 'none'
  return wanted > 1 ? 1 : null // all of them failed, and the story has attempts left
}

/** Its candidates are not finished: attempts that failed say nothing about the others. */
export function hasCandidatesLeft(state: State, id: StoryId): boolean {
  const known = state.stories[id]?.candidates
  if (known === undefined) return false
  return known.some(({ isOut }) => !isOut) || (known.length < candidatesWanted(state, id) && isAffordable(state, known))
}

/** What the dearest of them took fits into what is left of every budget. */
function isAffordable(state: State, known: NonNullable<StoryState['candidates']>): boolean {
  return budgetsOf(state).every(({ which, used, limit }) => {
    const unit = which === 'tokens' ? 'tokens' : which === 'time' ? 'ms' : 'usd'
    return used + Math.max(...known.map((candidate) => candidate[unit])) <= limit
  })
}

export const candidatesInFlight = ({ flights }: State, id: StoryId): Flight[] =>
  flights.filter(({ story, candidate }) => story === id && candidate !== undefined)

/** The listed agents and models in turn, beginning with the story's own. */
export function rivalFor({ policy }: State, named: string, candidate: number): Rival {
  const own = { agent: named }
  const others = (policy.rivals ?? []).filter(({ agent, model }) => agent !== named || model !== undefined)
  return [own, ...others][(candidate - 1) % (others.length + 1)] ?? own
}

/** Before its first candidate: it has work in the repository, or in a worktree from ordinary attempts, that must move to a branch. */
export function hasWorkToMove(state: State, id: StoryId): boolean {
  const known = state.stories[id]
  return known?.candidates === undefined && candidateDue(state, id) === 1 && (known?.isApart === true || holderOf(state) === id)
}

/** Another candidate is due, and nothing about the story itself keeps it from starting. */
export function mayAddCandidate(state: State, id: StoryId): boolean {
  const { plan, policy } = state
  const story = storyNamed(plan, id)
  if (typeof candidateDue(state, id) !== 'number') return false
  if (story === undefined || story.passes || story.failed || (story.skip && policy.only !== id)) return false
  return !isParked(state, id)
}

/** For the prompt of a candidate that begins: what it is told of earlier attempts is not in its worktree. null: there were none. */
export function earlierWork({ stories }: State, story: StoryId | null, candidate: number | undefined): string | null {
  const { candidates = [], losers = [] } = (story === null ? undefined : stories[story]) ?? noStory
  const isNew = candidate !== undefined && candidates[candidate - 1]?.ms === 0
  if (!isNew || losers.length === 0) return null
  const branches = losers.slice(-3).map(({ branch }) => branch)
  return `You start from the branch as it was before ${story}: nothing of earlier attempts is here. Their work is on ${branches.join(', ')}; look at it only if that helps.`
}
