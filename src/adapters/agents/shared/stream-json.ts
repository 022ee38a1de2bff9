/** Reads the stream-json lines of Claude Code, and of agents that print the same, into transcript entries. */
import type { Entry } from '../../../core/reading/transcript.ts'
import { isRecord, isText, type Json, numberOf, recordOf, recordsIn, textOf } from '../../../core/text/json.ts'
import type { Usage } from '../../../core/types.ts'
import type { Reader } from '../../../ports.ts'
import { jsonLinesReader, noise, sayValue, toolResult } from './json-lines.ts'
import { entriesOfRetry, entryOfError, type ProviderError, usageLimit, usageLimitIn } from './provider-errors.ts'
import { toolEntry } from './tool-input.ts'

/** `alike`: for agents that print almost the same, converts their event to Claude Code's form. */
export function streamJsonReader(alike: (event: Json) => Json = (event) => event): Reader {
  const memory: Memory = { told: new Set(), failure: '', model: '', spent: new Map() }
  return jsonLinesReader((event) => entriesOf(alike(event), memory))
}

/** What this call reported so far: the result repeats what events said before. */
type Memory = {
  told: Set<string>
  failure: string
  model: string
  /** Messages so far, by id: each comes in several events. */
  spent: Map<string, Usage>
}

function entriesOf(event: Json, memory: Memory): Entry[] {
  switch (event['type']) {
    case 'system':
      return systemEntries(event, memory)
    case 'assistant':
      return assistantEntries(event, memory)
    case 'user':
      return contentOf(event).flatMap(resultIn)
    case 'rate_limit_event':
      return rateLimitEntries(event, memory)
    case 'result':
      return resultEntries(event, memory)
    default:
      return [] // new kinds of events appear with every version of the agent
  }
}

function systemEntries(event: Json, memory: Memory): Entry[] {
  switch (event['subtype']) {
    case 'init':
      memory.model = textOf(event['model'])
      return [{ kind: 'session', id: textOf(event['session_id']), model: memory.model }]
    case 'permission_denied':
      return deniedEntries([event], memory)
    case 'api_retry': {
      const status = event['error_status'] ? ` (${sayValue(event['error_status'])})` : ''
      const message = `${textOf(event['error']) || 'unknown error'}${status}, retry ${sayValue(event['attempt'])} of ${sayValue(event['max_retries'])}`
      return entriesOfRetry(message, { text: `no answer from the provider: ${message}`, ...retriedFor(event) })
    }
    default:
      return []
  }
}

/** Without a status there was no answer at all. */
function retriedFor(event: Json): Omit<ProviderError, 'text'> {
  const status = numberOf(event['error_status'])
  return status === undefined ? { code: 'connection_failed' } : { status }
}

function assistantEntries(event: Json, memory: Memory): Entry[] {
  const isSub = Boolean(event['parent_tool_use_id'])
  const content = contentOf(event)
  const spoken = content.flatMap((block) => (block['type'] === 'text' ? [textOf(block['text'])] : [])).join('\n')
  // The text of a failed call is the program's, not the agent's; a subagent's failure is the agent's problem.
  if (event['error'] && isSub) return [noise(spoken)]
  if (event['error']) return failureEntries({ ...providerError(event), text: spoken || textOf(event['error']) }, memory)
  return [
    ...content.flatMap((block): Entry[] => {
      if (block['type'] === 'text') return [{ kind: 'said', text: textOf(block['text']), isSub }]
      return block['type'] === 'tool_use' ? [toolEntry(textOf(block['name']), block['input'], isSub)] : []
    }),
    ...spentSoFar(event, isSub, memory),
  ]
}

/** Usage of the call so far, and how full the main agent's context is. The result has the final numbers. */
function spentSoFar(event: Json, isSub: boolean, { spent }: Memory): Entry[] {
  const message = recordOf(event['message'])
  const usage = usageOf(message['usage'])
  const id = textOf(message['id'])
  if (usage === undefined || id === '') return []
  const before = spent.get(id)
  if (before?.outputTokens === usage.outputTokens && before.inputTokens === usage.inputTokens) return []
  spent.set(id, usage)
  return [{ kind: 'usage', usage: sumOf([...spent.values()]), ...(isSub ? {} : { contextTokens: usage.inputTokens }) }]
}

function sumOf(all: Usage[]): Usage {
  const sum = (pick: (each: Usage) => number): number => all.reduce((total, each) => total + pick(each), 0)
  return {
    inputTokens: sum((each) => each.inputTokens),
    outputTokens: sum((each) => each.outputTokens),
    costUsd: null,
    ...(all.some((each) => each.cacheReadTokens) ? { cacheReadTokens: sum((each) => each.cacheReadTokens ?? 0) } : {}),
    ...(all.some((each) => each.cacheWriteTokens) ? { cacheWriteTokens: sum((each) => each.cacheWriteTokens ?? 0) } : {}),
  }
}

type TokenKeys = { input: string; output: string; cacheRead: string; cacheWrite: string }
const ofMessage: TokenKeys = {
  input: 'input_tokens',
  output: 'output_tokens',
  cacheRead: 'cache_read_input_tokens',
  cacheWrite: 'cache_creation_input_tokens',
}
const ofModel: TokenKeys = {
  input: 'inputTokens',
  output: 'outputTokens',
  cacheRead: 'cacheReadInputTokens',
  cacheWrite: 'cacheCreationInputTokens',
}

