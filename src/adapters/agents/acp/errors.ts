/** What a failed turn of an ACP agent means. The protocol has one code for a missing login; everything else each agent reports in its own way. */
import { isRecord, jsonIn, recordOf, textOf } from '../../../core/text/json.ts'
import { geminiErrorOf, isApiError } from '../shared/gemini-errors.ts'
import type { ProviderError } from '../shared/provider-errors.ts'
import { sdkErrorOf } from '../shared/sdk-errors.ts'
import type { RpcError } from './client.ts'

export function acpErrorOf({ code, message, data }: RpcError): ProviderError {
  const { errorKind, errorName } = recordOf(data)
  const told = toldBy(textIn(data) || message.replace(/^Internal error: /, ''))
  const status = isLogin(code, textOf(errorName)) ? 401 : (told.status ?? statusOf(code))
  return { code: textOf(errorKind), ...told, ...(status === undefined ? {} : { status }) }
}

/** Some agents put the program's error where the model's text belongs, and end the turn as if it had succeeded. */
export function failureIn(words: string): ProviderError | undefined {
  const error = copilotFailure.exec(words.trim())?.[1]
  if (error !== undefined) return toldBy(/\bLast error: (.*)$/s.exec(error)?.[1] ?? error)
  return isApiError(words) ? toldBy(words) : undefined
}

/** What happened, which the protocol leaves to each agent: a text, JSON as a text, or a field of a record. */
function textIn(data: unknown, depth = 0): string {
  if (depth > 4) return ''
  if (typeof data === 'string') {
    const inside = recordOf(jsonIn(data))
    return isRecord(inside['error']) ? data.trim() : textIn(inside, depth + 1) || data.trim() // a provider's own JSON also has its status
  }
  const { details, message, error, reason } = recordOf(data)
  const found = [details, message, error, reason].map((each) => (each === undefined ? '' : textIn(each, depth + 1)))
  return found.find((text) => text !== '') ?? ''
}

const authRequired = -32000

const isLogin = (code: number, errorName: string): boolean => code === authRequired || errorName === 'ProviderAuthError'

/** The provider's status, where an agent uses it as its own code; 500 is what it uses when it has none. */
const statusOf = (code: number): number | undefined => (code > 399 && code < 600 && code !== 500 ? code : undefined)

function toldBy(text: string): ProviderError {
  const inside = geminiErrorOf(text)
  const status = loginWords.test(inside.text) ? 401 : /\(HTTP (\d{3})\)/.exec(inside.text)?.[1]
  const code = quotaWords.test(inside.text) ? { code: 'usage_limit_reached' } : {}
  return { ...sdkErrorOf(inside.text), ...(status === undefined ? {} : { status: Number(status) }), ...inside, ...code }
}

/** Wording of providers, for agents that pass on only the text. */
const loginWords =
  /^(?:error: )?(?:incorrect api key provided|invalid (?:x-)?api[- ]key|invalid authentication|unauthorized\b|no api key\b|authentication (?:failed|required)\b|(?:you are )?not (?:logged|signed) in\b|(?:please )?(?:log|sign) in (?:to|first|again)\b|login required\b|unexpected status 401\b)/i
const quotaWords =
  /^(?:error: )?(?:(?:your )?(?:account )?(?:has )?insufficient (?:balance|credits?|quota)\b|(?:you are )?out of credits?\b|payment required\b|unexpected status 402\b|(?:monthly |weekly |daily )?(?:usage )?quota (?:exceeded|exhausted)\b)|\bexceeded_current_quota_error\b/i
const copilotFailure =
  /^(?:Info: Request failed due to a transient API error\. Retrying\.\.\.)*Error: ((?:Authentication failed with provider|Failed to get response from the AI model|Model '[^']*' not found on provider)\b[\s\S]*)$/
