/** What Codex means by its error messages: it tells in words alone what others tell with a status or a code. */
import { eventsIn, isRecord, recordOf, textOf } from './json-lines.ts'
import type { ProviderError } from './provider-errors.ts'

/** Its own words and the provider's inside them; the first that matches counts. */
const meanings: [RegExp, Omit<ProviderError, 'text'>][] = [
  [/^You['’]ve hit your usage limit|^Your workspace is out of credits|^Quota exceeded/i, { code: 'usage_limit_reached' }],
  [/^To use Codex with your ChatGPT plan|^Missing environment variable|access token could not be refreshed|log ?out and sign in again/i, { status: 401 }],
  [/^rate limit exceeded|\brate limit reached for\b/i, { status: 429 }],
  [/^Selected model is at capacity|currently experiencing high demand|\boverloaded\b/i, { code: 'overloaded' }],
]
const disconnected = /^stream disconnected|^connection failed|error sending request|timed? ?out\b/i
