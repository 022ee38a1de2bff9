/** The real Kilo Code for tests, with a home and environment in which it reaches only loopback. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bareEnvironment, realAgent } from './real-agent.ts'
import { opencodeConfig } from './real-opencode.ts'

/** The first call downloads 300 MB. */
export const realKilo = (): string =>
  realAgent({
    name: 'kilo',
    package: '@kilocode/cli',
    version: '7.7.7',
    program: join('@kilocode', `cli-${process.platform}-${process.arch}`, 'bin', 'kilo'),
  })

export function kiloEnvironment(home: string, modelUrl: string): Record<string, string> {
  const config = join(home, 'kilo.json')
  writeFileSync(config, JSON.stringify(opencodeConfig(modelUrl)))
  return {
    ...bareEnvironment(home),
    KILO_CONFIG: config,
    KILO_DISABLE_AUTOUPDATE: '1',
    KILO_DISABLE_MODELS_FETCH: '1',
    KILO_DISABLE_DEFAULT_PLUGINS: '1',
    KILO_DISABLE_LSP_DOWNLOAD: '1',
    KILO_DISABLE_SESSION_INGEST: '1',
    KILO_DISABLE_PRESENCE: '1',
    KILO_DISABLE_CODEBASE_INDEXING: '1',
    KILO_TELEMETRY_LEVEL: 'off',
  }
}
