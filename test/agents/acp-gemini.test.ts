/** Whole runs with the real Gemini CLI over the Agent Client Protocol. */
import { acpRuns } from '../support/acp-runs.ts'
import { geminiEnvironment, realGemini } from '../support/real-gemini.ts'

acpRuns(
  {
    name: 'gemini-acp',
    program: realGemini,
    args: ['--acp', '--skip-trust'], // in a folder that it does not trust it starts no servers of tools
    format: 'acp',
    environment: geminiEnvironment,
  },
  {
    usage: { inputTokens: 2400, outputTokens: 100, costUsd: null },
    toolSeconds: 10,
    refusal: (code, status, message) => ({ error: { code, message, status } }),
    reportTool: 'mcp_ralph_report_status',
    looks: {
      look: { tool: { name: 'read_file', args: { file_path: 'a.txt' } } },
      changes: [
        { tool: { name: 'run_shell_command', args: { command: 'echo hi > b.txt' } } },
        { tool: { name: 'write_file', args: { file_path: 'b.txt', content: 'hi' } } },
      ],
    },
  },
)
