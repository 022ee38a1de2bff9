/** Virtual time: planned acts, in order. */
import { instantOf } from '../src/core/text/time.ts'
import type { Instant } from '../src/core/types.ts'

export type Clock = {
  nowMs(): number
  now(): Instant
  /** Plans an act; `isWanted` is asked when its time has come. */
  after(ms: number, act: () => void, isWanted?: () => boolean): void
  /** Advances to the next act that is still wanted and does it; false: nothing will ever happen again. */
  step(): boolean
  /** Lets time pass without acts; acts planned for it come after. */
  pass(ms: number): void
  /** Cancels everything. */
  forget(): void
}

export function clockFrom(startMs: number): Clock {
  let nowMs = startMs
  let order = 0
  const acts: { at: number; order: number; act: () => void; isWanted: () => boolean }[] = []
  return {
    nowMs: () => nowMs,
    now: () => instantOf(nowMs),
    after(ms, act, isWanted = () => true) {
      const planned = { at: nowMs + Math.max(0, Math.round(ms)), order: order++, act, isWanted }
      let i = acts.length
      while (i > 0 && acts[i - 1]!.at > planned.at) i--
      acts.splice(i, 0, planned)
    },
    step() {
      for (let next = acts.shift(); next !== undefined; next = acts.shift()) {
        if (!next.isWanted()) continue
        nowMs = Math.max(nowMs, next.at)
        next.act()
        return true
      }
      return false
    },
    pass(ms) {
      nowMs += ms
    },
    forget() {
      acts.length = 0
    },
  }
}
