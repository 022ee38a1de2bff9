/** What happens to Qwen Code in its recordings. Without a connection, or with a broken server, it tries for minutes: that is not recorded. */
import { openaiError, type Turn } from '../../test/support/model-server.ts'
import { qwenEnvironment, realQwen } from '../../test/support/real-qwen.ts'
import type { Recorded } from '../record.ts'

const anyTool = { skipPermissions: true }
const refused = (status: number, type: string, message: string): Turn => ({
  status,
  body: openaiError(type, message, { code: type }),
  headers: { 'retry-after-ms': '10' },
})
const tooFast = refused(429, 'rate_limit_exceeded', 'Rate limit reached for requests.')

export const qwen: Recorded = {
  program: realQwen,
  environment: qwenEnvironment,
  plain: withoutTimes,
  scenarios: {
    success: {
      turns: [
        { tool: { bash: 'echo one > a.txt && git add -A && git commit -qm "feat: S-1 - first" && git log --oneline | wc -l' } },
        { text: 'Done.' },
      ],
      options: anyTool,
    },
    'tool-fails': {
      turns: [{ tool: { bash: 'echo "usage limit reached" >&2; exit 3' } }, { text: 'It failed.' }],
      options: anyTool,
    },
    'permission-denied': {
      turns: [{ tool: { name: 'run_shell_command', args: { command: 'git status' } } }, { text: 'I may not.' }],
    },
    'rate-limit-once': { turns: [tooFast, { text: 'Done.' }] },
    'rate-limit': { turns: [tooFast] },
    'usage-limit': { turns: [refused(429, 'insufficient_quota', 'Quota exceeded. It will reset at 2026-11-16 08:00:00.')] },
    'quota-exceeded': { turns: [refused(429, 'insufficient_quota', 'You exceeded your current quota.')] },
    'bad-key': { turns: [refused(401, 'invalid_api_key', 'Incorrect API key provided.')] },
    overloaded: { turns: [refused(503, 'overloaded', 'Overloaded.')] },
    'disconnect-in-the-middle': { turns: [{ text: 'Half of it', breaksOff: 'disconnect' }] },
    'unknown-model': { turns: [refused(404, 'model_not_found', 'The model `nothing` does not exist.')], model: 'nothing' },
    'context-too-long': {
      turns: [refused(400, 'context_length_exceeded', 'Your input exceeds the context window of this model.')],
    },
  },
}

function withoutTimes(event: Record<string, unknown>): void {
  for (const key of ['duration_ms', 'duration_api_ms']) if (key in event) event[key] = 100
  if (event['subtype'] === 'init') event['slash_commands'] = []
  const text = JSON.stringify(event).replaceAll(/PGID: \d+/g, 'PGID: 1')
  Object.assign(event, JSON.parse(text))
}
