/** Failures with the same error: how often one occurred on a story, and what that counts for. */
import type { StoryState } from '../state.ts'

/** How many failures with the same error cause a strategy shift. */
export const alikeAttempts = 3

/** How often this error occurred on the story, with or without a flip. */
export const timesAlike = ({ errors, reds }: Pick<StoryState, 'errors' | 'reds'>, hash: string): number =>
  (errors[hash] ?? 0) + (reds[hash] ?? 0)

/** Gate failures without a flip that now count as failed attempts: as many as occurred, as if each had been a flip. */
export function failedAfter({ failedAttempts }: StoryState, alike: number, maxAttempts: number): number {
  return Math.max(failedAttempts + 1, maxAttempts > 0 ? Math.min(alike, maxAttempts) : alike)
}
