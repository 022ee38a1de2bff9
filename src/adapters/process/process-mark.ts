/** A mark that a process cannot lose by accident: it survives `env -i`, `setsid` and a daemon's double fork. */

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { tried } from '../../core/failure.ts'
import { findProgram } from './program.ts'

// A resource limit without effect on ordinary programs (CPU time of real-time processes, in years), inherited by all children.

/** By its tag, or, if it has none, by its mark. */
export type Whose = { tag(tag: string): boolean; mark(mark: number): boolean }

/** One call: `run:iteration`. */
export function ofCall(tag: string): Whose {
  const mark = markFor(tag)
  return { tag: (found) => found === tag, mark: (found) => found === mark }
}

/** All calls of a run. */
export const ofRun = (run: string): Whose => ({
  tag: (found) => run !== '' && found.startsWith(`${run}:`),
  mark: (found) => run !== '' && isOfRun(found, run),
})

export const ofNobody: Whose = { tag: () => false, mark: () => false }

export const isOfRun = (mark: number, run: string): boolean => Math.floor(mark / callRange) === rangeOf(run)

/** The value of all marks of a run, divided by 2^18. */
export const rangeOf = (run: string): number => Math.floor(markFor(`${run}:`) / callRange)

/** Starts the program with its mark; without it if there is no way to set one. */
export function withMark(
  { command, args }: { command: string; args: string[] },
  tag: string,
  cwd: string,
  env: Record<string, string>,
): { command: string; args: string[] } {
  const setter = markSetter()
  // If the program does not exist, the system reports that.
  if (setter === null || findProgram(command, cwd, env) === null) return { command, args }
  const mark = markFor(tag)
  return { command: setter, args: [`--rttime=${mark}:${mark}`, command, ...args] }
}

/** As /proc shows a process's limits. */
export function markOf(limits: string): number | null {
  const [, soft, hard] = /^Max realtime timeout +(\d+) +(\d+) /m.exec(limits) ?? []
  const mark = Number(hard)
  return soft === hard && mark >= base ? mark : null
}

/** 2^49 microseconds are 17 years; the parts for run and call are added to that. */
const base = 2 ** 49
const runRange = 2 ** 30
const callRange = 2 ** 18

function markFor(tag: string): number {
  const [run = '', ...call] = tag.split(':')
  return base + number(run, runRange) * callRange + number(call.join(':'), callRange)
}

const number = (text: string, range: number): number => createHash('sha256').update(text).digest().readUInt32BE() % range

let setter: string | null | undefined
/** null: not on this system, or we have such a limit ourselves and cannot raise it: a Ralph inside another's agent. */
function markSetter(): string | null {
  setter ??= isUnlimited() ? findProgram('prlimit', '/', { PATH: '/usr/bin:/bin:/usr/local/bin' }) : null
  return setter
}

const isUnlimited = (): boolean =>
  /^Max realtime timeout +unlimited +unlimited /m.test(tried(() => readFileSync('/proc/self/limits', 'latin1'), ''))
