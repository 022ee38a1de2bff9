/** When a story does not succeed: another approach, a stronger model, and in the end its failure. */
import { hasLanding } from '../evolve/flights.ts'
import type { Refusal, State, StoryState } from '../state.ts'
import { sayDuration } from '../text/time.ts'
import type { Decision, GateResult, Instant, StoryId } from '../types.ts'
import { unreadable } from './gates.ts'

/** How many failures with the same error cause a strategy shift, and how many shifts there are. */
export const alikeAttempts = 3
export const maxShifts = 2

/** The story's last failure occurred that often: its next attempt must try another approach. */
export function shiftFor(story: StoryState | undefined): string | null {
  if (story === undefined || story.shifts >= maxShifts) return null
  const [times, last] = [lastTimes(story), story.refusals.at(-1)]
  return times >= alikeAttempts && last !== undefined ? `${times} attempts ${failedHow(last)}` : null
}

/** For whoever watches. */
export const shiftWords = ({ shift }: { shift: string }): string => `strategy shift: ${shift}`

const failedHow = ({ cut, gates }: Refusal): string =>
  cut === undefined || gates.length > 0
    ? 'failed with the same error'
    : cut === 'timeout'
      ? 'timed out'
      : 'went in the same circles'

/** How often this error occurred on the story, with or without a flip. */
export const timesAlike = ({ errors, reds }: Pick<StoryState, 'errors' | 'reds'>, hash: string): number =>
  (errors[hash] ?? 0) + (reds[hash] ?? 0)

function lastTimes(story: StoryState): number {
  const last = story.refusals.at(-1)
  return last === undefined || !story.lastFailed ? 0 : timesAlike(story, last.hash)
}

/** Gate failures without a flip that now count as failed attempts: as many as occurred, as if each had been a flip. */
export function failedAfter({ failedAttempts }: StoryState, alike: number, maxAttempts: number): number {
  return Math.max(failedAttempts + 1, maxAttempts > 0 ? Math.min(alike, maxAttempts) : alike)
}

/** A story whose attempts, shifts or time are used up. */
export function exhaustedStory(state: State): Extract<Decision, { kind: 'story.failed' }> | null {
  for (const { id, story } of openStories(state)) {
    const why = whyExhausted(state, story)
    if (why === null) continue
    const last = story.refusals.at(-1)
    const because = `${why.words}${last === undefined ? '' : `; last failure: ${last.because}`}`
    const branch = state.repo.head === null ? '' : branchName('fail', id, state.at)
    const hash = why.isTime || last === undefined ? '' : commonError(last)
    return { kind: 'story.failed', story: id, hash, branch, because }
  }
  return null
}

/**
 * An error by which two stories can fail alike: one that a program reported. Timeouts, circles, reviewers' findings and conflicts belong to
 * each story, even if their words look the same.
 */
function commonError({ cut, gates, hash }: Refusal): string {
  const isError = ({ kind, ended, output }: GateResult): boolean =>
    ended !== 'timeout' && kind !== 'landing' && (kind !== 'review' || output.startsWith(unreadable))
  return cut === undefined && gates.some(isError) ? hash : ''
}

/** It will be put aside as soon as possible: until then it does not start again. */
export function isExhausted(state: State, id: StoryId): boolean {
  const story = state.stories[id]
  return story !== undefined && whyExhausted(state, story) !== null
}

/** A story that takes longer than expected, reported once. */
export function slowStory(state: State): Extract<Decision, { kind: 'story.slow' }> | null {
  const { soft, hard } = state.policy.storyMs
  for (const { id, story } of openStories(state)) {
    if (soft === 0 || story.isSlow || story.spentMs < soft) continue
    const because = `${id} has taken ${sayDuration(story.spentMs)} of agent and gate time; at ${sayDuration(hard)} it fails`
    return { kind: 'story.slow', story: id, because }
  }
  return null
}

function openStories({ plan, policy, stories, flights }: State): { id: StoryId; story: StoryState }[] {
  return (plan?.stories ?? []).flatMap(({ id, passes, failed, skip }) => {
    const story = stories[id]
    // An iteration without a story may be about any story: it is settled before a story's work is moved. And nothing else writes to the run's
    // files meanwhile.
    const isBusy = flights.some((flight) => flight.story === id || flight.story === null || hasLanding(flight))
    const isOut = passes || failed !== undefined || (skip && id !== policy.only) || isBusy
    return story === undefined || isOut ? [] : [{ id, story }]
  })
}

function whyExhausted({ policy }: State, story: StoryState): { words: string; isTime?: true } | null {
  const { maxAttempts, storyMs } = policy
  if (maxAttempts > 0 && story.failedAttempts >= maxAttempts)
    return { words: maxAttempts === 1 ? 'its only attempt failed' : `failed after ${maxAttempts} attempts` }
  const times = lastTimes(story)
  const isInVain = story.shifts >= maxShifts && story.refusals.at(-1)?.wasShift === true && times >= alikeAttempts
  if (isInVain || times >= alikeAttempts + maxShifts) {
    const told = story.shifts === 0 ? '' : `, also after ${story.shifts} strategy ${story.shifts === 1 ? 'shift' : 'shifts'}`
    return { words: `the same error ${times} times${told}` }
  }
  if (storyMs.hard > 0 && story.spentMs >= storyMs.hard) {
    const spent = `${sayDuration(story.spentMs)} of agent and gate time`
    return { words: `reached its time limit of ${sayDuration(storyMs.hard)} (${spent})`, isTime: true }
  }
  return null
}

/** A valid branch name for any story id. */
export function branchName(what: 'fail' | 'wait', id: StoryId, at: Instant): string {
  const name =
    id
      .replace(/[^A-Za-z0-9_-]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 60) || 'story'
  return `wip/ralph-${what}-${name}-${at.slice(0, 10).replaceAll('-', '')}-${at.slice(11, 19).replaceAll(':', '')}`
}
