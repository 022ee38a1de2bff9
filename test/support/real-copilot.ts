/** The real Copilot CLI for tests, in an environment without an account in which it reaches only loopback. */
import { join } from 'node:path'
import { bareEnvironment, realAgent } from './real-agent.ts'

/** The first call downloads 190 MB. */
export const realCopilot = (): string =>
  realAgent({ name: 'copilot', package: '@github/copilot', version: '1.0.102', program: join('.bin', 'copilot') })

export function copilotEnvironment(home: string, modelUrl: string): Record<string, string> {
  return {
    ...bareEnvironment(home),
    COPILOT_HOME: join(home, '.copilot'),
    COPILOT_OFFLINE: 'true',
    COPILOT_AUTO_UPDATE: 'false',
    COPILOT_MODEL: 'gpt-4.1',
    COPILOT_PROVIDER_TYPE: 'openai',
    COPILOT_PROVIDER_BASE_URL: `${modelUrl}/v1`,
    COPILOT_PROVIDER_API_KEY: 'sk-scripted-test',
    COPILOT_PROVIDER_WIRE_API: 'completions',
  }
}
