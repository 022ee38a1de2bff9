/** What happens to Cline in its recordings. */
import { openaiError, type Turn } from '../../test/support/model-server.ts'
import { clineEnvironment, realCline } from '../../test/support/real-cline.ts'
import type { Recorded } from '../record.ts'

const anyTool = { skipPermissions: true }
const refused = (status: number, type: string, message: string): Turn => ({
  status,
  body: openaiError(type, message),
  headers: { 'retry-after': '0' },
})
const tooFast = refused(429, 'rate_limit_exceeded', 'Rate limit reached. Please try again in 1s.')
const commits = 'echo one > a.txt && git add -A && git commit -qm "feat: S-1 - first" && git log --oneline | wc -l'

/** Broken connections are not among them: it retries for a minute, silently. */
export const cline: Recorded = {
  program: realCline,
  environment: clineEnvironment,
  plain(event) {
    const same = JSON.stringify(event)
      .replaceAll(/\b(agent|conv)_\d+_\w+/g, '$1_0')
      .replaceAll(/"ts":"[^"]*"/g, '"ts":""')
      .replaceAll(/"durationMs":\d+/g, '"durationMs":0')
      .replaceAll(/"stack":"(?:[^"\\]|\\.)*"/g, '"stack":""')
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
        { tool: { name: 'editor', args: { path: 'new.txt', new_text: 'hello\n' } } },
        { tool: { name: 'editor', args: { path: 'new.txt', old_text: 'hello', new_text: 'bye' } } },
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
