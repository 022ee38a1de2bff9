/** What Codex means by its error messages: it tells in words alone what others tell with a status or a code. */
import { isRecord, recordOf, textOf } from './json-lines.ts'
import type { ProviderError } from './provider-errors.ts'

export function providerErrorOf(message: string): ProviderError {
  const text = toTheSecond(unwrapped(message))
  const [, meaning] = meanings.find(([words]) => words.test(text)) ?? []
  const status = /^(?:unexpected status|exceeded retry limit, last status:) (\d{3})\b/.exec(text)?.[1]
  return { text, ...(status === undefined ? {} : { status: Number(status) }), ...meaning }
}

/** The first that matches counts: a broken stream may carry the provider's reason after its own words. */
const meanings: [RegExp, Omit<ProviderError, 'text'>][] = [
  [/^You['’]ve hit your usage limit|^Your workspace is out of credits|^Quota exceeded/, { code: 'usage_limit_reached' }],
  [
    /^To use Codex with your ChatGPT plan|^Missing environment variable|^Your access token could not be refreshed/,
    { status: 401 },
  ],
  [/^rate limit exceeded|^stream disconnected[^:]*: rate limit reached/i, { status: 429 }],
  [/^Selected model is at capacity|^We['’]re currently experiencing high demand/, { code: 'overloaded' }],
  [/^stream disconnected|^connection failed|^error sending request|^request timed out/i, { code: 'connection_failed' }],
]

/** Codex cuts the time at which a limit ends to the minute: at its beginning the limit still holds. */
const toTheSecond = (text: string): string =>
  text.replace(/(\btry again at [^\n]{0,40}?(?<![\d:])\d{1,2}:\d\d)(?= [AP]M\b)/i, '$1:59')

/** Some refusals are passed on as the provider's whole JSON. */
function unwrapped(message: string): string {
  try {
    const body: unknown = JSON.parse(message)
    return (isRecord(body) && textOf(recordOf(body['error'])['message'])) || message
  } catch {
    return message
  }
}
