/** How long a gate may take when a story is cross-examined. */
import type { GateResult } from '../../core/types.ts'

type Ran = Pick<GateResult, 'name' | 'story' | 'durationMs'>

/** A new test may wait for what the old code never does: that must not take as long as the settings allow for a whole suite. */
export const longestMs =
  (results: Ran[]) =>
  ({ name, story }: Pick<Ran, 'name' | 'story'>): number =>
    Math.max(shortestMs, 20 * (results.find((result) => result.name === name && result.story === story)?.durationMs ?? Infinity))

const shortestMs = 30_000
