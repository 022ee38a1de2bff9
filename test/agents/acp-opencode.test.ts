/** Whole runs with the real OpenCode over the Agent Client Protocol. */
import { acpRuns } from '../support/acp-runs.ts'
import { opencodeEnvironment, realOpencode } from '../support/real-opencode.ts'

acpRuns(
  {
    name: 'opencode-acp',
    program: realOpencode,
    args: ['acp'],
    format: 'acp',
    // By itself it asks for nothing.
    environment: (home, modelUrl) => ({
      ...opencodeEnvironment(home, modelUrl),
      OPENCODE_PERMISSION: JSON.stringify({ bash: 'ask' }),
    }),
  },
  {
    // The tokens of the last request are all that it tells; the cost is of all.
    usage: { inputTokens: 1200, outputTokens: 50, costUsd: 0.0075, cacheReadTokens: 200 },
    toolSeconds: 20,
    reportTool: 'ralph_report_status',
    looks: {
      look: { tool: { name: 'read', args: { filePath: 'a.txt' } } },
      // A refused permission would end its turn.
      changes: [{ tool: { name: 'write', args: { filePath: 'b.txt', content: 'hi' } } }],
    },
  },
)
