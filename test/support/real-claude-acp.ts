/** The real Claude Code behind the adapter that lets it speak the Agent Client Protocol. */
import { join } from 'node:path'
import { realAgent } from './real-agent.ts'

/** The first call downloads 370 MB: it brings a Claude Code of its own. */
export const realClaudeAcp = (): string =>
  realAgent({
    name: 'claude-agent-acp',
    package: '@agentclientprotocol/claude-agent-acp',
    version: '0.99.0',
    program: join('.bin', 'claude-agent-acp'),
  })
