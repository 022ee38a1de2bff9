/** When a story does not succeed: another way, a stronger model, and in the end its failure. */
import type { State, StoryState } from './state.ts'
import { sayDuration } from './time.ts'
import type { Decision, Instant, StoryId } from './types.ts'

/** Failed attempts with the same error after which another way is asked for, and how many times it is. */
const alikeAttempts = 3
export const maxShifts = 2

/** The story's last failure came as often as that: its next attempt must find another way. */
export function shiftFor(story: StoryState | undefined): string | null {
  if (story === undefined || story.shifts >= maxShifts) return null
  const times = timesAlike(story)
  return times >= alikeAttempts ? `${times} attempts failed with the same error` : null
}

function timesAlike({ refusals, errors, lastFailed }: StoryState): number {
  const last = refusals.at(-1)
  return last === undefined || !lastFailed ? 0 : (errors[last.hash] ?? 0)
}

/** A story whose attempts, ways or time are used up. */
export function exhaustedStory(state: State): Extract<Decision, { kind: 'story.failed' }> | null {
  for (const { id, story } of openStories(state)) {
    const why = whyExhausted(state, story)
    if (why === null) continue
    const last = story.refusals.at(-1)
    const because = `${why}${last === undefined ? '' : `; the last: ${last.because}`}`
    const branch = state.repo.head === null ? '' : failureBranch(id, state.at)
    return { kind: 'story.failed', story: id, hash: last?.hash ?? '', branch, because }
  }
  return null
}

/** It will be put aside as soon as nothing is in the way of that: it does not start again meanwhile. */
export function isExhausted(state: State, id: StoryId): boolean {
  const story = state.stories[id]
  return story !== undefined && whyExhausted(state, story) !== null
}

/** A story that has taken longer than most should, told once. */
export function slowStory(state: State): Extract<Decision, { kind: 'story.slow' }> | null {
  const { soft, hard } = state.policy.storyMs
  for (const { id, story } of openStories(state)) {
    if (soft === 0 || story.isSlow || story.spentMs < soft) continue
    const because = `${id} has taken ${sayDuration(story.spentMs)} of agents and gates; at ${sayDuration(hard)} it fails`
    return { kind: 'story.slow', story: id, because }
  }
  return null
}

function openStories({ plan, policy, stories, flights }: State): { id: StoryId; story: StoryState }[] {
  return (plan?.stories ?? []).flatMap(({ id, passes, failed, skip }) => {
    const story = stories[id]
    // An iteration without a story may be about any: its work is settled before a story's work is moved.
    // And nobody else writes to the files of the run meanwhile.
    const isBusy = flights.some((flight) => flight.story === id || flight.story === null || flight.landing !== 'none')
    const isOut = passes || failed !== undefined || (skip && id !== policy.only) || isBusy
    return story === undefined || isOut ? [] : [{ id, story }]
  })
}

function whyExhausted({ policy }: State, story: StoryState): string | null {
  const { maxAttempts, storyMs } = policy
  if (maxAttempts > 0 && story.failedAttempts >= maxAttempts)
    return maxAttempts === 1 ? 'its only attempt failed' : `${maxAttempts} failed attempts are used up`
  if (story.shifts >= maxShifts && story.refusals.at(-1)?.wasShift === true && timesAlike(story) >= alikeAttempts)
    return `the same error ${timesAlike(story)} times, also after it was told ${maxShifts} times to find another way`
  if (storyMs.hard > 0 && story.spentMs >= storyMs.hard)
    return `its time limit of ${sayDuration(storyMs.hard)} is used up (${sayDuration(story.spentMs)} of agents and gates)`
  return null
}

/** A legal branch name for any story id. */
function failureBranch(id: StoryId, at: Instant): string {
  const name =
    id
      .replace(/[^A-Za-z0-9_-]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 60) || 'story'
  return `wip/ralph-fail-${name}-${at.slice(0, 10).replaceAll('-', '')}-${at.slice(11, 19).replaceAll(':', '')}`
}