function usageOf(usage: unknown, { input, output, cacheRead, cacheWrite }: TokenKeys = ofMessage): Usage | undefined {
  if (!isRecord(usage)) return undefined
  const tokens = (key: string) => numberOf(usage[key]) ?? 0
  const [cacheReadTokens, cacheWriteTokens] = [tokens(cacheRead), tokens(cacheWrite)]
  const inputTokens = tokens(input) + cacheReadTokens + cacheWriteTokens
  return {
    inputTokens,
    outputTokens: tokens(output),
    costUsd: null,
    ...(cacheReadTokens > 0 ? { cacheReadTokens } : {}),
    ...(cacheWriteTokens > 0 ? { cacheWriteTokens } : {}),
  }
}

function resultIn(block: Json): Entry[] {
  if (block['type'] !== 'tool_result') return []
  const content = block['content']
  const parts = Array.isArray(content) ? recordsIn(content).map((part) => textOf(part['text'])) : [textOf(content)]
  return [toolResult(block['is_error'] === true, parts.join('\n'))]
}

function rateLimitEntries(event: Json, memory: Memory): Entry[] {
  const info = recordOf(event['rate_limit_info'])
  // With paid extra usage, work continues beyond the limit: that is not a limit.
  if (info['status'] !== 'rejected' || info['isUsingOverage'] === true) return []
  const message = `usage limit reached${info['rateLimitType'] ? ` (${sayValue(info['rateLimitType'])})` : ''}`
  const limit = usageLimit(message, numberOf(info['resetsAt']))
  // Without a time it must not hide later messages, which may have one.
  if (!('until' in limit)) return memory.failure === 'usage-limit' ? [] : [limit]
  return once(limit, memory)
}

function resultEntries(event: Json, memory: Memory): Entry[] {
  const isError = event['is_error'] === true
  const text = answerIn(event)
  const denials = recordsIn(event['permission_denials'])
  return [
    ...deniedEntries(denials, memory),
    ...usageEntries(event, memory),
    ...(isError
      ? failureEntries({ ...providerError(event), text: text || errorsOf(event) }, memory)
      : limitAsAnswer(text ?? '', memory)),
    { kind: 'end', isError, ...(text === undefined ? {} : { text }) },
  ]
}

/** With a schema, the structured answer is the message, whatever else was said. */
function answerIn({ structured_output: structured, result }: Json): string | undefined {
  if (isRecord(structured)) return JSON.stringify(structured)
  return typeof result === 'string' ? result : undefined
}

/** Some versions return a limit as an ordinary answer with every sign of success. */
function limitAsAnswer(text: string, memory: Memory): Entry[] {
  const limit = usageLimitIn(text)
  return limit ? once(usageLimit(text, limit.resetsAt), memory) : []
}

/**
 * At the end of a budget `usage` lacks the last request, and it never has those of other models: what the models report counts, if it is more.
 * In a resumed session `modelUsage` is the whole session's, and this call's part is under another name.
 */
function usageEntries(event: Json, { spent, model }: Memory): Entry[] {
  const usage = usageOf(event['usage'])
  if (usage === undefined) return []
  const byModel = recordOf(event['modelUsage'])
  const ofCall = event['model_usage_since_last_result'] ?? (usage.inputTokens === 0 ? byModel : {})
  const counts = [usage, sumOf(modelUsages(ofCall)), sumOf([...spent.values()])]
  const most = counts.reduce((one, other) => (tokensIn(other) > tokensIn(one) ? other : one))
  const contextWindow = numberOf(recordOf(byModel[model])['contextWindow'])
  const known = contextWindow === undefined ? {} : { contextWindow }
  return [{ kind: 'usage', usage: { ...most, costUsd: numberOf(event['total_cost_usd']) ?? null }, ...known }]
}

const tokensIn = ({ inputTokens, outputTokens }: Usage): number => inputTokens + outputTokens

const modelUsages = (byModel: unknown): Usage[] =>
  Object.values(recordOf(byModel)).flatMap((usage) => usageOf(usage, ofModel) ?? [])

function deniedEntries(denials: Json[], { told }: Memory): Entry[] {
  return denials.flatMap((denial): Entry[] => {
    const id = textOf(denial['tool_use_id'])
    if (id && told.has(id)) return []
    told.add(id)
    return [{ kind: 'denied', tool: textOf(denial['tool_name']) }]
  })
}

const failureEntries = (error: ProviderError, memory: Memory): Entry[] => once(entryOfError(error), memory)

/** Up to three events report one failure (limit, message, result): the first says the most. */
function once(entry: Entry, memory: Memory): Entry[] {
  const failure = entry.kind === 'throttled' ? entry.by : entry.kind === 'error' ? entry.message : ''
  if (memory.failure === failure) return []
  memory.failure = failure
  return [entry]
}

function providerError(event: Json): Omit<ProviderError, 'text'> {
  const params = recordOf(event['api_error_params'])
  const info = recordOf(params['rate_limit_info'])
  return {
    status: numberOf(event['api_error_status']),
    code: textOf(event['api_error']) || textOf(event['error']),
    resetsAt: numberOf(info['resetsAt']),
  }
}

function errorsOf(event: Json): string {
  const errors = Array.isArray(event['errors']) ? event['errors'].filter(isText) : []
  return errors.join('\n') || textOf(event['subtype']) || 'the agent failed without an error message'
}

function contentOf(event: Json): Json[] {
  const content = recordOf(event['message'])['content']
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return recordsIn(content)
}
