/** What kind of failure a call to the model's provider was: a limit, a rejected login, an overload, no connection, or something else. */
import type { Entry } from '../../../core/reading/transcript.ts'
import { instantOf } from '../../../core/text/time.ts'

/** What an agent reports about a failed call; `code` is the agent's own name for it. */
export type ProviderError = { text: string; status?: number; code?: string; resetsAt?: number }

export function entryOfError({ text, status, code = '', resetsAt }: ProviderError): Entry {
  const limit = usageLimitIn(text.replace(/^API Error:.*?·\s*/, ''))
  if (limit || code === 'usage_limit_reached' || outOfCredit.test(text)) return usageLimit(text, resetsAt ?? limit?.resetsAt)
  const by = reasonFrom(status ?? statusIn(text), code) ?? reasonIn(text)
  return by ? { kind: 'throttled', by, message: text } : { kind: 'error', message: text }
}

/** The usage limit that a text announces, if the text is only that announcement. Other words around it mean that someone is talking about limits. */
export function usageLimitIn(text: string): { resetsAt?: number } | undefined {
  const words = text.trim()
  if (words.length > longestAnnouncement || !limitWords.test(words)) return undefined
  const epoch = /\|(\d{10,13})$/.exec(words)?.[1]
  return epoch === undefined ? {} : { resetsAt: Number(epoch) }
}

export function usageLimit(message: string, resetsAt: number | undefined): Entry {
  return { kind: 'throttled', by: 'usage-limit', ...untilOf(resetsAt), message }
}

/** A line that the agent's program printed outside its own format, if it says that the provider rejected the call. */
export function entryOfPlainLine(line: string): Entry | undefined {
  const text = line.trim()
  if (!usageLimitIn(text) && !/^API Error\b/.test(text)) return undefined
  const entry = entryOfError({ text })
  return entry.kind === 'throttled' ? { ...entry, isHearsay: true } : undefined
}

/**
 * A program that retries. While its provider is down, that counts until the model says or does anything: if the call ends in
 * the meantime, the agent did not fail.
 */
export function entriesOfRetry(message: string, error: ProviderError): Entry[] {
  const retrying: Entry = { kind: 'retrying', message }
  const entry = entryOfError(error)
  const isDown = entry.kind === 'throttled' && (entry.by === 'unreachable' || entry.by === 'overload')
  return isDown ? [retrying, { ...entry, isHearsay: true }] : [retrying]
}

/** The paid quota is used up: not the agent's fault, and every further call would fail the same way. */
const outOfCredit = /^(?:API Error\b.{0,200}?)?(?:your )?credit balance is too low(?:$|[.·]| to access\b)/is

type Reason = Extract<Entry, { kind: 'throttled' }>['by']

const longestAnnouncement = 300
const limitWords = new RegExp(
  [
    '^(?:error: )?(?:',
    "you(?:['’]ve| have) (?:hit|reached) your (?!(?:[\\w'’-]+ ){0,2}rate )", // a rate limit passes in seconds
    "(?:[\\w'’-]+ ){0,3}limit(?: for [\\w .-]{1,40}?)?", // session, 5-hour, weekly, Opus weekly
    "|you['’]re out of (?:extra )?usage",
    '|(?:claude(?: ai)? )?(?:opus |sonnet |haiku )?(?:usage|session|weekly|daily|monthly|5-hour)(?: usage)? limit reached',
    ')(?:\\.?$|\\s*[·∙•|]',
    // Further sentences are allowed only if they tell the user what to do.
    '|\\.\\s+(?:upgrade|visit|switch to|to get more|contact|(?:please )?(?:try again|wait)',
    '|(?:your )?limits? (?:will reset|resets))\\b)',
  ].join(''),
  'i',
)

/** Seconds or milliseconds since 1970; absurd values are ignored. */
function untilOf(resetsAt: number | undefined): { until?: string } {
  if (resetsAt === undefined || !(resetsAt > 0 && resetsAt < 1e14)) return {}
  return { until: instantOf(resetsAt < 1e11 ? resetsAt * 1000 : resetsAt) }
}

function statusIn(text: string): number | undefined {
  const status = /^(?:Failed to authenticate\. )?API Error:? \(?(?:Request rejected \()?(\d{3})\b/.exec(text)?.[1]
  return status === undefined ? undefined : Number(status)
}

function reasonFrom(status: number | undefined, code: string): Reason | undefined {
  if (status === 401 || status === 403 || code === 'authentication_failed') return 'login'
  if (status === 429 || code === 'rate_limit') return 'rate'
  if (status === 529 || status === 503 || code === 'overloaded') return 'overload'
  // A provider with an internal error is as unreachable as one without a connection.
  if ((status !== undefined && status >= 500) || code === 'connection_failed') return 'unreachable'
  return undefined
}

/** For agents that report errors only as text. Only the program's own wording counts: a failed agent may end with words about rate limits. */
function reasonIn(text: string): Reason | undefined {
  if (
    /^(?:API Error.*)?(?:invalid api key|not logged in|please run \/login|oauth token (?:has )?(?:expired|been revoked))/i.test(
      text,
    )
  )
    return 'login'
  if (/[.·]\s*please run \/login\.?$/i.test(text)) return 'login'
  if (!/^API Error\b/.test(text)) return undefined
  if (/temporarily limiting requests|\brate.limit(?:ed)?\b/i.test(text)) return 'rate'
  if (/\boverloaded\b/i.test(text)) return 'overload'
  if (/\b(?:ECONN\w+|ETIMEDOUT|ENOTFOUND|EAI_AGAIN)\b|connection (?:error|dropped|refused|was closed)|fetch failed/i.test(text))
    return 'unreachable'
  if (/\brequest timed out\b|\bsocket hang up\b|^API Error: terminated\.?$/i.test(text)) return 'unreachable'
  return undefined
}
