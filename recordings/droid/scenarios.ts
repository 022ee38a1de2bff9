/** What happens to Droid in its recordings. */
import { openaiError, type Turn } from '../../test/support/model-server.ts'
import { droidEnvironment, realDroid } from '../../test/support/real-droid.ts'
import type { Recorded } from '../record.ts'

const anyTool = { skipPermissions: true }
const refused = (status: number, type: string, message: string): Turn => ({
  status,
  body: openaiError(type, message),
  headers: { 'retry-after': '0' },
})
const commits = 'echo one > a.txt && git add -A && git commit -qm "feat: S-1 - first" && git log --oneline | wc -l'

/** Rate limits that last, and overloads, are not among them: it retries silently for minutes. */
export const droid: Recorded = {
  program: realDroid,
  environment: droidEnvironment,
  plain(event) {
    const same = JSON.stringify(event)
      .replaceAll(/"(timestamp|durationMs)":\d+/g, '"$1":0')
      .replaceAll(/"(ttft_ms)":[\d.]+/g, '"$1":0')
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
        { tool: { name: 'Create', args: { file_path: 'new.txt', content: 'hello\n' } } },
        { tool: { name: 'Edit', args: { file_path: 'new.txt', old_str: 'hello', new_str: 'bye' } } },
        { text: 'Written.' },
      ],
      options: anyTool,
    },
    'rate-limit-once': { turns: [refused(429, 'rate_limit_exceeded', 'Rate limit reached.'), { text: 'Done.' }] },
    'usage-limit': { turns: [refused(402, 'payment_required', 'You have used up your plan.')] },
    'bad-key': { turns: [refused(401, 'invalid_api_key', 'Incorrect API key provided.')] },
    'unknown-model': { turns: [refused(404, 'model_not_found', 'The model `nothing` does not exist.')] },
    'empty-answer': { turns: [{ text: '' }] },
  },
}
