/** What an error means that came through a provider's SDK: usually the status it starts with, sometimes only its text. */
import type { ProviderError } from './provider-errors.ts'

export function sdkErrorOf(message: string): ProviderError {
  const text = message.trim() || 'the agent failed without an error message'
  const [, meaning] = meanings.find(([words]) => words.test(text)) ?? []
  const status = /^(\d{3})\b/.exec(text)?.[1]
  return { text, ...(status === undefined ? {} : { status: Number(status) }), ...meaning }
}

/** The first match counts. */
const meanings: [RegExp, Omit<ProviderError, 'text'>][] = [
  // A used-up quota has the status of a rate limit, but does not pass in seconds.
  [
    /exceeded your current quota|\binsufficient_quota\b|^(?:\d{3} )?you have hit your ChatGPT usage limit/i,
    { code: 'usage_limit_reached' },
  ],
  [/^No API key\b/, { status: 401 }],
  [/^\D*\boverloaded(?:_error)?\b/i, { code: 'overloaded' }],
  [
    /^(?:connection error|connection lost|cannot connect to API|request was aborted|request timed out|fetch failed|terminated|socket hang up|other side closed|network error)\b|\berror sending request\b|\b(?:ECONN\w+|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)\b/i,
    { code: 'connection_failed' },
  ],
]
