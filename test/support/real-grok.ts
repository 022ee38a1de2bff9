/** The real Grok Build for tests, with a home and environment in which it reaches only loopback. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { bareEnvironment, realAgent } from './real-agent.ts'

/** The first call downloads 50 MB. The program comes compressed; the install script, which npm may refuse to run, would unpack it. */
export function realGrok(): string {
  const packed = realAgent({
    name: 'grok',
    package: '@xai-official/grok',
    version: '1.0.41',
    program: join('@xai-official', `grok-${process.platform}-${process.arch}`, 'bin', 'grok.br'),
  })
  const program = join(dirname(packed), 'grok')
  if (existsSync(program)) return program
  writeFileSync(program, brotliDecompressSync(readFileSync(packed)))
  chmodSync(program, 0o755)
  return program
}

/** The model can only be set in a file, which is written into the home. */
export function grokEnvironment(home: string, modelUrl: string): Record<string, string> {
  mkdirSync(join(home, '.grok'), { recursive: true })
  const config = [
    ...['[models]', 'default = "scripted"', '[model.scripted]', 'model = "model"', `base_url = "${modelUrl}/v1"`],
    ...['api_key = "sk-scripted-test"', 'api_backend = "chat_completions"', 'context_window = 200000', ''],
  ]
  writeFileSync(join(home, '.grok', 'config.toml'), config.join('\n'))
  return {
    ...bareEnvironment(home),
    XAI_API_KEY: 'sk-scripted-test',
    GROK_MODELS_BASE_URL: `${modelUrl}/v1`,
    GROK_XAI_API_BASE_URL: `${modelUrl}/v1`,
    GROK_CLI_CHAT_PROXY_BASE_URL: `${modelUrl}/v1`,
    GROK_TELEMETRY_ENABLED: 'false',
    GROK_FEEDBACK_ENABLED: 'false',
    GROK_DISABLE_AUTOUPDATER: '1',
  }
}
