/** Where an instant lies on the timeline: as long as something runs, in proportion; long pauses are shortened. */

export type BusyTime = { start: number; end: number }
type Stretch = BusyTime & { at: number }
export type TimeScale = {
  /** Of the whole, in milliseconds without the shortened pauses. */
  total: number
  place(ms: number): number
  /** When something ran, and where that lies. */
  stretches: Stretch[]
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
    stretches,
    place(ms) {
      const inside = stretches.findLast(({ start }) => start <= ms)
      if (inside === undefined) return 0
      return Math.min(total, inside.at + Math.min(ms, inside.end) - inside.start)
    },
    pauses: stretches.slice(1).map(({ start, at: next }, index) => {
      const { end = start } = stretches[index] ?? {}
      return { at: next - pauseSize, size: pauseSize, ms: start - end }
    }),
  }
}

const shortestPause = 1000

/** At most this many round times, and where each lies. `zoneMs`: how far the viewer's clock is ahead of UTC. */
export function ticksOf({ stretches, total, place }: TimeScale, most: number, zoneMs: number): { ms: number; at: number }[] {
  const least = total / Math.max(1, most)
  const step = steps.find((size) => size >= least) ?? Math.ceil(least / day) * day
  const all: { ms: number; at: number }[] = []
  for (const { start, end, at: begin } of stretches) {
    const first = Math.ceil((start + zoneMs) / step) * step - zoneMs
    // A short stretch after a pause has no round time: its beginning says when it was.
    const times = first > end ? [{ ms: start, at: begin }] : []
    for (let ms = first; ms <= end; ms += step) times.push({ ms, at: place(ms) })
    for (const tick of times) if (tick.at - (all.at(-1)?.at ?? -least) >= least * 0.95) all.push(tick)
  }
  return all
}

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000] as const
const steps = [
  ...[1, 2, 5, 10, 15, 30].map((count) => count * second),
  ...[1, 2, 5, 10, 15, 30].map((count) => count * minute),
  ...[1, 2, 3, 6, 12].map((count) => count * hour),
  ...[1, 2, 7, 14, 28].map((count) => count * day),
]

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
