/** What happens to Codex in its recordings. */
import { openaiError, type Turn } from '../../test/support/model-server.ts'
import { codexEnvironment, realCodex } from '../../test/support/real-codex.ts'
import type { Recorded } from '../record.ts'

const anyTool = { skipPermissions: true }
const refused = (status: number, type: string, message: string, more = {}): Turn => ({
  status,
  body: openaiError(type, message, more),
  headers: { 'retry-after': '0' },
})
const tooFast = refused(429, 'rate_limit_exceeded', 'Rate limit reached for gpt-5.5. Please try again in 1s.')
const patch = ['*** Begin Patch', '*** Add File: new.txt', '+hello', '*** End Patch'].join('\n')

export const codex: Recorded = {
  program: realCodex,
  environment: codexEnvironment,
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
    'file-change': { turns: [{ tool: { bash: `apply_patch <<'EOF'\n${patch}\nEOF\n` } }, { text: 'Patched.' }], options: anyTool },
    'outside-the-sandbox': { turns: [{ tool: { bash: 'touch /usr/x' } }, { text: 'I may not.' }] },
    'rate-limit-once': { turns: [tooFast, { text: 'Done.' }] },
    'rate-limit': { turns: [tooFast] },
    'usage-limit': {
      turns: [refused(429, 'usage_limit_reached', 'The usage limit has been reached', { plan_type: 'plus', resets_at: 1790000000 })],
    },
    'quota-exceeded': { turns: [refused(429, 'insufficient_quota', 'You exceeded your current quota.')] },
    'plan-without-codex': { turns: [refused(429, 'usage_not_included', 'Not included.', { plan_type: 'free' })] },
    'bad-key': { turns: [refused(401, 'invalid_api_key', 'Incorrect API key provided.')] },
    'at-capacity': { turns: [refused(503, 'server_is_overloaded', 'The server is overloaded.')] },
    overloaded: { turns: [refused(529, 'overloaded', 'Overloaded')] },
    'server-error': { turns: [refused(500, 'server_error', 'The server had an error.')] },
    disconnect: { turns: [{ disconnect: true }] },
    'disconnect-once': { turns: [{ text: 'Half of it', breaksOff: 'disconnect' }, { text: 'Done.' }] },
    'unknown-model': { turns: [refused(404, 'model_not_found', 'The model `nothing` does not exist.')], model: 'nothing' },
    'context-too-long': {
      turns: [refused(400, 'context_length_exceeded', 'Your input exceeds the context window of this model.')],
    },
  },
}
