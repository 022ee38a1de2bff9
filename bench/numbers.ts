/** Medians, and the spread between rounds: a difference must exceed it to mean something. */

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** The median distance from the median: half of the rounds are within it. */
export const spread = (values: number[]): number => median(values.map((value) => Math.abs(value - median(values))))

/** At least this many percent are no larger. */
export function percentile(values: number[], of100: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil((sorted.length * of100) / 100) - 1)] ?? 0
}
