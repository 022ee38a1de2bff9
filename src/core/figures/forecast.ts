/** Forecasts iterations, time and money for open stories by resampling finished ones, so that long tails count. */
import { sure } from '../failure.ts'
import { fingerprint } from '../text/hash.ts'

export type StoryTook = { iterations: number; ms: number /** null: the agent did not report it */; costUsd: number | null }
export type Range = { p50: number; p90: number }
export type Forecast = { stories: number; from: number; iterations: Range; ms: Range; costUsd: Range | null }

/** Fewer finished stories are not enough for a forecast. */
export const fewestStories = 5

/** null: too little history. Deterministic: the same history gives the same forecast. */
export function forecastOf(history: StoryTook[], open: number): Forecast | null {
  if (open === 0 || history.length < fewestStories) return null
  const isPriced = history.every(({ costUsd }) => costUsd !== null)
  const next = pseudoRandom(fingerprint(JSON.stringify(history)))
  const sums = Array.from({ length: drawsFor(open) }, () => {
    const sum = { iterations: 0, ms: 0, costUsd: 0 }
    for (let story = 0; story < open; story++) {
      const { iterations, ms, costUsd } = sure(history[Math.floor(next() * history.length)], 'story to draw')
      sum.iterations += iterations
      sum.ms += ms
      sum.costUsd += costUsd ?? 0
    }
    return sum
  })
  const rangeOf = (key: 'iterations' | 'ms' | 'costUsd'): Range => {
    const sorted = sums.map((sum) => sum[key]).sort((a, b) => a - b)
    return { p50: at(sorted, 0.5), p90: at(sorted, 0.9) }
  }
  return {
    stories: open,
    from: history.length,
    iterations: rangeOf('iterations'),
    ms: rangeOf('ms'),
    costUsd: isPriced ? rangeOf('costUsd') : null,
  }
}

/** The sum of thousands varies little, and to draw it a thousand times would take 20 ms of each new forecast. */
const drawsFor = (open: number): number => Math.max(100, Math.min(1000, Math.floor(200_000 / open)))

const at = (sorted: number[], share: number): number =>
  sure(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))], 'sum')

/** Mulberry32: good enough for drawing from a list, and the same on every machine. */
function pseudoRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
