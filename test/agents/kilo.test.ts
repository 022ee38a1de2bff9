/** Whole runs with the real Kilo Code: a scripted model behind it, and everything between the two as users have it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deadUrl, realCall } from '../support/real-call.ts'
import { judgesOutOfReach, order, skill } from '../support/real-judges.ts'
import { kiloEnvironment, realKilo } from '../support/real-kilo.ts'
import { usageLimitRun } from '../support/real-limits.ts'
import { looksOnly } from '../support/real-looks.ts'
import { reportsByTool } from '../support/real-reports.ts'
import { wholeRuns } from '../support/whole-runs.ts'

const kilo = { name: 'kilo', program: realKilo, environment: kiloEnvironment }

wholeRuns(kilo, {
  usage: { inputTokens: 2400, outputTokens: 100, costUsd: 0.0075, cacheReadTokens: 400 },
  toolSeconds: 20,
})

reportsByTool(kilo, 'ralph_report_status')

usageLimitRun(kilo)

looksOnly(kilo, {
  look: { tool: { name: 'read', args: { filePath: 'a.txt' } } },
  changes: [
    { tool: { name: 'bash', args: { command: 'git diff > b.txt', description: 'To look.' } } },
    { tool: { name: 'write', args: { filePath: 'b.txt', content: 'hi' } } },
    { tool: { name: 'task', args: { description: 'x', prompt: 'Write b.txt', subagent_type: 'general' } } },
  ],
})

test('while it tries to reach its provider, the provider is to blame [R-CB-4]', async () => {
  const until = ({ kind }: { kind: string }): boolean => kind === 'throttled'
  const { end, transcript } = await realCall(kilo, [{ text: 'Nobody hears this.' }], { modelUrl: deadUrl, until })
  assert.deepEqual([end.how, transcript.throttled?.by], ['stopped', 'unreachable'])
})

judgesOutOfReach(kilo, {
  looks: [{ tool: { name: 'glob', args: { pattern: '*.txt' } } }],
  home({ url, marker }) {
    const plugin = `import { appendFileSync } from "node:fs"\nexport const P = async () => { appendFileSync("${marker}", "plugin"); return {} }\n`
    return {
      '.kilo/kilo.json': JSON.stringify({ provider: { scripted: { options: { baseURL: `${url}/v1` } } } }),
      '.kilo/plugin/planted.js': plugin,
      '.config/kilo/plugins/planted.js': plugin,
      '.config/kilo/AGENTS.md': order('home'),
      '.config/kilo/skills/review/SKILL.md': skill('home skills'),
    }
  },
})
