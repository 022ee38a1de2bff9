/** Agent calls of the last hour and known usage limits, shared by all runs of this user on this machine. */
import { renameSync } from 'node:fs'
import { basename } from 'node:path'
import { EXIT, Failure } from '../../core/failure.ts'
import { isListOf, isRecord, isText, type Json, jsonIn, numberOf, recordOf } from '../../core/text/json.ts'
import { epochMs, later, msBetween } from '../../core/text/time.ts'
import type { Instant } from '../../core/types.ts'
import { errorCode, readIfThere, replaceFile } from '../files/files.ts'
import { callsPath } from './layout.ts'
import { underLock } from './lock.ts'

export type CallRequest = {
  /** over all runs and agents; 0: no limit */
  limitPerHour: number
  agent: string
  /** The clock is read when it is our turn, so that waiting processes are recorded in the order in which they are answered. */
  now: Instant | (() => Instant)
}
export type Granted = ({ granted: true } | { granted: false; until: Instant; by: 'rate' | 'usage-limit' }) & {
  /** What people should know: the count was lost. */
  note?: string
}

/** Records the call if it is granted. `home` is the folder of calls.json. */
export function askForCall(home: string, ask: CallRequest): Granted {
  return withShared(home, (shared, note) => {
    const now = typeof ask.now === 'string' ? ask.now : ask.now()
    const current = upToDate(shared, now)
    const answer = answerTo(ask, current)
    if (answer.granted) current.calls.push({ at: now, agent: ask.agent })
    const calls = condensed(current.calls, Math.max(MOST_APART, ask.limitPerHour))
    return { next: { ...current, calls }, result: note === null ? answer : { ...answer, note } }
  })
}

/** For reading only. It needs no lock, because the file is replaced atomically. */
export function callsThisHour(home: string, agent: string, now: Instant): number {
  const shared = parseShared(readIfThere(callsPath(home)) ?? '')
  return shared === null ? 0 : countOf(upToDate(shared, now).calls.filter(isLike(agent)))
}

/** Scripted calls cost nothing: they have a count of their own, and use up nothing of what real agents may do. */
const isLike = (agent: string) => (call: CountedCall) => (call.agent === SCRIPTED) === (agent === SCRIPTED)
const SCRIPTED = 'scripted'

/** The account of an agent is limited until then: every run of this user with that agent waits. */
export function noteLimit(home: string, agent: string, until: Instant): void {
  withShared(home, (shared) => ({ next: { ...shared, limits: { ...shared.limits, [agent]: until } }, result: undefined }))
}

/** `times`: this many, the last one then; default 1. */
type CountedCall = { at: Instant; agent: string; times?: number }
type Shared = { calls: CountedCall[]; limits: Record<string, Instant> }

const HOUR_MS = 3_600_000
const VERSION = 1
/** Above this, calls of the same minute are counted together, so that thousands of calls per hour stay fast. */
const MOST_APART = 200

function withShared<T>(home: string, step: (shared: Shared, note: string | null) => { next: Shared; result: T }): T {
  const path = callsPath(home)
  try {
    return underLock(`${path}.lock`, () => {
      const { shared, note } = readShared(path)
      const { next, result } = step(shared, note)
      replaceFile(path, `${JSON.stringify({ version: VERSION, ...next })}\n`)
      return result
    })
  } catch (error) {
    if (error instanceof Failure || errorCode(error) === '') throw error
    const what = `Cannot write ${path}, where calls are counted: ${(error as Error).message}.`
    throw new Failure(EXIT.config, `${what} Make its folder writable, or set RALPH_HOME to one that is.`)
  }
}

/** An unreadable file is kept aside, and counting starts again. */
function readShared(path: string): { shared: Shared; note: string | null } {
  const text = readIfThere(path)
  const shared = text === null ? { calls: [], limits: {} } : parseShared(text)
  const version = versionOf(text)
  if (version > VERSION) {
    const found = `${path}, where calls are counted, has version ${version}; this Ralph supports versions up to ${VERSION}.`
    throw new Failure(EXIT.data, `${found} A newer Ralph wrote it: update Ralph, or set RALPH_HOME to another folder.`)
  }
  if (shared) return { shared, note: null }
  renameSync(path, `${path}.bad`)
  const note = `${path}, where calls are counted, was not readable. It is kept as ${basename(path)}.bad, and the hourly count starts again at 0.`
  return { shared: { calls: [], limits: {} }, note }
}

const versionOf = (text: string | null): number => numberOf(recordOf(jsonIn(text ?? ''))['version']) ?? VERSION

function parseShared(text: string): Shared | null {
  const { calls, limits } = recordOf(jsonIn(text))
  return isListOf(calls, isCall) && isRecord(limits) && areLimits(limits) ? { calls, limits } : null
}

function isCall(value: unknown): value is CountedCall {
  const { at, agent, times = 1 } = recordOf(value)
  return isInstant(at) && isText(agent) && Number.isInteger(times) && Number(times) > 0
}

const areLimits = (limits: Json): limits is Shared['limits'] => Object.values(limits).every(isInstant)
const isInstant = (at: unknown): at is Instant => isText(at) && !Number.isNaN(Date.parse(at))

/**
 * Without expired ones. A call from the future (the clock went back, or two processes read it in another order) counts as made now: it blocks for at
 * most an hour, and the limit holds.
 */
function upToDate(shared: Shared, now: Instant): Shared {
  const nowMs = epochMs(now)
  const calls = shared.calls
    .map((call) => ({ call, atMs: epochMs(call.at) }))
    .map((one) => (one.atMs > nowMs ? { call: { ...one.call, at: now }, atMs: nowMs } : one))
    .filter(({ atMs }) => nowMs - atMs < HOUR_MS)
    .sort((a, b) => a.atMs - b.atMs)
    .map(({ call }) => call)
  const limits = Object.fromEntries(Object.entries(shared.limits).filter(([, until]) => msBetween(now, until) > 0))
  return { calls, limits }
}

/** The oldest ones per minute. Such a high limit is then precise to the minute, and never exceeded. */
function condensed(calls: CountedCall[], apart: number): CountedCall[] {
  const old = calls.slice(0, -apart)
  const together: CountedCall[] = []
  for (const call of old) {
    const last = together.at(-1)
    const isAlike = last?.agent === call.agent && last.at.slice(0, MINUTE_LENGTH) === call.at.slice(0, MINUTE_LENGTH)
    if (isAlike) together[together.length - 1] = { ...call, times: countOf([last, call]) }
    else together.push(call)
  }
  return [...together, ...calls.slice(old.length)]
}

/** Of an instant as text, down to its minute. */
const MINUTE_LENGTH = '2026-01-09T12:00'.length

const countOf = (calls: CountedCall[]): number => calls.reduce((sum, { times }) => sum + (times ?? 1), 0)

function answerTo({ limitPerHour, agent }: CallRequest, { calls, limits }: Shared): Granted {
  const until = Object.hasOwn(limits, agent) ? limits[agent] : undefined // an agent may be called "constructor"
  if (until !== undefined) return { granted: false, until, by: 'usage-limit' }
  if (limitPerHour === 0) return { granted: true }
  let newer = 0
  const inTheWay = calls.filter(isLike(agent)).findLast(({ times }) => (newer += times ?? 1) >= limitPerHour)
  if (inTheWay === undefined) return { granted: true }
  return { granted: false, until: later(inTheWay.at, HOUR_MS), by: 'rate' }
}
