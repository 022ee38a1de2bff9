/** Whole runs with the real Copilot CLI: a scripted model behind it, and everything between the two as users have it. */
import { copilotEnvironment, realCopilot } from '../support/real-copilot.ts'
import { judgesOutOfReach, order, skill } from '../support/real-judges.ts'
import { usageLimitRun } from '../support/real-limits.ts'
import { looksOnly } from '../support/real-looks.ts'
import { reportsByTool } from '../support/real-reports.ts'
import { wholeRuns } from '../support/whole-runs.ts'

const copilot = { name: 'copilot', program: realCopilot, environment: copilotEnvironment }

wholeRuns(copilot, { usage: { inputTokens: 2400, outputTokens: 100, costUsd: null, cacheReadTokens: 400 }, toolSeconds: 15 })

reportsByTool(copilot, 'ralph-report_status')

usageLimitRun(copilot)

looksOnly(copilot, {
  look: { tool: { name: 'grep', args: { pattern: 'amar', output_mode: 'content' } } },
  changes: [
    { tool: { name: 'bash', args: { command: 'git diff --output=b.txt', description: 'To look.' } } },
    { tool: { name: 'create', args: { path: 'b.txt', file_text: 'hi' } } },
  ],
})

judgesOutOfReach(copilot, {
  looks: [{ tool: { name: 'grep', args: { pattern: 'works', output_mode: 'content' } } }],
  home({ marker }) {
    const hooks = { sessionStart: [{ type: 'command', bash: `echo hook >> ${marker}` }] }
    const server = { type: 'local', command: 'sh', args: ['-c', `echo server >> ${marker}`], tools: ['*'] }
    return {
      '.copilot/settings.json': JSON.stringify({ hooks }),
      '.copilot/hooks/planted.json': JSON.stringify({ version: 1, hooks }),
      '.copilot/mcp-config.json': JSON.stringify({ mcpServers: { planted: server } }),
      '.copilot/copilot-instructions.md': order('home'),
      '.copilot/skills/review/SKILL.md': skill('home skills'),
    }
  },
})
