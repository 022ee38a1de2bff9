/** What Gemini CLI, and Qwen Code that descends from it, mean by their error messages: words alone, sometimes around the provider's JSON. */
import { jsonIn, numberOf, recordOf, textOf } from '../../../core/text/json.ts'
import type { ProviderError } from './provider-errors.ts'

export function geminiErrorOf(message: string): ProviderError {
  const inside = insideApiError(message)
  const refusal = refusalIn(inside)
  const text = refusal?.text || inside || 'the agent ended with an error and did not say which'
  const [, meaning] = meanings.find(([words]) => words.test(text)) ?? []
  const status = refusal?.status ?? (hasRateAdvice(message) ? 429 : undefined)
  return { text, ...(status === undefined ? {} : { status }), ...meaning }
}

/** Whether a text is nothing but `[API Error: …]`, with the advice that may follow it: words around it mean that someone speaks about one. */
export const isApiError = (text: string): boolean =>
  /^\[API Error: (?:\{[\s\S]*\}|[^\]]*)\](?:\n(?:Please wait|Possible quota)[^\n]*)?$/.test(text.trim())

/** For what is known to be an error: the words inside. */
export const insideApiError = (message: string): string => message.trim().replace(/^\[API Error: ([\s\S]*)\](?:\n[^\n]*)?$/, '$1')

/** The advice comes with the status 429 and no other. */
const hasRateAdvice = (message: string): boolean =>
  /\]\n(?:Please wait and try again later|Possible quota limitations)\b/.test(message)

/** The first that matches counts. What a minute's limit and a day's have in common ("exceeded your current quota") tells nothing. */
const meanings: [RegExp, Omit<ProviderError, 'text'>][] = [
  [/^You have exhausted your (?:daily quota|capacity)\b|\bquota will reset after\b/, { code: 'usage_limit_reached' }],
  [/^API key (?:not valid|expired)\b/, { status: 401 }],
  [/^The model is overloaded\b|^No capacity available\b/, { status: 503 }],
  [/^(?:exception TypeError: )?fetch failed\b|^terminated$/, { code: 'connection_failed' }],
]

/** Some refusals are passed on as the provider's whole JSON. */
function refusalIn(text: string): { text: string; status?: number } | undefined {
  const error = recordOf(recordOf(jsonIn(text))['error'])
  const status = numberOf(error['code'])
  return textOf(error['message']) ? { text: textOf(error['message']), ...(status === undefined ? {} : { status }) } : undefined
}
