/** Whole runs with the real Claude Code over the Agent Client Protocol. */
import assert from 'node:assert/strict'
import { delimiter, dirname } from 'node:path'
import { test } from 'node:test'
import { acpRuns, strict } from '../support/acp-runs.ts'
import type { RealAgent } from '../support/agent-call.ts'
import { errorBody } from '../support/model-server.ts'
import { claudeEnvironment } from '../support/real-claude.ts'
import { realClaudeAcp } from '../support/real-claude-acp.ts'
import { realProject } from '../support/real-project.ts'

const claude: RealAgent = {
  name: 'claude-acp',
  program: realClaudeAcp,
  format: 'acp',
  environment: (home, modelUrl) => {
    const env = claudeEnvironment(home, modelUrl)
    return {
      ...env,
      PATH: `${dirname(process.execPath)}${delimiter}${env['PATH']}`, // it needs Node 22, and the machine's may be older
      CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: 'false', // after its turn it asks the model what a person might say next
    }
  },
}

acpRuns(claude, {
  usage: { inputTokens: 2400, outputTokens: 100, costUsd: 0.015120000000000001, cacheReadTokens: 400 },
  toolSeconds: 10,
  refusal: (_status, type, message) => errorBody(type, message),
  reportTool: 'mcp__ralph__report_status',
  looks: {
    look: { tool: { name: 'Bash', args: { command: 'git show HEAD && cat a.txt', description: 'To look.' } } },
    changes: [{ tool: { bash: 'echo hi > b.txt' } }, { tool: { name: 'Write', args: { file_path: 'b.txt', content: 'hi' } } }],
  },
})

test('claude-acp: a command that is allowed is run, and its commit is there', async (t) => {
  const turns = [{ tool: { bash: 'git commit --allow-empty -q -m "feat: S-1; the rest"' } }, { text: 'Done.' }]
  const { project } = await realProject(t, claude, turns, { config: strict })
  await project.run('run', '-n', '1')
  assert.match(project.git('log', '--format=%s'), /^feat: S-1; the rest$/m)
})
