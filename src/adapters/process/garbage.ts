/** On a large machine V8 lets garbage grow by tens of megabytes before it collects any; and the larger a process is, the slower it starts others. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const mostBytes = 2 * 1024 * 1024
/** With a plan of thousands more is in use, each collection takes longer, and each iteration makes more garbage: as much again as is above this. */
const usualBytes = 20 * 1024 * 1024
/** An agent has started by then, and most work for minutes. */
const waitMs = 18

let leastBytes = Number.POSITIVE_INFINITY
let collect: (() => void) | undefined

/** While an agent works: between two of them it would cost time. */
export function collectGarbageSoon(): void {
  setTimeout(() => {
    const bytes = usedBytes()
    leastBytes = Math.min(leastBytes, bytes)
    if (bytes - leastBytes < mostBytes + Math.max(0, leastBytes - usualBytes)) return
    collect ??= exposed()
    collect()
    leastBytes = usedBytes()
  }, waitMs).unref()
}

export function usedBytes(): number {
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** V8 shows it only to contexts that are made after its flag is set. */
function exposed(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}
