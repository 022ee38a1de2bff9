/** Whole runs with the real Cline: a scripted model behind it, and everything between the two as users have it. */
import { clineEnvironment, realCline } from '../support/real-cline.ts'
import { judgesOutOfReach, order, skill } from '../support/real-judges.ts'
import { usageLimitRun } from '../support/real-limits.ts'
import { looksOnly } from '../support/real-looks.ts'
import { wholeRuns } from '../support/whole-runs.ts'

const cline = { name: 'cline', program: realCline, environment: clineEnvironment }

wholeRuns(cline, {
  usage: { inputTokens: 2400, outputTokens: 100, costUsd: null, cacheReadTokens: 400 },
  toolSeconds: 20,
})

usageLimitRun(cline)

looksOnly(cline, {
  look: { tool: { name: 'read_files', args: { files: [{ path: 'a.txt' }] } } },
  changes: [
    { tool: { name: 'run_commands', args: { commands: ['git diff --output=b.txt'] } } },
    { tool: { name: 'editor', args: { path: 'b.txt', new_text: 'hi' } } },
  ],
})

judgesOutOfReach(cline, {
  looks: [{ tool: { name: 'search_codebase', args: { queries: ['amaranth'] } } }],
  home({ marker }) {
    return {
      '.cline/rules/planted.md': order('home rules'),
      '.cline/skills/review/SKILL.md': skill('home skills'),
      '.cline/hooks/TaskStart': `#!/bin/sh\necho hook >> ${marker}\n`,
      'Documents/Cline/Rules/planted.md': order('home documents'),
      '.cline/data/settings/cline_mcp_settings.json': JSON.stringify({
        mcpServers: { planted: { command: 'sh', args: ['-c', `echo server >> ${marker}`] } },
      }),
    }
  },
})
