/** Which processes can be younger than a given one: the kernel counts pids up, and starts over when they are used up. */

import { readFileSync } from 'node:fs'
import { tried } from '../../core/failure.ts'

/** How many processes and threads the machine has started, and the last pid. */
export type ProcessCount = { starts: number; last: number }

/** null: it does not say. */
export function countNow(): ProcessCount | null {
  const starts = Number(/^processes (\d+)$/m.exec(textOf('/proc/stat'))?.[1])
  const last = Number(textOf('/proc/loadavg').trim().split(' ').at(-1))
  return starts > 0 && last > 0 ? { starts, last } : null
}

/** All descendants of `root` have pids from here on. 0: the counter may have wrapped, so any pid may be theirs. */
export function lowestAfter(
  root: number,
  before: ProcessCount | null,
  now: ProcessCount | null = countNow(),
  most = mostPids(),
): number {
  if (before === null || now === null) return 0
  // Half of them: pids in use are skipped, and a failed start uses a pid too.
  const isSure = now.starts >= before.starts && now.starts - before.starts < most / 2 && now.last >= root
  return isSure ? root : 0
}

const mostPids = (): number => Number(textOf('/proc/sys/kernel/pid_max')) || 0

const textOf = (path: string): string => tried(() => readFileSync(path, 'latin1'), '')
