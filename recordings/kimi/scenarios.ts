/** What happens to Kimi Code in its recordings. */
import { openaiError, type Turn } from '../../test/support/model-server.ts'
import { kimiEnvironment, realKimi } from '../../test/support/real-kimi.ts'
import type { Recorded } from '../record.ts'

const anyTool = { skipPermissions: true }
const refused = (status: number, type: string, message: string): Turn => ({
  status,
  body: openaiError(type, message),
  headers: { 'retry-after': '0' },
})
const tooFast = refused(429, 'rate_limit_exceeded', 'Rate limit reached. Please try again in 1s.')
const commits = 'echo one > a.txt && git add -A && git commit -qm "feat: S-1 - first" && git log --oneline | wc -l'

export const kimi: Recorded = {
  program: realKimi,
  environment: kimiEnvironment,
  withErrors: true, // it prints its failures there, beside its lines
  plain(event) {
    const same = JSON.stringify(event)
      .replaceAll(/session_[0-9a-f-]{36}/g, 'session_0')
      .replaceAll(/"delay_ms":[\d.]+/g, '"delay_ms":0')
    Object.assign(event, JSON.parse(same))
  },
  scenarios: {
    success: { turns: [{ tool: { bash: commits } }, { text: 'Done.' }], options: anyTool },
    'tool-fails': {
      turns: [{ tool: { bash: 'echo "usage limit reached" >&2; exit 3' } }, { text: 'It failed.' }],
      options: anyTool,
    },
    'file-change': {
      turns: [
        { tool: { name: 'Write', args: { path: 'new.txt', content: 'hello\n' } } },
        { tool: { name: 'Edit', args: { path: 'new.txt', old_string: 'hello', new_string: 'bye' } } },
        { text: 'Written.' },
      ],
      options: anyTool,
    },
    'rate-limit-once': { turns: [tooFast, { text: 'Done.' }] },
    'rate-limit': { turns: [tooFast] },
    'usage-limit': {
      turns: [refused(429, 'insufficient_quota', 'You exceeded your current quota, please check your plan and billing details.')],
    },
    overloaded: { turns: [refused(503, 'overloaded', 'Overloaded')] },
    'bad-key': { turns: [refused(401, 'invalid_api_key', 'Incorrect API key provided.')] },
    'unknown-model': { turns: [refused(404, 'model_not_found', 'The model `nothing` does not exist.')] },
    'empty-answer': { turns: [{ text: '' }] },
  },
}
