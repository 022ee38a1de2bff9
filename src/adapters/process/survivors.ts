/** Finds what a call left running, by its RALPH_RUN tag or its mark, and ends it: politely, then by force, then checks again. */

import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { tried } from '../../core/failure.ts'
import { lowestAfter, type ProcessCount } from './pids.ts'
import { markOf, type Whose } from './process-mark.ts'
import { hasProc, isDead, type Process, processes, ps, readStat } from './process-table.ts'

export type Tagged = { pid: number; name: string; tag: string }
export type Ending = { graceMs: number; keep: string[] }

/**
 * Processes with such a tag, or with no tag and such a mark, except ourselves. Runs after every iteration, so it keeps no state. `from`: the lowest
 * pid to check.
 */
export function findTagged(whose: Whose, from = 0): Tagged[] {
  return hasProc ? taggedInProc(whose, from) : taggedInPs(ps(['-AEww', '-o', 'pid=,command=']), whose.tag)
}

/** Ends all these processes and their descendants; returns how many there were. */
export function endSurvivors(whose: Whose, ending: Ending): Promise<number> {
  return findTagged(whose).length === 0 ? Promise.resolve(0) : endAll(null, whose, ending)
}

/**
 * Ends the tree of `root`: its descendants, its session, and those that left both but have the tag or mark. `before`: a snapshot from before it
 * started.
 */
export function endTree(root: number, whose: Whose, ending: Ending, before: ProcessCount | null = null): Promise<number> {
  const hasNone = !isGroup(root) && findTagged(whose, lowestAfter(root, before)).length === 0
  return hasNone ? Promise.resolve(0) : endAll(root, whose, ending)
}

/** The tags of a process, of its ancestors, and of their session leaders: whoever clears its own still has those. */
export function tagsAround(pid: number): string[] {
  if (!hasProc) return []
  const line: Process[] = []
  for (let one = readStat(pid); one && line.length < 1000; one = readStat(one.parent)) line.push(one)
  const around = new Set(line.flatMap((one) => [one.pid, one.session]))
  return [...around].flatMap((one) => tagIn(readWhole(`/proc/${one}/environ`)) ?? [])
}

/** With the pid this identifies one process: a reused pid has another start time. */
export function processStart(pid: number): string | null {
  if (!hasProc) return ps(['-o', 'lstart=', '-p', String(pid)]).trim() || null
  return readStat(pid)?.start ?? null
}

/** A zombie has ended, but nobody has collected its exit code yet. */
export function isAlive(pid: number, start?: string): boolean {
  if (!signal(pid, 0)) return false
  if (!hasProc)
    return (
      !ps(['-o', 'stat=', '-p', String(pid)])
        .trim()
        .startsWith('Z') &&
      (!start || processStart(pid) === start)
    )
  const found = readStat(pid)
  return found !== undefined && !isDead(found) && (start === undefined || found.start === start)
}

/** Lines of `ps` that show each command with its environment behind it. */
export function taggedInPs(text: string, matches: (tag: string) => boolean): Tagged[] {
  const found: Tagged[] = []
  for (const line of text.split('\n')) {
    const [, pid, command, tag] = /^\s*(\d+)\s+(\S+).*?\sRALPH_RUN=(\S+)/.exec(line) ?? []
    if (!pid || !command || !tag || Number(pid) === process.pid || !matches(tag)) continue
    found.push({ pid: Number(pid), name: basename(command), tag })
  }
  return found
}

/** They serve the user's whole session, whoever started them. */
const alwaysKept = ['gpg-agent', 'ssh-agent']
/** The kernel cuts names there. */
const nameLength = 15
/** How long one round of SIGKILL may take to show, and how many rounds a tree that keeps forking gets. */
const killWaitMs = 1000
const killRounds = 5
const environStart = Buffer.from('RALPH_RUN=')
const empty = Buffer.alloc(0)
const forbidden = Buffer.alloc(0)
const nothing = new Int32Array(new SharedArrayBuffer(4))
let buffer = Buffer.allocUnsafeSlow(64 * 1024)
/** Kernel threads, zombies and other users' processes from the last pass: skipped. */
let withoutEnviron = new Set<number>()

/**
 * One pass can miss processes: one that was forked by another that then ended, and one in the middle of exec, which has no environment for a moment.
 * So a pass that found only such traces is repeated.
 */
function taggedInProc(whose: Whose, from: number): Tagged[] {
  // Processes end while we look, and others are not readable: stack traces for those errors would cost more than the reads.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  let pass = onePass(whose, from)
  for (let passes = 1; pass.found.length === 0 && passes < (pass.isStarting ? 50 : pass.hasEnded ? 5 : 0); passes++) {
    if (pass.isStarting) Atomics.wait(nothing, 0, 0, 1)
    pass = onePass(whose, from)
  }
  Error.stackTraceLimit = stackTraceLimit
  return pass.found
}

function onePass(whose: Whose, from: number) {
  const found: Tagged[] = []
  const without = new Set<number>()
  let [isStarting, hasEnded] = [false, false]
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry)
    if (!(pid > 0) || pid < from || pid === process.pid) continue
    const environ = readWhole(`/proc/${entry}/environ`)
    const [isEmpty, isForbidden] = [environ.length === 0, environ === forbidden]
    const tag = isEmpty ? undefined : tagIn(environ)
    // A process that clears its environment keeps its mark.
    if (tag === undefined ? isMarked(pid, whose) : whose.tag(tag)) {
      found.push({ pid, name: readStat(pid)?.name ?? '', tag: tag ?? '' })
      continue
    }
    if (!isEmpty) continue
    const one = withoutEnviron.has(pid) ? 'known' : readStat(pid)
    if (one === undefined) hasEnded = true
    else if (one !== 'known' && !isForbidden && isBeingReplaced(one)) isStarting = true
    else without.add(pid)
    if (one !== undefined && one !== 'known' && isDead(one)) hasEnded = true
  }
  withoutEnviron = without
  return { found, isStarting, hasEnded }
}

