/** Where an instant lies on the timeline: as long as something runs, in proportion; long pauses are shortened. */

export type BusyTime = { start: number; end: number }
type Stretch = BusyTime & { at: number }
export type TimeScale = {
  /** Of the whole, in milliseconds without the shortened pauses. */
  total: number
  place(ms: number): number
  timeAt(place: number): number
  /** Pauses that were shortened, with their real length. */
  pauses: { at: number; size: number; ms: number }[]
}

export function timeScale(intervals: BusyTime[]): TimeScale {
  const sorted = intervals.toSorted((one, other) => one.start - other.start)
  const busy = merged(sorted, 0).reduce((sum, { start, end }) => sum + end - start, 0)
  const longest = Math.max(shortestPause, busy * 0.08)
  const pauseSize = longest / 2
  const stretches: Stretch[] = []
  let at = 0
  for (const { start, end } of merged(sorted, longest)) {
    stretches.push({ start, end, at })
    at += Math.max(1, end - start) + pauseSize
  }
  const total = Math.max(1, at - pauseSize)
  return {
    total,
    place(ms) {
      const inside = stretches.findLast(({ start }) => start <= ms)
      if (inside === undefined) return 0
      return Math.min(total, inside.at + Math.min(ms, inside.end) - inside.start)
    },
    timeAt(place) {
      const inside = stretches.findLast((stretch) => stretch.at <= place)
      return inside === undefined ? 0 : Math.min(inside.end, inside.start + place - inside.at)
    },
    pauses: stretches.slice(1).map(({ start, at: next }, index) => {
      const { end = start } = stretches[index] ?? {}
      return { at: next - pauseSize, size: pauseSize, ms: start - end }
    }),
  }
}

const shortestPause = 1000

/** Those that touch, or lie closer than this. */
function merged(sorted: BusyTime[], closer: number): BusyTime[] {
  const all: BusyTime[] = []
  for (const { start, end } of sorted) {
    const last = all.at(-1)
    if (last !== undefined && start - last.end <= closer) last.end = Math.max(last.end, end)
    else all.push({ start, end: Math.max(start, end) })
  }
  return all
}
