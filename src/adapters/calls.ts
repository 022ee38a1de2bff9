/** Agent calls of the last hour and known usage limits, shared by every run of this user on this machine. */
import { renameSync } from 'node:fs'
import { basename, join } from 'node:path'
import { EXIT, Failure } from '../core/failure.ts'
import { later, msBetween } from '../core/time.ts'
import type { Instant } from '../core/types.ts'
import { errorCode, readIfThere, replaceFile } from './files.ts'
import { underLock } from './lock.ts'

export type Ask = {
  /** over all runs and agents; 0: no limit */
  limitPerHour: number
  agent: string
  /** A clock is read when it is our turn: processes that wait for each other are then in the order in which they are answered. */
  now: Instant | (() => Instant)
}
export type Granted = ({ granted: true } | { granted: false; until: Instant; by: 'rate' | 'usage-limit' }) & {
  /** What people should know: the count was lost. */
  note?: string
}

/** Records the call where it is granted. `home` is the folder that holds calls.json. */
export function askForCall(home: string, ask: Ask): Granted {
  return withShared(home, (shared, note) => {
    const now = typeof ask.now === 'string' ? ask.now : ask.now()
    const current = upToDate(shared, now)
    const answer = answerTo(ask, current)
    if (answer.granted) current.calls.push({ at: now, agent: ask.agent })
    return { next: current, result: note === null ? answer : { ...answer, note } }
  })
}

/** To look at. Without the lock, which is for those who change it: the file is replaced as a whole. */
export function callsThisHour(home: string, now: Instant): number {
  const shared = parseShared(readIfThere(join(home, 'calls.json')) ?? '')
  return shared === null ? 0 : upToDate(shared, now).calls.length
}

/** An agent's account is limited until then: every run of this user that asks for that agent waits. */
export function noteLimit(home: string, agent: string, until: Instant): void {
  withShared(home, (shared) => ({ next: { ...shared, limits: { ...shared.limits, [agent]: until } }, result: undefined }))
}

type Shared = { calls: { at: Instant; agent: string }[]; limits: Record<string, Instant> }

const HOUR_MS = 3_600_000

function withShared<T>(home: string, step: (shared: Shared, note: string | null) => { next: Shared; result: T }): T {
  const path = join(home, 'calls.json')
  try {
    return underLock(`${path}.lock`, () => {
      const { shared, note } = readShared(path)
      const { next, result } = step(shared, note)
      replaceFile(path, `${JSON.stringify(next)}\n`)
      return result
    })
  } catch (error) {
    if (error instanceof Failure || errorCode(error) === '') throw error
    const what = `Cannot write ${path}, where calls are counted: ${(error as Error).message}.`
    throw new Failure(EXIT.config, `${what} Make its folder writable, or set RALPH_HOME to one that is.`)
  }
}

/** A file that makes no sense is kept aside, and counting starts anew. */
function readShared(path: string): { shared: Shared; note: string | null } {
  const text = readIfThere(path)
  const shared = text === null ? { calls: [], limits: {} } : parseShared(text)
  if (shared) return { shared, note: null }
  renameSync(path, `${path}.bad`)
  const note = `${path}, where calls are counted, made no sense: it is kept as ${basename(path)}.bad, and the count of this hour starts anew.`
  return { shared: { calls: [], limits: {} }, note }
}

function parseShared(text: string): Shared | null {
  try {
    const { calls, limits } = JSON.parse(text) as Shared
    const isSound = calls.every(({ at }) => isInstant(at)) && Object.values(limits).every(isInstant)
    return isSound ? { calls, limits } : null
  } catch {
    return null
  }
}

const isInstant = (at: unknown): boolean => typeof at === 'string' && !Number.isNaN(Date.parse(at))

/**
 * Without what is over. A call from the future (the clock went back, or two processes read it in the other order than they asked)
 * counts as made now: it is never more than an hour in the way, and the limit holds.
 */
function upToDate(shared: Shared, now: Instant): Shared {
  const calls = shared.calls
    .map((call) => (msBetween(call.at, now) < 0 ? { ...call, at: now } : call))
    .filter((call) => msBetween(call.at, now) < HOUR_MS)
    .sort((a, b) => msBetween(b.at, a.at))
  const limits = Object.fromEntries(Object.entries(shared.limits).filter(([, until]) => msBetween(now, until) > 0))
  return { calls, limits }
}

function answerTo({ limitPerHour, agent }: Ask, { calls, limits }: Shared): Granted {
  const until = limits[agent]
  if (until !== undefined) return { granted: false, until, by: 'usage-limit' }
  if (limitPerHour === 0 || calls.length < limitPerHour) return { granted: true }
  const nextToGo = calls[calls.length - limitPerHour]!
  return { granted: false, until: later(nextToGo.at, HOUR_MS), by: 'rate' }
}
