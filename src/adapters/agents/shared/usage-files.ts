/** What a call has used, from the files that some agents keep about it: for those that print it only at their own end, or never. */
import { readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { tried } from '../../../core/failure.ts'
import { type Json, jsonIn, numberOf, recordOf, recordsIn, textOf } from '../../../core/text/json.ts'
import { epochMs, instantOf } from '../../../core/text/time.ts'
import type { Usage } from '../../../core/types.ts'
import type { UsageLeft } from '../../../ports.ts'
import { readIfThere } from '../../files/files.ts'
import { usageSum } from './usage-sum.ts'

/** Copilot's own count, which it also writes when it is interrupted. */
export const copilotUsageFile = 'usage.json'

export function copilotUsage({ files }: UsageLeft): Usage | undefined {
  const told = recordOf(jsonIn(readIfThere(join(files, copilotUsageFile)) ?? ''))
  const sum = usageSum()
  let total: Usage | undefined
  for (const model of Object.values(recordOf(told['modelMetrics']))) {
    const count = (key: string): number => numberOf(recordOf(recordOf(model)['usage'])[key]) ?? 0
    const [cacheRead, cacheWrite] = [count('cacheReadTokens'), count('cacheWriteTokens')]
    const input = Math.max(0, count('inputTokens') - cacheRead - cacheWrite)
    total = totalOf(sum({ input, output: count('outputTokens'), cacheRead, cacheWrite, costUsd: 0 }))
  }
  return total
}

/** Kimi's session has a line for each request. */
export function kimiUsage({ session, cwd, env, since }: UsageLeft): Usage | undefined {
  const home = env['KIMI_CODE_HOME'] || join(env['HOME'] ?? homedir(), '.kimi-code')
  const known = linesOf(join(home, 'session_index.jsonl'))
  const own = known.findLast(({ sessionId, workDir }) => (session === '' ? workDir === cwd : sessionId === session))
  const sum = usageSum()
  let total: Usage | undefined
  for (const { type, time, usage } of linesOf(join(textOf(own?.['sessionDir']), 'agents', 'main', 'wire.jsonl'))) {
    if (type !== 'usage.record' || (numberOf(time) ?? 0) < since) continue
    const count = (key: string): number => numberOf(recordOf(usage)[key]) ?? 0
    const [cacheRead, cacheWrite] = [count('inputCacheRead'), count('inputCacheCreation')]
    total = totalOf(sum({ input: count('inputOther'), output: count('output'), cacheRead, cacheWrite, costUsd: 0 }))
  }
  return total
}

/** Codex's session has the sum so far, of earlier calls too. */
export function codexUsage({ session, env, since }: UsageLeft): Usage | undefined {
  if (session === '') return undefined
  const home = env['CODEX_HOME'] || join(env['HOME'] ?? homedir(), '.codex')
  const path = rolloutsOn(home, [since, Date.now()]).findLast((file) => file.endsWith(`-${session}.jsonl`))
  const sums = (path === undefined ? [] : linesOf(path, '"token_count"')).flatMap(({ timestamp, payload }) => {
    const { type, info } = recordOf(payload)
    const told = recordOf(recordOf(info)['total_token_usage'])
    return type === 'token_count' && told['input_tokens'] !== undefined ? [{ at: textOf(timestamp), told }] : []
  })
  const last = sums.at(-1)
  if (last === undefined || !(epochMs(last.at) >= since)) return undefined
  const before = sums.findLast(({ at }) => epochMs(at) < since)?.told ?? {}
  const count = (key: string): number => (numberOf(last.told[key]) ?? 0) - (numberOf(before[key]) ?? 0)
  const [cacheRead, cacheWrite] = [count('cached_input_tokens'), count('cache_write_input_tokens')]
  const input = Math.max(0, count('input_tokens') - cacheRead - cacheWrite)
  return totalOf(usageSum()({ input, output: count('output_tokens'), cacheRead, cacheWrite, costUsd: 0 }))
}

/** Those of the days, in a folder each by local time: a session that was resumed keeps its first day's. */
const rolloutsOn = (home: string, times: number[]): string[] => {
  const days = [...times, (times[0] ?? 0) - dayMs].flatMap((ms) =>
    [-dayMs, 0, dayMs].map((by) => instantOf(ms + by).slice(0, 10)),
  )
  const folders = [...new Set(days)].map((day) => join(home, 'sessions', ...day.split('-')))
  return folders.flatMap((folder) => tried(() => readdirSync(folder), []).map((name) => join(folder, name)))
}
const dayMs = 86_400_000

/** They know of no price. */
const totalOf = (entry: ReturnType<ReturnType<typeof usageSum>>): Usage | undefined =>
  entry.kind === 'usage' ? { ...entry.usage, costUsd: null } : undefined

/** A session can be long, and is read while it grows: only lines with this word are parsed. */
const linesOf = (path: string, word = ''): Json[] =>
  recordsIn((readIfThere(path) ?? '').split('\n').flatMap((line) => (line.includes(word) ? [jsonIn(line)] : [])))
