/** The real OpenCode for tests, with a home and environment in which it reaches only loopback. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bareEnvironment, realAgent } from './real-agent.ts'

/** The first call downloads 350 MB. */
export const realOpencode = (): string =>
  realAgent({
    name: 'opencode',
    package: 'opencode-ai',
    version: '1.18.33',
    // The package's bin needs its install script, which npm may refuse to run: use the platform's program directly.
    program: join(`opencode-${process.platform}-${process.arch}`, 'bin', 'opencode'),
  })

/** The provider can only be set in a file, which is written into the home. */
export function opencodeEnvironment(home: string, modelUrl: string): Record<string, string> {
  const config = join(home, 'opencode.json')
  writeFileSync(config, JSON.stringify(opencodeConfig(modelUrl)))
  return {
    ...bareEnvironment(home),
    OPENCODE_CONFIG: config,
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  }
}

export const opencodeConfig = (modelUrl: string) => ({
  autoupdate: false,
  share: 'disabled',
  model: 'scripted/model',
  small_model: 'scripted/model',
  provider: {
    scripted: {
      npm: '@ai-sdk/openai-compatible',
      options: { baseURL: `${modelUrl}/v1`, apiKey: 'sk-scripted-test' },
      models: { model: { limit: { context: 200_000, output: 8000 }, cost: { input: 3, output: 15 } } },
    },
  },
})