function isMarked(pid: number, whose: Whose): boolean {
  const mark = markIn(pid)
  return mark !== null && whose.mark(mark) && isOurs(pid) && isAlive(pid) // a zombie has its mark too
}

/** The mark of a process; null: none, or not readable. */
export function markIn(pid: number | 'self'): number | null {
  return hasProc ? markOf(readWhole(`/proc/${pid}/limits`).toString('latin1')) : null
}

/** Empty for kernel threads, zombies and unreadable ones. The bytes are only valid until the next call. */
function readWhole(path: string): Buffer {
  let fd = -1
  try {
    fd = openSync(path, 'r')
    let length = 0
    for (let got = -1; got !== 0; length += got) {
      if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(length)])
      got = readSync(fd, buffer, length, buffer.length - length, null)
    }
    return buffer.subarray(0, length)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'EACCES' || code === 'EPERM' ? forbidden : empty
  } finally {
    if (fd >= 0) closeSync(fd)
  }
}

function tagIn(environ: Buffer): string | undefined {
  for (let at = environ.indexOf(environStart); at >= 0; at = environ.indexOf(environStart, at + 1)) {
    if (at > 0 && environ[at - 1] !== 0) continue
    const end = environ.indexOf(0, at)
    return environ.toString('utf8', at + environStart.length, end < 0 ? environ.length : end)
  }
  return undefined
}

async function endAll(root: number | null, whose: Whose, { graceMs, keep }: Ending): Promise<number> {
  const known = new Map<number, string>()
  const graceEnd = performance.now() + graceMs
  for (let forced = 0; forced < killRounds; ) {
    const { living, keptInGroup, isSure } = livingTree(root, whose, keep, known)
    if (living.length === 0 && isSure) break
    const isForced = performance.now() >= graceEnd
    const name = isForced ? 'SIGKILL' : 'SIGTERM'
    // The whole group at once, to catch new forks, unless a process in it must stay.
    if (root !== null && !keptInGroup) signal(-root, name)
    for (const { pid, start } of living) {
      known.set(pid, start)
      signal(pid, name)
    }
    await allGone(living, isForced ? performance.now() + killWaitMs : graceEnd)
    if (isForced) forced += 1
  }
  if (root !== null) known.delete(root)
  return known.size
}

async function allGone(processes: Process[], until: number): Promise<void> {
  let left = processes
  for (let waitMs = 1; ; waitMs = Math.min(waitMs * 2, 25)) {
    left = left.filter(({ pid, start }) => isAlive(pid, start))
    const remaining = until - performance.now()
    if (left.length === 0 || remaining <= 0) return
    await pause(Math.min(waitMs, remaining))
  }
}

function livingTree(root: number | null, whose: Whose, keep: string[], known: Map<number, string>) {
  const tagged = new Set(findTagged(whose).map(({ pid }) => pid))
  const table = new Map(processes().map((one) => [one.pid, one]))
  // One that ended between the two looks may have left another one that was too young for the first.
  const isSure = [...tagged].map((pid) => table.get(pid)).every((one) => one !== undefined && !isDead(one))
  const belongs = (one: Process) =>
    one.pid === root || one.session === root || one.group === root || tagged.has(one.pid) || known.get(one.pid) === one.start
  const kept = (one: Process) => one.pid !== root && isKept(one, keep)
  const ourselves = new Set(lineOf(process.pid, table))

  const living: Process[] = []
  let keptInGroup = false
  for (const one of table.values()) {
    if (isDead(one) || ourselves.has(one)) continue
    const line = lineOf(one.pid, table)
    if (!line.some(belongs)) continue
    if (!line.some(kept)) living.push(one)
    else if (one.group === root) keptInGroup = true
  }
  return { living, keptInGroup, isSure }
}

/** A process, its parent, and so on up. */
function lineOf(pid: number, table: Map<number, Process>): Process[] {
  const line: Process[] = []
  for (let one = table.get(pid); one && !line.includes(one); one = table.get(one.parent)) line.push(one)
  return line
}

function isKept({ pid, name }: Process, keep: string[]): boolean {
  const names = [...alwaysKept, ...keep]
  if (names.some((one) => one.slice(0, nameLength) === name.slice(0, nameLength))) return true
  if (!hasProc || keep.length === 0) return false
  const [program = ''] = readWhole(`/proc/${pid}/cmdline`).toString().split('\0', 1)
  return keep.includes(basename(program))
}

/** In the middle of exec: what we opened is gone, or the new image has no environment yet. A truly empty one still has its address. */
const isBeingReplaced = (one: Process) => !isDead(one) && !one.isKernel && !one.hasEmptyEnviron

const isGroup = (leader: number) => signal(-leader, 0)

/** A process of another user (sudo) cannot be ended by us. */
const isOurs = (pid: number): boolean => tried(() => process.kill(pid, 0), false)

/** Whether the process exists, even if we may not signal it. */
function signal(pid: number, name: 'SIGTERM' | 'SIGKILL' | 0): boolean {
  try {
    process.kill(pid, name)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
