/** Whole runs with the real OpenCode: a scripted model behind it, and everything between the two as users have it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deadUrl, realCall } from '../support/real-call.ts'
import { judgesOutOfReach, order, skill } from '../support/real-judges.ts'
import { usageLimitRun } from '../support/real-limits.ts'
import { looksOnly } from '../support/real-looks.ts'
import { opencodeEnvironment, realOpencode } from '../support/real-opencode.ts'
import { reportsByTool } from '../support/real-reports.ts'
import { wholeRuns } from '../support/whole-runs.ts'

const opencode = { name: 'opencode', program: realOpencode, environment: opencodeEnvironment }

wholeRuns(opencode, {
  usage: { inputTokens: 2400, outputTokens: 100, costUsd: 0.0075, cacheReadTokens: 400 },
  toolSeconds: 20,
})

reportsByTool(opencode, 'ralph_report_status')

usageLimitRun(opencode)

looksOnly(opencode, {
  look: { tool: { name: 'read', args: { filePath: 'a.txt' } } },
  changes: [
    { tool: { name: 'bash', args: { command: 'git diff > b.txt', description: 'To look.' } } },
    { tool: { name: 'write', args: { filePath: 'b.txt', content: 'hi' } } },
    { tool: { name: 'task', args: { description: 'x', prompt: 'Write b.txt', subagent_type: 'general' } } },
  ],
})

test('while it tries to reach its provider, the provider is to blame [R-CB-4]', async () => {
  const until = ({ kind }: { kind: string }): boolean => kind === 'throttled'
  const { end, transcript } = await realCall(opencode, [{ text: 'Nobody hears this.' }], { modelUrl: deadUrl, until })
  assert.deepEqual([end.how, transcript.throttled?.by], ['stopped', 'unreachable'])
})

judgesOutOfReach(opencode, {
  looks: [{ tool: { name: 'glob', args: { pattern: '*.txt' } } }],
  home({ url, marker }) {
    const plugin = `import { appendFileSync } from "node:fs"\nexport const P = async () => { appendFileSync("${marker}", "plugin"); return {} }\n`
    return {
      '.opencode/opencode.json': JSON.stringify({ provider: { scripted: { options: { baseURL: `${url}/v1` } } } }),
      '.opencode/plugin/planted.js': plugin,
      '.config/opencode/plugins/planted.js': plugin,
      '.config/opencode/AGENTS.md': order('home'),
      '.config/opencode/skills/review/SKILL.md': skill('home skills'),
    }
  },
})
