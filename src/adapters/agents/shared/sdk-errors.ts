/** What an error means that reached an agent through a provider's SDK: mostly the status it begins with, sometimes only its words. */
import type { ProviderError } from './provider-errors.ts'

export function sdkErrorOf(message: string): ProviderError {
  const text = message.trim() || 'the agent ended with an error and did not say which'
  const [, meaning] = meanings.find(([words]) => words.test(text)) ?? []
  const status = /^(\d{3})\b/.exec(text)?.[1]
  return { text, ...(status === undefined ? {} : { status: Number(status) }), ...meaning }
}

/** The first that matches counts. */
const meanings: [RegExp, Omit<ProviderError, 'text'>][] = [
  // A quota that is used up has the status of a rate, but does not pass in seconds.
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
