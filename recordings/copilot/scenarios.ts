/** What happens to the Copilot CLI in its recordings. */
import { openaiError, type Turn } from '../../test/support/model-server.ts'
import { copilotEnvironment, realCopilot } from '../../test/support/real-copilot.ts'
import type { Recorded } from '../record.ts'

const anyTool = { skipPermissions: true }
const refused = (status: number, type: string, message: string): Turn => ({
  status,
  body: openaiError(type, message),
  headers: { 'retry-after': '0' },
})
const tooFast = refused(429, 'rate_limit_exceeded', 'Rate limit reached. Please try again in 1s.')
const commits = 'echo one > a.txt && git add -A && git commit -qm "feat: S-1 - first" && git log --oneline | wc -l'

export const copilot: Recorded = {
  program: realCopilot,
  environment: copilotEnvironment,
  plain(event) {
    const same = JSON.stringify(event)
      .replaceAll(/"(\w*(?:DurationMs|durationMs|Bytes))":\d+/g, '"$1":0')
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(Z|\+00:00)/g, '2026-01-09T12:00:00.000$1')
    Object.assign(event, JSON.parse(same))
  },
  scenarios: {
    success: { turns: [{ tool: { bash: commits } }, { text: 'Done.' }], options: anyTool },
    'tool-fails': {
      turns: [{ tool: { bash: 'echo "usage limit reached" >&2; exit 3' } }, { text: 'It failed.' }],
      options: anyTool,
    },
    'permission-denied': { turns: [{ tool: { bash: commits } }, { text: 'I may not.' }] },
    'rate-limit-once': { turns: [tooFast, { text: 'Done.' }] },
    'rate-limit': { turns: [tooFast] },
    'usage-limit': {
      turns: [refused(429, 'insufficient_quota', 'You exceeded your current quota, please check your plan and billing details.')],
    },
    'bad-key': { turns: [refused(401, 'invalid_api_key', 'Incorrect API key provided.')] },
    'server-error': { turns: [refused(500, 'server_error', 'The server had an error.')] },
    disconnect: { turns: [{ disconnect: true }] },
    'disconnect-once': { turns: [{ text: 'Half of it', breaksOff: 'disconnect' }, { text: 'Done.' }] },
    'unknown-model': { turns: [refused(404, 'model_not_found', 'The model `nothing` does not exist.')] },
    'context-too-long': {
      turns: [refused(400, 'context_length_exceeded', 'Your input exceeds the context window of this model.')],
    },
  },
}
