/** What an ACP agent tells in one turn, as the lines that Claude Code would print. */
import { type Json, numberOf, recordOf, textOf } from '../../../core/text/json.ts'
import type { ProviderError } from '../shared/provider-errors.ts'
import type { RpcAnswer } from './client.ts'
import { acpErrorOf, failureIn } from './errors.ts'
import { type AcpTool, parentOf, toolCalls } from './tools.ts'

export type TurnPrinter = {
  began(session: string, model: string): void
  /** The parameters of a `session/update`. */
  updated(params: Json): void
  /** The call of a tool for which a permission is asked, with all that is known of it. */
  asked(call: Json): AcpTool
  denied(tool: AcpTool): void
  /** Whatever the turn came to; true: an error. */
  ended(answer: RpcAnswer): boolean
}

export function turnPrinter(print: (event: Json) => void): TurnPrinter {
  const takeCall = toolCalls(print)
  let session = ''
  let words: SpokenWords | undefined
  let lastWords: string | undefined
  let requests = 0
  let costUsd: number | undefined

  /** A message comes in pieces: it is whole as soon as anything else happens. */
  const speak = (): void => {
    if (words && words.text !== '') {
      print({ type: 'assistant', ...parentOf(words), message: { content: [blockOf(words)] } })
      if (!words.isThought && words.parent === '') lastWords = words.text
    }
    words = undefined
  }
  const piece = (update: Json, parent: string, isThought: boolean): void => {
    const text = textOf(recordOf(update['content'])['text'])
    const id = textOf(update['messageId'])
    const usage = usageIn(recordOf(recordOf(update['_meta'])['usage']))
    if (usage) print({ type: 'assistant', ...parentOf({ parent }), message: { id: `request-${++requests}`, content: [], usage } })
    if (text === '') return
    if (!words || words.id !== id || words.isThought !== isThought || words.parent !== parent) speak()
    words ??= { id, parent, isThought, text: '' }
    words.text += text
    if (words.text.length > 2 * longestMessage) words.text = words.text.slice(-longestMessage)
  }

  return {
    began: (id, model) => {
      session = id
      print({ type: 'system', subtype: 'init', session_id: id, model })
    },
    updated: (params) => {
      const update = recordOf(params['update'])
      const parent = parentIn(update, textOf(params['sessionId']), session)
      switch (update['sessionUpdate']) {
        case 'agent_message_chunk':
          return piece(update, parent, false)
        case 'agent_thought_chunk':
          return piece(update, parent, true)
        case 'tool_call':
        case 'tool_call_update':
          speak()
          takeCall(update, parent, false)
          return
        case 'usage_update':
          costUsd = costIn(update) ?? costUsd
          return
        default:
          return // plans, modes, titles: nothing of it is said or done
      }
    },
    asked: (call) => {
      speak()
      return takeCall(call, '', true)
    },
    denied: ({ id, label }) => print({ type: 'system', subtype: 'permission_denied', tool_name: label, tool_use_id: id }),
    ended: (answer) => {
      speak()
      const result = 'result' in answer ? answer.result : {}
      const failure = 'error' in answer ? acpErrorOf(answer.error) : (stopOf(result) ?? failureIn(lastWords ?? ''))
      print({
        type: 'result',
        is_error: failure !== undefined,
        ...(failure ? failureOf(failure) : { result: lastWords }),
        ...spent(result, costUsd),
        session_id: session,
      })
      return failure !== undefined
    },
  }
}

type SpokenWords = { id: string; parent: string; isThought: boolean; text: string }

/** No reader needs more than the end of a very long answer, and memory must stay flat. */
const longestMessage = 256 * 1024

const blockOf = ({ text, isThought }: SpokenWords): Json =>
  isThought ? { type: 'thinking', thinking: text } : { type: 'text', text }

/** A subagent's: marked as such, or told under a session of its own. */
function parentIn(update: Json, session: string, ours: string): string {
  const marked = textOf(recordOf(recordOf(update['_meta'])['claudeCode'])['parentToolUseId'])
  return marked || (session === ours ? '' : session)
}

function costIn(update: Json): number | undefined {
  const { amount, currency } = recordOf(update['cost'])
  return currency === 'USD' ? numberOf(amount) : undefined
}

/** The ends of a turn that are no end of the work. */
function stopOf({ stopReason }: Json): ProviderError | undefined {
  const text = stops.get(textOf(stopReason))
  return text === undefined ? undefined : { text }
}

const stops = new Map(
  Object.entries({
    cancelled: 'the turn was cancelled',
    max_tokens: 'the turn ended in the middle: the model reached its limit of tokens',
    max_turn_requests: 'the turn ended in the middle: the agent reached its limit of requests',
    refusal: 'the agent refused to go on',
  }),
)

const failureOf = ({ text, status, code }: ProviderError): Json => ({
  result: text,
  api_error_status: status,
  api_error: code || undefined,
})

/** What the whole turn used, where the answer tells. A cost without tokens is told all the same. */
function spent(result: Json, costUsd: number | undefined): Json {
  const quota = recordOf(recordOf(recordOf(result['_meta'])['quota'])['token_count'])
  const usage = usageIn(recordOf(result['usage'])) ?? usageIn(quota) ?? (costUsd ? {} : undefined)
  return usage ? { usage, total_cost_usd: costUsd } : {}
}

/** Some count what the cache read as input, others beside it: the total tells which. */
function usageIn(usage: Json): Json | undefined {
  const tokens = (...keys: string[]): number => keys.map((key) => numberOf(usage[key])).find((count) => count !== undefined) ?? 0
  const [input, output, thought] = [
    tokens('inputTokens', 'input_tokens'),
    tokens('outputTokens', 'output_tokens'),
    tokens('thoughtTokens'),
  ]
  const [read, written, total] = [tokens('cachedReadTokens'), tokens('cachedWriteTokens'), tokens('totalTokens')]
  if (input + output + total === 0) return undefined
  const isBeside = total === 0 || input + output + thought + read + written <= total
  return {
    input_tokens: isBeside ? input : Math.max(0, input - read - written),
    output_tokens: output + thought,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
  }
}
