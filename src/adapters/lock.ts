/** One holder at a time, over processes: a file that names its holder, taken over when the holder is dead. */
import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { EXIT, Failure } from '../core/failure.ts'
import { epochMs, instantOf, sayDuration } from '../core/time.ts'
import type { Instant } from '../core/types.ts'
import { dropFile, errorCode, makeFolder, readIfThere, replaceFile, temporaryName } from './files.ts'
import { isAlive, processStart } from './survivors.ts'

export type Holder = { feature: string; run: string; purpose: 'run' | 'command' }
export type Held = Holder & {
  pid: number /** tells a process from a later one with the same pid */
  start: string | null
  host: string
  at: Instant
}
export type Lock = { release(): void; update(fields: Partial<Holder>): void }

/** Waits for a command's short lock, refuses at a run's. */
export function takeLock(path: string, holder: Holder): Lock {
  const giveUpAt = performance.now() + COMMAND_WAIT_MS
  for (;;) {
    const taken = tryLock(path, holder)
    if ('release' in taken) return taken
    if (taken.purpose === 'run' || performance.now() > giveUpAt) throw new Failure(EXIT.busy, busyMessage(path, taken))
    sleep(RETRY_MS)
  }
}

/** For a few file operations that must not meet another process's. */
export function underLock<T>(path: string, body: () => T): T {
  const lock = takeShortLock(path)
  try {
    return body()
  } finally {
    lock.release()
  }
}

/** Who holds it, and whether that process still lives. null: nobody. */
export function readLock(path: string): (Held & { isLive: boolean }) | null {
  const held = heldIn(readIfThere(path))
  return held && { ...held, isLive: isLive(held) }
}

const COMMAND_WAIT_MS = 2000
const SHORT_WAIT_MS = 10_000
const RETRY_MS = 4

function takeShortLock(path: string): Lock {
  const giveUpAt = performance.now() + SHORT_WAIT_MS
  for (;;) {
    const taken = tryLock(path, { feature: '', run: '', purpose: 'command' })
    if ('release' in taken) return taken
    if (performance.now() > giveUpAt) throw new Failure(EXIT.busy, busyMessage(path, taken))
    sleep(RETRY_MS)
  }
}

/** The lock, or its live holder. */
function tryLock(path: string, holder: Holder): Lock | Held {
  const present = heldIn(readIfThere(path))
  if (present && isLive(present)) return present
  const mine: Held = { pid: process.pid, start: ownStart(), host: hostname(), ...holder, at: instantOf(Date.now()) }
  makeFolder(dirname(path))
  const temporary = temporaryName(path)
  try {
    writeFileSync(temporary, textOf(mine)) // not flushed: after a crash of the machine nobody holds it, whatever it says
    for (;;) {
      if (linked(temporary, path)) return lockOf(path, mine)
      const text = readIfThere(path)
      if (text === null) continue // released just now
      const held = heldIn(text)
      if (held && isLive(held)) return held
      const rival = replaceStale(path, text, temporary)
      if (rival === 'mine') return lockOf(path, mine)
      if (rival !== 'changed') return rival
    }
  } finally {
    dropFile(temporary)
  }
}

let start: string | null | undefined
const ownStart = (): string | null => (start ??= processStart(process.pid))

/**
 * Puts the temporary file in the place of a dead holder's. Two takers that saw the same dead holder must not both win, so only
 * who holds the lock of the takeover replaces, and only what it still finds there; that lock is one like any other.
 */
function replaceStale(path: string, seen: string, temporary: string): 'mine' | 'changed' | Held {
  const guard = tryLock(`${path}.takeover`, { feature: '', run: '', purpose: 'command' })
  if (!('release' in guard)) return guard
  try {
    if (readIfThere(path) !== seen) return 'changed'
    renameSync(temporary, path)
    return 'mine'
  } finally {
    guard.release()
  }
}

function lockOf(path: string, first: Held): Lock {
  let mine = first
  const isMine = () => readIfThere(path) === textOf(mine) // someone may have removed it, and someone else taken it
  return {
    release() {
      if (isMine()) rmSync(path, { force: true })
    },
    update(fields) {
      if (!isMine()) return
      mine = { ...mine, ...fields }
      replaceFile(path, textOf(mine))
    },
  }
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  }
}

const textOf = (held: Held): string => `${JSON.stringify(held)}\n`

/** null: not a lock that we wrote; nobody holds it. */
function heldIn(text: string | null): Held | null {
  try {
    const held = JSON.parse(text ?? '') as Held
    return Number.isInteger(held.pid) && held.pid > 0 && typeof held.host === 'string' ? held : null
  } catch {
    return null
  }
}

/** Another host's processes cannot be seen from here: its lock counts. */
const isLive = (held: Held): boolean => held.host !== hostname() || isAlive(held.pid, held.start ?? undefined)

function busyMessage(path: string, held: Held): string {
  const age = sayDuration(Math.max(0, Date.now() - epochMs(held.at)))
  const who = held.purpose === 'run' ? `A run of feature "${held.feature}"` : 'Another ralph command'
  const where = `${who} is live here: pid ${held.pid} on ${held.host}, since ${held.at} (${age}).`
  if (held.host !== hostname()) return `${where} If it no longer runs there, remove ${path} and try again.`
  if (held.purpose === 'run') return `${where} Wait for it, or end it with: ralph stop -f ${held.feature}`
  return `${where} Try again when it has ended.`
}

/** Locks are short and callers are not asynchronous: the thread itself waits. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
