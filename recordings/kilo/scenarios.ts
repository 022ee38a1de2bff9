/** What happens to Kilo Code in its recordings. */
import { readFileSync, writeFileSync } from 'node:fs'
import { openaiError, type Turn } from '../../test/support/model-server.ts'
import { kiloEnvironment, realKilo } from '../../test/support/real-kilo.ts'
import type { Recorded } from '../record.ts'

const anyTool = { skipPermissions: true }
const refused = (status: number, type: string, message: string): Turn => ({
  status,
  body: openaiError(type, message),
  headers: { 'retry-after': '0' },
})
const tooFast = refused(429, 'rate_limit_exceeded', 'Rate limit reached. Please try again in 1s.')
const commits = 'echo one > a.txt && git add -A && git commit -qm "feat: S-1 - first" && git log --oneline | wc -l'

/** Broken connections are not among them: it retries forever, silently. */
export const kilo: Recorded = {
  program: realKilo,
  environment: kiloEnvironment,
  plain(event) {
    const same = JSON.stringify(event)
      .replaceAll(/\b(ses|msg|prt|err)_\w+/g, '$1_0')
      .replaceAll(/"(timestamp|start|end|elapsed|generation)":[\d.]+/g, '"$1":0')
      .replaceAll(/"snapshot":"\w+"/g, '"snapshot":""')
      .replaceAll(/"date":"[^"]*"/g, '"date":""')
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
        { tool: { name: 'write', args: { filePath: 'new.txt', content: 'hello\n' } } },
        { tool: { name: 'edit', args: { filePath: 'new.txt', oldString: 'hello', newString: 'bye' } } },
        { text: 'Written.' },
      ],
      options: anyTool,
    },
    'permission-denied': { turns: [{ tool: { bash: commits } }, { text: 'I may not.' }], environment: asksFirst },
    'rate-limit-once': { turns: [tooFast, { text: 'Done.' }] },
    'rate-limit': { turns: [tooFast] },
    'usage-limit': {
      turns: [refused(429, 'insufficient_quota', 'You exceeded your current quota, please check your plan and billing details.')],
    },
    'bad-key': { turns: [refused(401, 'invalid_api_key', 'Incorrect API key provided.')] },
    'disconnect-once': { turns: [{ text: 'Half of it', breaksOff: 'disconnect' }, { text: 'Done.' }] },
    'unknown-model': { turns: [refused(404, 'model_not_found', 'The model `nothing` does not exist.')] },
    'unknown-provider': { turns: [{ text: 'Never asked.' }], model: 'nothing/nothing' },
    'context-too-long-once': {
      turns: [refused(400, 'context_length_exceeded', 'Your input exceeds the context window of this model.'), { text: 'Done.' }],
    },
  },
}

/** Its shell runs unasked unless the configuration says otherwise. */
function asksFirst(home: string, modelUrl: string): Record<string, string> {
  const env = kiloEnvironment(home, modelUrl)
  const file = env['KILO_CONFIG']!
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), permission: { bash: 'ask' } }))
  return env
}
