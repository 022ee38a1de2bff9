/** What a failed turn of an ACP agent means. The protocol has one code for a login; beyond that, each agent tells the provider's refusal in its own place. */
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

/** Some agents put the program's word on a failure where the model's words belong, and end the turn as if all were well. */
export function failureIn(words: string): ProviderError | undefined {
  const error = copilotFailure.exec(words.trim())?.[1]
  if (error !== undefined) return toldBy(/\bLast error: (.*)$/s.exec(error)?.[1] ?? error)
  return isApiError(words) ? toldBy(words) : undefined
}

const authRequired = -32000

const isLogin = (code: number, errorName: string): boolean => code === authRequired || errorName === 'ProviderAuthError'

/** The status of the provider's answer, where an agent makes it the code of its own; 500 is what it says when it has none. */
const statusOf = (code: number): number | undefined => (code > 399 && code < 600 && code !== 500 ? code : undefined)

function toldBy(text: string): ProviderError {
  const inside = geminiErrorOf(text)
  const status = loginWords.test(inside.text) ? 401 : /\(HTTP (\d{3})\)/.exec(inside.text)?.[1]
  return { ...sdkErrorOf(inside.text), ...(status === undefined ? {} : { status: Number(status) }), ...inside }
}

/** As providers word it, for agents that pass on nothing but the words. */
const loginWords = /^(?:incorrect api key provided|invalid (?:x-)?api[- ]key|invalid authentication|unauthorized\b|no api key\b)/i
const copilotFailure =
  /^(?:Info: Request failed due to a transient API error\. Retrying\.\.\.)*Error: ((?:Authentication failed with provider|Failed to get response from the AI model|Model '[^']*' not found on provider)\b[\s\S]*)$/
