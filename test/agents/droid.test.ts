/** Whole runs with the real Droid: a scripted model behind it, and everything between the two as users have it. */
import { droidEnvironment, realDroid } from '../support/real-droid.ts'
import { hookIn, judgesOutOfReach, order, skill } from '../support/real-judges.ts'
import { usageLimitRun } from '../support/real-limits.ts'
import { looksOnly } from '../support/real-looks.ts'
import { wholeRuns } from '../support/whole-runs.ts'

const droid = { name: 'droid', program: realDroid, environment: droidEnvironment }

wholeRuns(droid, {
  usage: { inputTokens: 2400, outputTokens: 100, costUsd: null, cacheReadTokens: 400 },
  toolSeconds: 20,
})

usageLimitRun(droid, 402)

looksOnly(droid, {
  look: { tool: { name: 'Grep', args: { pattern: 'amaranth', output_mode: 'content' } } }, // its other tools want absolute paths
  changes: [
    { tool: { name: 'Execute', args: { command: 'git diff > b.txt', riskLevel: 'low', riskLevelReason: 'To look.' } } },
    { tool: { name: 'Create', args: { file_path: 'b.txt', content: 'hi' } } },
    { tool: { name: 'Task', args: { subagent_type: 'worker', description: 'x', prompt: 'Write b.txt' } } },
  ],
})

judgesOutOfReach(droid, {
  looks: [{ tool: { name: 'LS', args: { directory_path: '.' } } }],
  home({ marker }) {
    const server = { command: 'sh', args: ['-c', `echo server >> ${marker}`] }
    return {
      '.factory/AGENTS.md': order('home'),
      '.factory/skills/review/SKILL.md': skill('home skills'),
      '.factory/mcp.json': JSON.stringify({ mcpServers: { planted: server } }),
      '.factory/hooks.json': JSON.stringify(hookIn('SessionStart', marker)),
    }
  },
})
