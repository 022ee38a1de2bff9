/** What happens to pi in its recordings. */
import { openaiError, type Turn } from '../../test/support/model-server.ts'
import { piEnvironment, realPi } from '../../test/support/real-pi.ts'
import type { Recorded } from '../record.ts'

const refused = (status: number, type: string, message: string): Turn => ({ status, body: openaiError(type, message) })
const tooFast = refused(429, 'rate_limit_exceeded', 'Rate limit reached. Please try again in 1s.')

export const pi: Recorded = {
  program: realPi,
  environment: piEnvironment,
  plain(event) {
    for (const part of recordsIn(event)) if ('timestamp' in part) part['timestamp'] = 0
  },
  scenarios: {
    success: {
      turns: [
        { tool: { bash: 'echo one > a.txt && git add -A && git commit -qm "feat: S-1 - first" && git log --oneline | wc -l' } },
        { text: 'Done.' },
      ],
    },
    'tool-fails': { turns: [{ tool: { bash: 'echo "usage limit reached" >&2; exit 3' } }, { text: 'It failed.' }] },
    'file-change': {
      turns: [
        { tool: { name: 'write', args: { path: 'new.txt', content: 'hello\n' } } },
        { tool: { name: 'edit', args: { path: 'new.txt', oldText: 'hello', newText: 'bye' } } },
        { text: 'Written.' },
      ],
    },
    'rate-limit-once': { turns: [tooFast, { text: 'Done.' }] },
    'rate-limit': { turns: [tooFast] },
    'usage-limit': {
      turns: [refused(429, 'insufficient_quota', 'You exceeded your current quota, please check your plan and billing details.')],
    },
    'bad-key': { turns: [refused(401, 'invalid_api_key', 'Incorrect API key provided.')] },
    overloaded: { turns: [refused(503, 'overloaded', 'Overloaded')] },
    'server-error': { turns: [refused(500, 'server_error', 'The server had an error.')] },
    disconnect: { turns: [{ disconnect: true }] },
    'disconnect-once': { turns: [{ text: 'Half of it', breaksOff: 'disconnect' }, { text: 'Done.' }] },
    'unknown-model': { turns: [refused(404, 'model_not_found', 'The model `nothing` does not exist.')] },
    'context-too-long': {
      turns: [refused(400, 'context_length_exceeded', 'Your input exceeds the context window of this model.')],
    },
  },
}

/** The event and everything in it. */
function recordsIn(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return []
  const inside = Object.values(value).flatMap(recordsIn)
  return Array.isArray(value) ? inside : [value as Record<string, unknown>, ...inside]
}
