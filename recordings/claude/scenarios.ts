/** What happens to Claude Code in its recordings. */
import { errorBody, type Turn } from '../../test/support/model-server.ts'
import { claudeEnvironment, realClaude, subscriberEnvironment } from '../../test/support/real-claude.ts'
import type { Recorded } from '../record.ts'

const anyTool = { skipPermissions: true }
const unifiedLimit = (status: string) => ({
  'anthropic-ratelimit-unified-status': status,
  'anthropic-ratelimit-unified-reset': '1790000000',
  'anthropic-ratelimit-unified-representative-claim': 'five_hour',
  'anthropic-ratelimit-unified-5h-status': status,
  'anthropic-ratelimit-unified-5h-reset': '1790000000',
  'anthropic-ratelimit-unified-5h-utilization': status === 'rejected' ? '1' : '0.9',
})
const refused = (status: number, type: string, message: string, headers = {}): Turn => ({
  status,
  body: errorBody(type, message),
  headers,
})
/** What the agent lists of itself: long, of this machine, and read by no one. */
const lists = [
  ...['tools', 'slash_commands', 'terminal_slash_commands', 'agents', 'skills', 'plugins', 'mcp_servers', 'memory_paths'],
  ...['capabilities', 'messaging_socket_path'],
]

export const claude: Recorded = {
  program: realClaude,
  environment: claudeEnvironment,
  scenarios: {
    success: {
      turns: [
        { tool: { bash: 'echo one > a.txt && git add -A && git commit -qm "feat: S-1 - first" && git log --oneline | wc -l' } },
        { text: 'Done.' },
      ],
      options: anyTool,
    },
    'tool-fails': {
      turns: [{ tool: { bash: 'echo "5-hour limit reached" >&2; exit 3' } }, { text: 'It failed.' }],
      options: anyTool,
    },
    'permission-denied': {
      turns: [{ tool: { bash: 'touch b.txt' } }, { text: 'I may not.' }],
      options: { allowedTools: 'Read' },
    },
    'usage-limit': {
      turns: [refused(429, 'rate_limit_error', 'This request would exceed your account rate limit.', unifiedLimit('rejected'))],
      environment: subscriberEnvironment,
    },
    'rate-limit': {
      turns: [refused(429, 'rate_limit_error', 'This request would exceed your rate limit.', { 'retry-after': '1' })],
    },
    overloaded: { turns: [refused(529, 'overloaded_error', 'Overloaded')] },
    'bad-key': { turns: [refused(401, 'authentication_error', 'invalid x-api-key')] },
    disconnect: { turns: [{ disconnect: true }] },
    'server-error': { turns: [refused(500, 'api_error', 'Internal server error')] },
    'context-too-long': {
      turns: [refused(400, 'invalid_request_error', 'prompt is too long: 250000 tokens > 200000 maximum')],
    },
    'unknown-model': { turns: [refused(404, 'not_found_error', 'model: nothing')], model: 'nothing' },
  },
  plain(event) {
    for (const key of lists) delete event[key]
    for (const key of Object.keys(event)) if (key.endsWith('_ms')) event[key] = 1000
    if (event['timestamp']) event['timestamp'] = '2026-01-09T12:00:00.000Z'
  },
}
