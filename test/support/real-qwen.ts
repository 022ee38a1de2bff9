/** The real Qwen Code for tests, with a home and environment in which it reaches only loopback. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { bareEnvironment, realAgent } from './real-agent.ts'

/** The first call downloads 140 MB. */
export const realQwen = (): string =>
  realAgent({ name: 'qwen', package: '@qwen-code/qwen-code', version: '0.24.4', program: join('.bin', 'qwen') })

/** Its retries, and that it keeps no memory, can only be set in a file, which is written into the home. */
export function qwenEnvironment(home: string, modelUrl: string): Record<string, string> {
  const folder = join(home, '.qwen')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings))
  const bare = bareEnvironment(home)
  return {
    ...bare,
    PATH: `${dirname(process.execPath)}${delimiter}${bare['PATH']}`, // it needs Node 22, and the machine's may be older
    OPENAI_API_KEY: 'sk-scripted-test',
    OPENAI_BASE_URL: `${modelUrl}/v1`,
    OPENAI_MODEL: 'scripted-model',
    QWEN_USAGE_STATISTICS_ENABLED: 'false',
  }
}

const settings = {
  security: { auth: { selectedType: 'openai' } },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false },
  memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
  model: { generationConfig: { maxRetries: 0, retryInitialDelayMs: 1, retryMaxDelayMs: 1 } },
}
