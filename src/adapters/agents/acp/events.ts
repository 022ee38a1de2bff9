/** Turns what an ACP agent reports in one turn into the lines that Claude Code would print. */
import { type Json, numberOf, recordOf, textOf } from '../../../core/text/json.ts'
import type { ProviderError } from '../shared/provider-errors.ts'
import type { RpcAnswer } from './client.ts'
import { acpErrorOf, failureIn } from './errors.ts'
import { type AcpTool, parentOf, toolCalls } from './tools.ts'

export type TurnPrinter = {
  began(session: string, model: string): void
  /** The parameters of a `session/update`. */
  updated(params: Json): void
  /** The tool call for which permission is asked, with all its known details. */
  asked(call: Json): AcpTool
  denied(tool: AcpTool): void
  /** How the turn ended; true: with an error. */
  ended(answer: RpcAnswer): boolean
}

export function turnPrinter(print: (event: Json) => void): TurnPrinter {
  const takeCall = toolCalls(print)
  let session = ''
  let words: SpokenWords | undefined
  let lastWords: string | undefined
  let requests = 0
  let costUsd: number | undefined
  let hasActed = false

  /** A message arrives in pieces: it is complete as soon as anything else happens. */
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
          hasActed = true
          takeCall(update, parent, false)
          return
        case 'usage_update':
          costUsd = costIn(update) ?? costUsd
          return
        default:
          return // plans, modes, titles: neither words nor work
      }
    },
    asked: (call) => {
      speak()
      hasActed = true
      return takeCall(call, '', true)
    },
    denied: ({ id, label }) => print({ type: 'system', subtype: 'permission_denied', tool_name: label, tool_use_id: id }),
    ended: (answer) => {
      speak()
      const result = 'result' in answer ? answer.result : {}
      const failure =
        'error' in answer
          ? acpErrorOf(answer.error)
          : (stopOf(result) ?? failureIn(lastWords ?? '') ?? emptyTurn(lastWords, hasActed))
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

/** Readers need only the end of a very long answer, and memory must stay flat. */
const longestMessage = 256 * 1024

const blockOf = ({ text, isThought }: SpokenWords): Json =>
  isThought ? { type: 'thinking', thinking: text } : { type: 'text', text }

/** From a subagent: marked as such, or reported under its own session. */
function parentIn(update: Json, session: string, ours: string): string {
  const marked = textOf(recordOf(recordOf(update['_meta'])['claudeCode'])['parentToolUseId'])
  return marked || (session === ours ? '' : session)
}

function costIn(update: Json): number | undefined {
  const { amount, currency } = recordOf(update['cost'])
  return currency === 'USD' ? numberOf(amount) : undefined
}

/** A model that answers says or does something: some agents hide a rejected login or a used up quota behind a turn that is empty. */
const emptyTurn = (words: string | undefined, hasActed: boolean): ProviderError | undefined =>
  words === undefined && !hasActed
    ? { text: 'the agent ended its turn without a word and without a tool call: check its login and its quota' }
    : undefined

/** Ends of a turn that do not end the work. */
function stopOf({ stopReason }: Json): ProviderError | undefined {
  const text = stops.get(textOf(stopReason))
  return text === undefined ? undefined : { text }
}

const stops = new Map(
  Object.entries({
    cancelled: 'the turn was cancelled',
    max_tokens: 'the turn was cut off: the model reached its token limit',
    max_turn_requests: 'the turn was cut off: the agent reached its request limit',
    refusal: 'the agent refused to continue',
  }),
)

const failureOf = ({ text, status, code }: ProviderError): Json => ({
  result: text,
  api_error_status: status,
  api_error: code || undefined,
})

/** Usage of the whole turn, if the answer has it. A cost without tokens is reported too. */
function spent(result: Json, costUsd: number | undefined): Json {
  const quota = recordOf(recordOf(recordOf(result['_meta'])['quota'])['token_count'])
  const usage = usageIn(recordOf(result['usage'])) ?? usageIn(quota) ?? (costUsd ? {} : undefined)
  return usage ? { usage, total_cost_usd: costUsd } : {}
}

/** Some agents count cache reads as input, others separately: the total shows which. */
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
