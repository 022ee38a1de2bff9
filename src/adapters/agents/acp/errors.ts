/** What a failed turn of an ACP agent means. The protocol has one code for a missing login; everything else each agent reports in its own way. */
import { recordOf, textOf } from '../../../core/text/json.ts'
import { geminiErrorOf, isApiError } from '../shared/gemini-errors.ts'
import type { ProviderError } from '../shared/provider-errors.ts'
import { sdkErrorOf } from '../shared/sdk-errors.ts'
import type { RpcError } from './client.ts'

export function acpErrorOf({ code, message, data }: RpcError): ProviderError {
  const { details, errorKind, errorName } = recordOf(data)
  const told = toldBy(textOf(details) || message.replace(/^Internal error: /, ''))
  const status = isLogin(code, textOf(errorName)) ? 401 : (told.status ?? statusOf(code))
  return { code: textOf(errorKind), ...told, ...(status === undefined ? {} : { status }) }
}

/** Some agents put the program's error where the model's text belongs, and end the turn as if it had succeeded. */
export function failureIn(words: string): ProviderError | undefined {
  const error = copilotFailure.exec(words.trim())?.[1]
  if (error !== undefined) return toldBy(/\bLast error: (.*)$/s.exec(error)?.[1] ?? error)
  return isApiError(words) ? toldBy(words) : undefined
}

const authRequired = -32000

const isLogin = (code: number, errorName: string): boolean => code === authRequired || errorName === 'ProviderAuthError'

/** The provider's status, where an agent uses it as its own code; 500 is what it uses when it has none. */
const statusOf = (code: number): number | undefined => (code > 399 && code < 600 && code !== 500 ? code : undefined)

function toldBy(text: string): ProviderError {
  const inside = geminiErrorOf(text)
  const status = loginWords.test(inside.text) ? 401 : /\(HTTP (\d{3})\)/.exec(inside.text)?.[1]
  return { ...sdkErrorOf(inside.text), ...(status === undefined ? {} : { status: Number(status) }), ...inside }
}

/** Wording of providers, for agents that pass on only the text. */
const loginWords = /^(?:incorrect api key provided|invalid (?:x-)?api[- ]key|invalid authentication|unauthorized\b|no api key\b)/i
const copilotFailure =
  /^(?:Info: Request failed due to a transient API error\. Retrying\.\.\.)*Error: ((?:Authentication failed with provider|Failed to get response from the AI model|Model '[^']*' not found on provider)\b[\s\S]*)$/
