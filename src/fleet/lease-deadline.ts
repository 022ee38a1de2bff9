/** How long a worker may still act for a feature, by its own clocks: always shorter than the database allows. */
import { type Deadline, deadline, leftUntil } from '../adapters/project/leash.ts'

export type LeaseWatch = {
  /** Without the margin needed to end everything. */
  leftMs(): number
  /** Renewed: `asked` is when the request was sent, which was before the database started counting. */
  extend(asked: Deadline, leaseMs: number): void
  lose(why: string): void
  /** Aborts with the reason, once. */
  lost: AbortSignal
  /** Called at each renewal. */
  onExtended(callback: () => void): void
  close(): void
}

/** The fraction of a lease in which everything must have ended. */
const marginOf = (leaseMs: number): number => Math.max(1500, leaseMs / 4)
export const rightNow = (): Deadline => deadline(0)

export function watchLease(asked: Deadline, leaseMs: number): LeaseWatch {
  const gone = new AbortController()
  const listeners: (() => void)[] = []
  let end = deadline(leaseMs - marginOf(leaseMs), asked)
  const lose = (why: string): void => {
    clearInterval(timer)
    gone.abort(why)
  }
  // Often enough that after a long sleep this runs before anything else.
  const timer = setInterval(() => leftUntil(end) <= 0 && lose('the lease was not renewed in time'), 200)
  return {
    leftMs: () => (gone.signal.aborted ? 0 : Math.max(0, leftUntil(end))),
    extend(from, ms) {
      // Late means lost, whatever the database says: after a sleep, the worker must start over.
      if (leftUntil(end) <= 0) return lose('the lease was not renewed in time')
      end = deadline(ms - marginOf(ms), from)
      for (const listener of listeners) listener()
    },
    lose,
    lost: gone.signal,
    onExtended: (callback) => void listeners.push(callback),
    close: () => clearInterval(timer),
  }
}
