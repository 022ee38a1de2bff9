/** The real pi for tests, with a home and environment in which it reaches only loopback. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { bareEnvironment, realAgent } from './real-agent.ts'

/** The first call downloads 200 MB. */
export const realPi = (): string =>
  realAgent({ name: 'pi', package: '@earendil-works/pi-coding-agent', version: '0.87.1', program: join('.bin', 'pi') })

/** The provider can only be set in files, which are written into the home. */
export function piEnvironment(home: string, modelUrl: string): Record<string, string> {
  const folder = join(home, '.pi', 'agent')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'models.json'), JSON.stringify(modelsOf(modelUrl)))
  writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings))
  const bare = bareEnvironment(home)
  return {
    ...bare,
    PATH: `${dirname(process.execPath)}${delimiter}${bare['PATH']}`, // it needs Node 22, and the machine's may be older
    PI_CODING_AGENT_DIR: folder,
    SCRIPTED_API_KEY: 'sk-scripted-test',
    PI_OFFLINE: '1',
    PI_TELEMETRY: '0',
  }
}

const modelsOf = (modelUrl: string) => ({
  providers: {
    scripted: {
      baseUrl: `${modelUrl}/v1`,
      api: 'openai-completions',
      apiKey: 'SCRIPTED_API_KEY',
      models: [
        {
          id: 'model',
          contextWindow: 200_000,
          maxTokens: 8000,
          cost: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
        },
      ],
    },
  },
})

/** One quick retry: its behaviour after that does not depend on the number. */
const settings = {
  defaultProvider: 'scripted',
  defaultModel: 'model',
  retry: { maxRetries: 1, baseDelayMs: 10, provider: { maxRetries: 0 } },
}
