/** Which processes can be younger than a given one: the kernel counts pids up, and begins again when they are used up. */

import { readFileSync } from 'node:fs'
import { tried } from '../../core/failure.ts'

/** What the machine has started so far, processes and threads, and the pid that it gave last. */
export type ProcessCount = { starts: number; last: number }

/** null: it does not say. */
export function countNow(): ProcessCount | null {
  const starts = Number(/^processes (\d+)$/m.exec(textOf('/proc/stat'))?.[1])
  const last = Number(textOf('/proc/loadavg').trim().split(' ').at(-1))
  return starts > 0 && last > 0 ? { starts, last } : null
}

/** All that came of `root` have pids from here on. 0: the count may have come round since, so that any pid may be theirs. */
export function lowestAfter(
  root: number,
  before: ProcessCount | null,
  now: ProcessCount | null = countNow(),
  most = mostPids(),
): number {
  if (before === null || now === null) return 0
  // Half of them: pids in use are passed over, and a start that fails has taken its pid all the same.
  const isSure = now.starts >= before.starts && now.starts - before.starts < most / 2 && now.last >= root
  return isSure ? root : 0
}

const mostPids = (): number => Number(textOf('/proc/sys/kernel/pid_max')) || 0

const textOf = (path: string): string => tried(() => readFileSync(path, 'latin1'), '')
