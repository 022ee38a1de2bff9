/** What happens to Gemini CLI in its recordings. */
import type { Turn } from '../../test/support/model-server.ts'
import { geminiEnvironment, realGemini } from '../../test/support/real-gemini.ts'
import type { Recorded } from '../record.ts'

const anyTool = { skipPermissions: true }
const refused = (code: number, status: string, message: string, details: unknown[] = []): Turn => ({
  status: code,
  body: { error: { code, message, status, details } },
})
const tooFast = refused(429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted (e.g. check quota).')
/** Longer than one piece of a stream. */
const longAnswer = Array.from({ length: 250 }, (_, n) => `Part ${n}: ${n * n} lines.`).join(' ')
const perDay = { quotaId: 'GenerateRequestsPerDayPerProjectPerModel' }

export const gemini: Recorded = {
  program: realGemini,
  environment: geminiEnvironment,
  plain: withoutTimes,
  scenarios: {
    success: {
      turns: [
        { tool: { bash: 'echo one > a.txt && git add -A && git commit -qm "feat: S-1 - first" && git log --oneline | wc -l' } },
        { text: longAnswer },
      ],
      options: anyTool,
    },
    'tool-fails': {
      turns: [{ tool: { bash: 'echo "usage limit reached" >&2; exit 3' } }, { text: 'It failed.' }],
      options: anyTool,
    },
    'file-change': {
      turns: [{ tool: { name: 'write_file', args: { file_path: 'new.txt', content: 'hello\n' } } }, { text: 'Written.' }],
      options: { allowedTools: 'Read,Edit' },
    },
    'permission-denied': {
      turns: [{ tool: { name: 'run_shell_command', args: { command: 'git status' } } }, { text: 'I may not.' }],
    },
    'loop-detected': { turns: [{ text: 'Round and round it goes, again and again.\n'.repeat(200) }], options: anyTool },
    'rate-limit-once': { turns: [tooFast, { text: 'Done.' }] },
    'rate-limit': { turns: [tooFast] },
    'usage-limit': {
      turns: [
        refused(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota, please check your plan and billing details.', [
          { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [perDay] },
        ]),
      ],
    },
    'bad-key': {
      turns: [
        refused(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
          { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID', domain: 'googleapis.com' },
        ]),
      ],
    },
    overloaded: { turns: [refused(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.')] },
    'server-error': { turns: [refused(500, 'INTERNAL', 'An internal error has occurred.')] },
    disconnect: { turns: [{ disconnect: true }] },
    'disconnect-in-the-middle': { turns: [{ text: 'Half of it', breaksOff: 'disconnect' }] },
    'unknown-model': {
      turns: [refused(404, 'NOT_FOUND', 'models/nothing is not found for API version v1beta.')],
      model: 'nothing',
    },
    'context-too-long': {
      turns: [refused(400, 'INVALID_ARGUMENT', 'The input token count (1200000) exceeds the maximum number of tokens allowed.')],
    },
  },
}

function withoutTimes(event: Record<string, unknown>): void {
  event['timestamp'] = '2026-01-09T12:00:00.000Z'
  if (typeof event['tool_id'] === 'string') event['tool_id'] = event['tool_id'].replace(/\d{13}/, '1767960000000')
  const { stats } = event
  if (typeof stats === 'object' && stats !== null && 'duration_ms' in stats) stats.duration_ms = 100
}
