/** What happens to Grok Build in its recordings. */
import { openaiError, type Turn } from '../../test/support/model-server.ts'
import { grokEnvironment, realGrok } from '../../test/support/real-grok.ts'
import type { Recorded } from '../record.ts'

const anyTool = { skipPermissions: true }
const refused = (status: number, type: string, message: string): Turn => ({
  status,
  body: openaiError(type, message),
  headers: { 'retry-after': '0' },
})
const tooFast = refused(429, 'rate_limit_exceeded', 'Rate limit reached. Please try again in 1s.')
const commits = 'echo one > a.txt && git add -A && git commit -qm "feat: S-1 - first" && git log --oneline | wc -l'

/** Broken connections are not among them: it retries for long. */
export const grok: Recorded = {
  program: realGrok,
  environment: grokEnvironment,
  plain(event) {
    const same = JSON.stringify(event)
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '00000000-0000-4000-8000-000000000000')
      .replaceAll(/"(duration_ms|duration_api_ms)":\d+/g, '"$1":0')
      .replaceAll(/sessions\/[^"\\]*\//g, 'sessions/')
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
        { tool: { name: 'write', args: { file_path: 'new.txt', content: 'hello\n' } } },
        { tool: { name: 'search_replace', args: { file_path: 'new.txt', old_string: 'hello', new_string: 'bye' } } },
        { text: 'Written.' },
      ],
      options: anyTool,
    },
    'permission-denied': { turns: [{ tool: { bash: commits } }, { text: 'I may not.' }] },
    'rate-limit-once': { turns: [tooFast, { text: 'Done.' }] },
    'rate-limit': { turns: [tooFast] },
    'usage-limit': {
      turns: [refused(429, 'insufficient_quota', 'You exceeded your current quota, please check your plan and billing details.')],
    },
    'bad-key': { turns: [refused(401, 'invalid_api_key', 'Incorrect API key provided.')] },
    'unknown-model': { turns: [refused(404, 'model_not_found', 'The model `nothing` does not exist.')] },
    'empty-answer': { turns: [{ text: '' }] },
  },
}
