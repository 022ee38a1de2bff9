/** A lock between processes: a file that names its holder, taken over when the holder is dead. */
import { linkSync, lstatSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { EXIT, Failure } from '../../core/failure.ts'
import { instantOf } from '../../core/text/time.ts'
import { dropFile, errorCode, makeFolder, readIfThere, replaceFile, temporaryName } from '../files/files.ts'
import {
  beatMs,
  busyMessage,
  type Held,
  type Holder,
  heldIn,
  isLive,
  lostMessage,
  ourselves,
  showsSignsOnly,
  textOf,
} from './lock-holder.ts'

export type { Held, Holder } from './lock-holder.ts'

export type Lock = {
  release(): void
  update(fields: Partial<Holder>): void
  /**
   * Throws if someone else has it now: a holder that was taken for dead must not write any more. If the file was only removed, it is written again.
   */
  check(): void
}

/** Waits for a command's short lock, refuses if a run has it. */
export function takeLock(path: string, holder: Holder, silenceMs = SILENCE_MS): Lock {
  const giveUpAt = performance.now() + COMMAND_WAIT_MS
  for (;;) {
    const taken = tryLock(path, holder)
    if ('release' in taken) return taken
    const silent = showsSignsOnly(taken) ? watched(path, silenceMs) : null
    const afterSilence = silent === null ? taken : tryLock(path, holder, silent)
    if ('release' in afterSilence) return afterSilence
    if (taken.purpose === 'run' || performance.now() > giveUpAt) throw new Failure(EXIT.busy, busyMessage(path, taken, holder))
    sleep(RETRY_MS)
  }
}

/** For a few file operations that must not run at the same time as another process's. */
export function underLock<T>(path: string, body: () => T): T {
  const lock = takeShortLock(path)
  try {
    return body()
  } finally {
    lock.release()
  }
}

/** The holder, and whether its process is alive. null: nobody. */
export function readLock(path: string): (Held & { isLive: boolean }) | null {
  const held = heldIn(readIfThere(path))
  return held && { ...held, isLive: isLive(held, path) }
}

const COMMAND_WAIT_MS = 2000
const SHORT_WAIT_MS = 10_000
/** Five missed signs of life. If it is alive after all, it notices before its next write that it lost the lock. */
const SILENCE_MS = 5 * beatMs
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

/** A lock whose holder is not visible and gave no sign while we watched: a sign would change the file's time. */
type Silent = { text: string; timeMs: number }

/** Waits for a sign of life; null: there was one, or someone else has it now. */
function watched(path: string, silenceMs: number): Silent | null {
  const text = readIfThere(path)
  const timeMs = timeOf(path)
  const enoughAt = performance.now() + silenceMs
  while (performance.now() < enoughAt) {
    sleep(RETRY_MS * 10)
    if (timeOf(path) !== timeMs || readIfThere(path) !== text) return null
  }
  return text === null ? null : { text, timeMs }
}

const timeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

/** The lock, or its live holder. */
function tryLock(path: string, holder: Holder, silent: Silent | null = null): Lock | Held {
  const lives = (text: string | null): Held | null => {
    const held = heldIn(text)
    const isSilent = silent !== null && text === silent.text && timeOf(path) === silent.timeMs
    return held !== null && !isSilent && isLive(held, path) ? held : null
  }
  const present = lives(readIfThere(path))
  if (present) return present
  const mine: Held = { ...ourselves(), ...holder, at: instantOf(Date.now()) }
  makeFolder(dirname(path))
  const temporary = temporaryName(path)
  try {
    writeFileSync(temporary, textOf(mine)) // not flushed: after a crash of the machine nobody holds it
    for (;;) {
      if (linked(temporary, path)) return lockOf(path, mine)
      const text = readIfThere(path)
      if (text === null && !isInTheWay(path)) continue // released just now
      const held = lives(text)
      if (held) return held
      const rival = replaceStale(path, text, temporary, lives)
      if (rival === 'mine') return lockOf(path, mine)
      if (rival !== 'changed') return rival
    }
  } finally {
    dropFile(temporary)
  }
}

/**
 * Replaces a dead holder's file. Two processes that saw the same dead holder must not both win, so only the holder of the takeover lock
 * replaces it, and only if it still finds the same; that lock is an ordinary one.
 */
function replaceStale(
  path: string,
  seen: string | null,
  temporary: string,
  lives: (text: string | null) => Held | null,
): 'mine' | 'changed' | Held {
  const guard = tryLock(`${path}.takeover`, { feature: '', run: '', purpose: 'command' })
  if (!('release' in guard)) return guard
  try {
    if (readIfThere(path) !== seen) return 'changed'
    const held = lives(seen)
    if (held) return held // a sign of life just now
    renameSync(temporary, path)
    return 'mine'
  } finally {
    guard.release()
  }
}

function lockOf(path: string, first: Held): Lock {
  let mine = first
  const isMine = () => readIfThere(path) === textOf(mine) // someone may have removed it, and someone else taken it
  // For those who cannot see our process, in another container or on another machine.
  const beats = setInterval(() => {
    try {
      if (isMine()) utimesSync(path, new Date(), new Date())
    } catch {} // the disk may be away for a moment: the next sign shows
  }, beatMs).unref()
  return {
    release() {
      clearInterval(beats)
      if (isMine()) rmSync(path, { force: true })
    },
    update(fields) {
      if (!isMine()) return
      mine = { ...mine, ...fields }
      replaceFile(path, textOf(mine))
    },
    check() {
      if (isMine() || putBack(path, textOf(mine))) return
      throw new Failure(EXIT.busy, lostMessage(path, heldIn(readIfThere(path))))
    },
  }
}

/** Whether nobody took it since it was removed. */
function putBack(path: string, text: string): boolean {
  const temporary = temporaryName(path)
  try {
    makeFolder(dirname(path))
    writeFileSync(temporary, text)
    return linked(temporary, path) || (isInTheWay(path) && replaceStale(path, null, temporary, () => null) === 'mine')
  } finally {
    dropFile(temporary)
  }
}

/** Nothing readable: a named pipe or dangling link that an agent made there is nobody's lock. */
const isInTheWay = (path: string): boolean => {
  const there = lstatSync(path, { throwIfNoEntry: false })
  return there !== undefined && !there.isFile() && !there.isDirectory()
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

/** Locks are short and callers synchronous, so the thread itself waits. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
