/** calls.json: what all runs of this user on this machine share, changed under its lock: calls, usage limits, and what calls have cost. */
import { renameSync } from 'node:fs'
import { basename } from 'node:path'
import { EXIT, Failure } from '../../core/failure.ts'
import { isListOf, isRecord, isText, type Json, jsonIn, numberOf, recordOf } from '../../core/text/json.ts'
import type { Instant } from '../../core/types.ts'
import { errorCode, readIfThere, replaceFile } from '../files/files.ts'
import { callsPath } from './layout.ts'
import { underLock } from './lock.ts'

export type SharedCalls = { calls: CountedCall[]; limits: Record<string, Instant> } & Partial<SpentOnDays>
/** `times`: this many, the last one then; default 1. */
export type CountedCall = { at: Instant; agent: string; times?: number }
/** What calls have cost, by local day; and each call that has not ended, or whose run was killed. */
export type SpentOnDays = { days: SpentDay[]; open: OpenCall[] }
/** `tokens`: of the calls whose cost is known; `unknown`: calls without a cost. */
export type SpentDay = { day: string; agent: string; usd: number; tokens: number; unknown: number }
/** So far; `usd` is null as long as the agent has not reported it. */
export type OpenCall = { id: string; day: string; agent: string; usd: number | null; tokens: number }

/** Scripted calls cost nothing: they have a count of their own, and use up nothing of what real agents may do. */
export const isLike = (agent: string) => (call: { agent: string }) => (call.agent === SCRIPTED) === (agent === SCRIPTED)
const SCRIPTED = 'scripted'

const VERSION = 1

export function withShared<T>(
  home: string,
  step: (shared: SharedCalls, note: string | null) => { next: SharedCalls; result: T },
): T {
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

/** For reading only. It needs no lock, because the file is replaced atomically. */
export const sharedNow = (home: string): SharedCalls => parseShared(readIfThere(callsPath(home)) ?? '') ?? nothingShared()

const nothingShared = (): SharedCalls => ({ calls: [], limits: {} })

/** An unreadable file is kept aside, and counting starts again. */
function readShared(path: string): { shared: SharedCalls; note: string | null } {
  const text = readIfThere(path)
  const shared = text === null ? nothingShared() : parseShared(text)
  const version = versionOf(text)
  if (version > VERSION) {
    const found = `${path}, where calls are counted, has version ${version}; this Ralph supports versions up to ${VERSION}.`
    throw new Failure(EXIT.data, `${found} A newer Ralph wrote it: update Ralph, or set RALPH_HOME to another folder.`)
  }
  if (shared) return { shared, note: null }
  renameSync(path, `${path}.bad`)
  const note = `${path}, where calls are counted, was not readable. It is kept as ${basename(path)}.bad, and the counts of calls and costs start again at 0.`
  return { shared: nothingShared(), note }
}

const versionOf = (text: string | null): number => numberOf(recordOf(jsonIn(text ?? ''))['version']) ?? VERSION

function parseShared(text: string): SharedCalls | null {
  const { calls, limits, days = [], open = [] } = recordOf(jsonIn(text))
  if (!isListOf(calls, isCall) || !isRecord(limits) || !areLimits(limits)) return null
  return isListOf(days, isSpentDay) && isListOf(open, isOpenCall) ? { calls, limits, days, open } : null
}

function isCall(value: unknown): value is CountedCall {
  const { at, agent, times = 1 } = recordOf(value)
  return isInstant(at) && isText(agent) && Number.isInteger(times) && Number(times) > 0
}

const areLimits = (limits: Json): limits is SharedCalls['limits'] => Object.values(limits).every(isInstant)
const isInstant = (at: unknown): at is Instant => isText(at) && !Number.isNaN(Date.parse(at))

function isSpentDay(value: unknown): value is SpentDay {
  const { day, agent, usd, tokens, unknown } = recordOf(value)
  return isText(day) && isText(agent) && [usd, tokens, unknown].every(isAmount)
}

function isOpenCall(value: unknown): value is OpenCall {
  const { id, day, agent, usd, tokens } = recordOf(value)
  return isText(id) && isText(day) && isText(agent) && (usd === null || isAmount(usd)) && isAmount(tokens)
}

const isAmount = (value: unknown): boolean => typeof value === 'number' && value >= 0
