/** When a story does not succeed: another approach, a stronger model, and in the end its failure. */

import { alikeAttempts, timesAlike } from '../evolve/alike.ts'
import { hasLanding } from '../evolve/flights.ts'
import type { Refusal, State, StoryState } from '../state.ts'
import { sayDuration } from '../text/time.ts'
import type { Decision, GateResult, Instant, StoryId } from '../types.ts'
import { unreadable } from './gates.ts'
import { hasCandidatesLeft } from './parallel/candidates.ts'

/** How many strategy shifts there are. */
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

function lastTimes(story: StoryState): number {
  const last = story.refusals.at(-1)
  return last === undefined || !story.lastFailed ? 0 : timesAlike(story, last.hash)
}

/** A story whose attempts, shifts or time are used up. */
export function exhaustedStory(state: State): Extract<Decision, { kind: 'story.failed' }> | null {
  for (const { id, story } of openStories(state)) {
    const why = whyExhausted(state, id)
    if (why === null) continue
    const last = story.refusals.at(-1)
    const because = `${why.words}${last === undefined ? '' : `; last failure: ${last.because}`}`
    const branch = state.repo.head === null ? '' : branchOfFailed(state, id)
    const hash = why.isTime || last === undefined ? '' : commonError(last)
    return { kind: 'story.failed', story: id, hash, branch, because }
  }
  return null
}

/** Where the work of a story with candidates is when it fails: that of an open one is not on a branch of its own yet. */
function branchOfFailed({ stories, at }: State, id: StoryId): string {
  const { candidates = [], losers = [] } = stories[id] ?? {}
  const isMoved = candidates.length > 0 && candidates.every(({ isOut }) => isOut)
  return (isMoved ? losers.at(-1)?.branch : undefined) ?? branchName('fail', id, at)
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
  return whyExhausted(state, id) !== null
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

function whyExhausted(state: State, id: StoryId): { words: string; isTime?: true } | null {
  const story = state.stories[id]
  if (story === undefined) return null
  const { maxAttempts, storyMs } = state.policy
  if (hasCandidatesLeft(state, id)) return whyTooLong(story, storyMs)
  if (maxAttempts > 0 && story.failedAttempts >= maxAttempts)
    return {
      words: `${maxAttempts === 1 ? 'its only attempt failed' : `failed after ${maxAttempts} attempts`}${withCandidates(story)}`,
    }
  const times = lastTimes(story)
  const isInVain = story.shifts >= maxShifts && story.refusals.at(-1)?.wasShift === true && times >= alikeAttempts
  if (isInVain || times >= alikeAttempts + maxShifts) {
    const told = story.shifts === 0 ? '' : `, also after ${story.shifts} strategy ${story.shifts === 1 ? 'shift' : 'shifts'}`
    return { words: `the same error ${times} times${told}` }
  }
  return whyTooLong(story, storyMs)
}

const withCandidates = ({ candidates = [] }: StoryState): string =>
  candidates.length < 2 ? '' : `, the last with ${candidates.length} candidates`

function whyTooLong({ spentMs }: StoryState, { hard }: State['policy']['storyMs']): { words: string; isTime: true } | null {
  if (hard === 0 || spentMs < hard) return null
  const spent = `${sayDuration(spentMs)} of agent and gate time`
  return { words: `reached its time limit of ${sayDuration(hard)} (${spent})`, isTime: true }
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
