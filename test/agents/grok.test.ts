/** Whole runs with the real Grok Build: a scripted model behind it, and everything between the two as users have it. */
import { grokEnvironment, realGrok } from '../support/real-grok.ts'
import { hookIn, judgesOutOfReach, order, skill } from '../support/real-judges.ts'
import { usageLimitRun } from '../support/real-limits.ts'
import { looksOnly } from '../support/real-looks.ts'
import { wholeRuns } from '../support/whole-runs.ts'

const grok = { name: 'grok', program: realGrok, environment: grokEnvironment }

wholeRuns(grok, {
  usage: { inputTokens: 2400, outputTokens: 100, costUsd: null, cacheReadTokens: 400 },
  toolSeconds: 20,
})

usageLimitRun(grok)

looksOnly(grok, {
  look: { tool: { name: 'read_file', args: { target_file: 'a.txt' } } },
  changes: [
    { tool: { name: 'run_terminal_command', args: { command: 'git diff > b.txt', description: 'To look.' } } },
    { tool: { name: 'write', args: { file_path: 'b.txt', content: 'hi' } } },
    { tool: { name: 'spawn_subagent', args: { description: 'x', prompt: 'Write b.txt', subagent_type: 'general-purpose' } } },
  ],
})

judgesOutOfReach(grok, {
  looks: [{ tool: { name: 'list_dir', args: { target_directory: '.' } } }],
  home({ marker }) {
    const server = { command: 'sh', args: ['-c', `echo server >> ${marker}`] }
    return {
      '.grok/AGENTS.md': order('home'),
      '.grok/skills/review/SKILL.md': skill('home skills'),
      '.grok/rules/planted.md': order('home rules'),
      '.grok/hooks/planted.json': JSON.stringify({ hooks: hookIn('SessionStart', marker) }),
      '.cursor/mcp.json': JSON.stringify({ mcpServers: { planted: server } }),
    }
  },
})
