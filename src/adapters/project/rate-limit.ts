/** Agent calls of the last hour and known usage limits, shared by all runs of this user on this machine. */
import { epochMs, later, msBetween } from '../../core/text/time.ts'
import type { Instant } from '../../core/types.ts'
import { type CountedCall, isLike, type SharedCalls, sharedNow, withShared } from './calls-file.ts'

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

/** For reading only. */
export function callsThisHour(home: string, agent: string, now: Instant): number {
  return countOf(upToDate(sharedNow(home), now).calls.filter(isLike(agent)))
}

/** The account of an agent is limited until then: every run of this user with that agent waits. */
export function noteLimit(home: string, agent: string, until: Instant): void {
  withShared(home, (shared) => ({ next: { ...shared, limits: { ...shared.limits, [agent]: until } }, result: undefined }))
}

const HOUR_MS = 3_600_000
/** Above this, calls of the same minute are counted together, so that thousands of calls per hour stay fast. */
const MOST_APART = 200

/**
 * Without expired ones. A call from the future (the clock went back, or two processes read it in another order) counts as made now: it blocks for at
 * most an hour, and the limit holds.
 */
function upToDate(shared: SharedCalls, now: Instant): SharedCalls {
  const nowMs = epochMs(now)
  const calls = shared.calls
    .map((call) => ({ call, atMs: epochMs(call.at) }))
    .map((one) => (one.atMs > nowMs ? { call: { ...one.call, at: now }, atMs: nowMs } : one))
    .filter(({ atMs }) => nowMs - atMs < HOUR_MS)
    .sort((a, b) => a.atMs - b.atMs)
    .map(({ call }) => call)
  const limits = Object.fromEntries(Object.entries(shared.limits).filter(([, until]) => msBetween(now, until) > 0))
  return { ...shared, calls, limits }
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

function answerTo({ limitPerHour, agent }: CallRequest, { calls, limits }: SharedCalls): Granted {
  const until = Object.hasOwn(limits, agent) ? limits[agent] : undefined // an agent may be called "constructor"
  if (until !== undefined) return { granted: false, until, by: 'usage-limit' }
  if (limitPerHour === 0) return { granted: true }
  let newer = 0
  const inTheWay = calls.filter(isLike(agent)).findLast(({ times }) => (newer += times ?? 1) >= limitPerHour)
  if (inTheWay === undefined) return { granted: true }
  return { granted: false, until: later(inTheWay.at, HOUR_MS), by: 'rate' }
}
