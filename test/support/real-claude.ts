/** The real Claude Code for tests, and an environment in which it reaches only loopback. */
import { join } from 'node:path'
import { bareEnvironment, realAgent } from './real-agent.ts'

/** The first call downloads 350 MB. */
export const realClaude = (): string =>
  realAgent({
    name: 'claude',
    package: '@anthropic-ai/claude-code',
    version: '2.1.325',
    // The package's bin needs its install script, which npm may refuse to run: use the platform's program directly.
    program: join('@anthropic-ai', `claude-code-${process.platform}-${process.arch}`, 'claude'),
  })

export function claudeEnvironment(home: string, modelUrl: string): Record<string, string> {
  return {
    ...bareEnvironment(home),
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: 'sk-ant-test',
    IS_SANDBOX: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_MAX_RETRIES: '1',
  }
}

/** The same with a subscriber's account instead of a key: only then do usage limits come as events. */
export function subscriberEnvironment(home: string, modelUrl: string): Record<string, string> {
  const { ANTHROPIC_API_KEY: _key, ...rest } = claudeEnvironment(home, modelUrl)
  return { ...rest, CLAUDE_CODE_OAUTH_TOKEN: 'sk-ant-oat01-test' }
}

export const claude = { name: 'claude', program: realClaude, environment: claudeEnvironment }
