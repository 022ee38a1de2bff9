/** Whole runs with the real Kimi Code: a scripted model behind it, and everything between the two as users have it. */
import { judgesOutOfReach, order, skill } from '../support/real-judges.ts'
import { kimiEnvironment, realKimi } from '../support/real-kimi.ts'
import { usageLimitRun } from '../support/real-limits.ts'
import { looksOnly } from '../support/real-looks.ts'
import { wholeRuns } from '../support/whole-runs.ts'

const kimi = { name: 'kimi', program: realKimi, environment: kimiEnvironment }

wholeRuns(kimi, {
  usage: { inputTokens: 2400, outputTokens: 100, costUsd: null, cacheReadTokens: 400 },
  toolSeconds: 20,
})

usageLimitRun(kimi)

looksOnly(kimi, {
  look: { tool: { name: 'Read', args: { path: 'a.txt' } } },
  changes: [
    { tool: { name: 'Bash', args: { command: 'git diff > b.txt' } } },
    { tool: { name: 'Write', args: { path: 'b.txt', content: 'hi' } } },
    { tool: { name: 'Agent', args: { description: 'x', prompt: 'Write b.txt', subagent_type: 'coder' } } },
  ],
})

judgesOutOfReach(kimi, {
  looks: [{ tool: { name: 'Glob', args: { pattern: '*.txt' } } }],
  home({ marker }) {
    const server = { command: 'sh', args: ['-c', `echo server >> ${marker}`] }
    return {
      '.kimi-code/AGENTS.md': order('home'),
      '.kimi-code/skills/review/SKILL.md': skill('home skills'),
      '.kimi-code/mcp.json': JSON.stringify({ mcpServers: { planted: server } }),
    }
  },
})
