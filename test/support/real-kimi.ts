/** The real Kimi Code for tests, with a home and environment in which it reaches only loopback. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { bareEnvironment, realAgent } from './real-agent.ts'

/** The first call downloads 60 MB. */
export const realKimi = (): string =>
  realAgent({ name: 'kimi', package: '@moonshot-ai/kimi-code', version: '2.1.0', program: join('.bin', 'kimi') })

/** The model can only be set in a file, which is written into the home. */
export function kimiEnvironment(home: string, modelUrl: string): Record<string, string> {
  mkdirSync(join(home, '.kimi-code'), { recursive: true })
  const config = [
    ...['default_model = "scripted"', 'telemetry = false', '[providers.scripted]', 'type = "openai"'],
    ...[`base_url = "${modelUrl}/v1"`, 'api_key = "sk-scripted-test"', '[models.scripted]', 'provider = "scripted"'],
    ...['model = "model"', 'max_context_size = 200000', '[loop_control]', 'max_attempts_per_step = 2', ''],
  ]
  writeFileSync(join(home, '.kimi-code', 'config.toml'), config.join('\n'))
  const bare = bareEnvironment(home)
  return {
    ...bare,
    PATH: `${dirname(process.execPath)}${delimiter}${bare['PATH']}`, // it needs Node 22, and the machine's may be older
    KIMI_DISABLE_TELEMETRY: '1',
    KIMI_CODE_NO_AUTO_UPDATE: '1',
  }
}
