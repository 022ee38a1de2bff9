/** What a running call has used, for agents that only write it to a file: looked up after each thing that they print. */
import { isDeepStrictEqual } from 'node:util'
import type { Usage } from '../../../core/types.ts'

export type LiveUsage = { heard(): void; close(): void }

/** They note what a request took a moment after they have printed what came of it, on a busy machine later. Then nothing changes until they print again. */
const waitsMs = [250, 1000, 4000]

/** `look`: reads the file; `tell`: of each new count. */
export function watchUsage(look: () => Usage | undefined, tell: (usage: Usage) => void): LiveUsage {
  let timer: NodeJS.Timeout | undefined
  let looks = waitsMs.length
  let last: Usage | undefined
  const wait = (): void => {
    clearTimeout(timer)
    const ms = waitsMs[looks]
    timer = ms === undefined ? undefined : setTimeout(check, ms)
  }
  const check = (): void => {
    looks += 1
    wait()
    const usage = look()
    if (usage === undefined || isDeepStrictEqual(usage, last)) return
    last = usage
    tell(usage)
  }
  return {
    heard() {
      if (looks === 0) return // soon
      looks = 0
      wait()
    },
    close: () => clearTimeout(timer),
  }
}
