/** What the error messages of Gemini CLI mean, and of Qwen Code, which is based on it: plain text, sometimes around the provider's JSON. */
import { jsonIn, numberOf, recordOf, textOf } from '../../../core/text/json.ts'
import type { ProviderError } from './provider-errors.ts'

export function geminiErrorOf(message: string): ProviderError {
  const inside = insideApiError(message)
  const refusal = refusalIn(inside)
  const text = refusal?.text || inside || 'the agent failed without an error message'
  const [, meaning] = meanings.find(([words]) => words.test(text)) ?? []
  const status = refusal?.status ?? (hasRateAdvice(message) ? 429 : undefined)
  return { text, ...(status === undefined ? {} : { status }), ...meaning }
}

/** Whether a text is only `[API Error: …]`, perhaps with advice after it. Other words around it mean that someone is talking about an error. */
export const isApiError = (text: string): boolean =>
  /^\[API Error: (?:\{[\s\S]*\}|[^\]]*)\](?:\n(?:Please wait|Possible quota)[^\n]*)?$/.test(text.trim())

/** The words inside, for a text that is known to be an error. */
export const insideApiError = (message: string): string => message.trim().replace(/^\[API Error: ([\s\S]*)\](?:\n[^\n]*)?$/, '$1')

/** The advice comes only with status 429. */
const hasRateAdvice = (message: string): boolean =>
  /\]\n(?:Please wait and try again later|Possible quota limitations)\b/.test(message)

/** The first match counts. Limits per minute and per day share the words "exceeded your current quota", so these say nothing. */
const meanings: [RegExp, Omit<ProviderError, 'text'>][] = [
  [/^You have exhausted your (?:daily quota|capacity)\b|\bquota will reset after\b/, { code: 'usage_limit_reached' }],
  [/^API key (?:not valid|expired)\b/, { status: 401 }],
  [/^The model is overloaded\b|^No capacity available\b/, { status: 503 }],
  [/^(?:exception TypeError: )?fetch failed\b|^terminated$/, { code: 'connection_failed' }],
]

/** Some errors contain the provider's whole JSON. */
function refusalIn(text: string): { text: string; status?: number } | undefined {
  const error = recordOf(recordOf(jsonIn(text))['error'])
  const status = numberOf(error['code'])
  return textOf(error['message']) ? { text: textOf(error['message']), ...(status === undefined ? {} : { status }) } : undefined
}
