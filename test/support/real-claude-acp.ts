/** The real Claude Code behind its adapter for the Agent Client Protocol. */
import { join } from 'node:path'
import { realAgent } from './real-agent.ts'

/** The first call downloads 370 MB: it brings its own Claude Code. */
export const realClaudeAcp = (): string =>
  realAgent({
    name: 'claude-agent-acp',
    package: '@agentclientprotocol/claude-agent-acp',
    version: '0.99.0',
    program: join('.bin', 'claude-agent-acp'),
  })
