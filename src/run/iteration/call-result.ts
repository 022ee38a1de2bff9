/** The result of a call of any role: how it ended, what went wrong, and when the provider is available again. */

import { join } from 'node:path'
import type { callAgent } from '../../adapters/process/agent-call.ts'
import { iterationLogName } from '../../adapters/project/layout.ts'
import { noteLimit } from '../../adapters/project/rate-limit.ts'
import { isTelemetrySet, traceVariables } from '../../adapters/telemetry/trace-context.ts'
import type { UnreadableSignal } from '../../core/evolve/unreadable.ts'
import { unknownResetMs } from '../../core/evolve/usage-limits.ts'
import { unknownUsage } from '../../core/figures/price.ts'
import { looksLikeError } from '../../core/reading/reading.ts'
import { resetTime } from '../../core/reading/reset-time.ts'
import type { Throttled } from '../../core/reading/transcript.ts'
import { later } from '../../core/text/time.ts'
import type { Ended, Exit, Instant, Repo, Scope } from '../../core/types.ts'
import type { Agent } from '../../ports.ts'
import { callKey } from '../../views/figures/spans.ts'
import { runTag, type Work } from '../parts.ts'

export type CallResult = Awaited<ReturnType<typeof callAgent>>

export const logPath = ({ logs }: Pick<Work, 'logs'>, iteration: Scope): string => join(logs, iterationLogName(iteration))

/** For an agent that printed nothing. */
export const nothingPrinted: Pick<Ended, 'exitCode' | 'reading' | 'usage' | 'durationMs' | 'outputChars' | 'summary'> = {
  exitCode: null,
  reading: { status: 'unknown', exitSignal: false, confidence: 0, workType: '', tests: '', evidence: [], signals: [] },
  usage: unknownUsage,
  durationMs: 0,
  outputChars: 0,
  summary: '',
}

/** For an iteration whose worktree is missing. */
export const nothingLeft = (
  repo: Repo,
): Pick<Ended, 'repo' | 'before' | 'commits' | 'trees' | 'uncommitted' | 'flips' | 'repairs'> => ({
  repo,
  before: repo,
  commits: [],
  trees: [],
  uncommitted: [],
  flips: [],
  repairs: [],
})

/** What all calls of a run have in common. */
export type CallDoors = Pick<Work, 'run' | 'logs' | 'settings' | 'mask' | 'sandbox'>
export const doorsOf = (world: CallDoors, iteration: Scope) => ({
  tag: runTag(world, iteration),
  logPath: logPath(world, iteration),
  graceMs: world.settings['process.grace_seconds'] * 1000,
  keep: world.settings['process.keep'],
  mask: world.mask,
  sandbox: world.sandbox,
})

/** For an agent that traces itself: its call is the span around its own. */
export const traceOfCall = (world: Pick<Work, 'run' | 'settings' | 'env'>, call: number): Record<string, string> =>
  isTelemetrySet(world) ? traceVariables(world.run, callKey(call), world.settings) : {}

/** The provider was unavailable or has a limit, with the time of its return if known. One call teaches it to all runs of this user. */
export function throttledIn(world: Pick<Work, 'home' | 'now'>, call: CallResult, agent: Agent): Throttled | undefined {
  const told = isQuoted(call, agent) ? undefined : call.transcript.throttled
  const throttled = told && withReset(told, world.now())
  if (throttled?.by === 'usage-limit') noteLimit(world.home, agent.name, throttled.until ?? later(world.now(), unknownResetMs))
  return throttled
}

/** If words cannot be told from other output, a program that succeeds after other words has only quoted a limit. */
function isQuoted({ end, transcript }: CallResult, { tellsWordsApart }: Agent): boolean {
  const words = transcript.finalMessage.trim()
  return !tellsWordsApart && end.code === 0 && words !== '' && words !== transcript.throttled?.message
}

/** When the provider will be available again, if its message says so. */
function withReset(throttled: Throttled, now: Instant): Throttled {
  const until = throttled.until ?? resetTime(throttled.message, now, new Intl.DateTimeFormat().resolvedOptions().timeZone)
  return { ...throttled, message: throttled.message.slice(0, 500), ...(until === undefined ? {} : { until }) }
}

/** An agent's exit code is evidence, not a verdict: its own report of its end comes first. */
export function exitOf({ end, transcript }: CallResult): Exit {
  if (end.how === 'timeout' || end.how === 'stopped') return end.how
  if (end.how === 'missing') return 'failed'
  if (transcript.isStructuredEnd) return transcript.isError ? 'failed' : 'ok'
  return end.code === 0 && transcript.errors.length === 0 ? 'ok' : 'failed' // some exit with 0 whatever happened
}

/**
 * Nothing that it printed was understood, or its program does not know one of Ralph's options: the installed version is another one than Ralph
 * knows. Plain text is never understood line by line.
 */
export function unreadableOf(call: CallResult, { name, tested, tellsWordsApart }: Agent): UnreadableSignal | undefined {
  const { end, transcript, printed } = call
  if (!tellsWordsApart || end.how !== 'exited' || transcript.understood > 0) return undefined
  const known = tested === undefined ? '' : `. Ralph was tested with ${name} ${tested}`
  if (exitOf(call) === 'failed')
    return transcript.unknownOption === undefined
      ? undefined
      : unreadable('option', `${name} does not know an option that Ralph uses: ${transcript.unknownOption}${known}`)
  const lines = printed === 1 ? 'the line' : `any of the ${printed} lines`
  const last = transcript.lastNoise.trim() === '' ? '' : `${printed === 1 ? ':' : '; the last:'} ${transcript.lastNoise.trim()}`
  return printed === 0 ? undefined : unreadable('lines', `Ralph did not understand ${lines} that ${name} printed${last}${known}`)
}

const unreadable = (by: UnreadableSignal['by'], message: string): UnreadableSignal => ({ kind: 'unreadable', by, message })

/** The error that the agent reported; otherwise the last error line it printed; otherwise how it ended. */
export function errorOf({ end, transcript }: CallResult): string {
  const told = transcript.errors.at(-1) ?? end.error
  if (told !== undefined) return told
  const printed = transcript.finalMessage.split('\n').slice(-50).findLast(looksLikeError)?.trim()
  return printed || transcript.lastNoise || (end.code === null ? `ended by ${end.signal}` : '')
}
