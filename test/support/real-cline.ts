/** The real Cline for tests, with a home and environment in which it reaches only loopback. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bareEnvironment, realAgent } from './real-agent.ts'

/** The first call downloads 440 MB. */
export const realCline = (): string =>
  realAgent({
    name: 'cline',
    package: 'cline',
    version: '3.0.65',
    program: join('@cline', `cli-${process.platform}-${process.arch}`, 'bin', 'cline'),
  })

/** The provider can only be set in a file, which is written into the home. */
export function clineEnvironment(home: string, modelUrl: string): Record<string, string> {
  const folder = join(home, '.cline', 'data', 'settings')
  mkdirSync(folder, { recursive: true })
  const settings = { provider: 'openai-compatible', apiKey: 'sk-scripted-test', model: 'model', baseUrl: `${modelUrl}/v1` }
  const provider = { settings, updatedAt: '2026-01-01T00:00:00.000Z', tokenSource: 'manual' }
  writeFileSync(
    join(folder, 'providers.json'),
    JSON.stringify({
      version: 1,
      lastUsedProvider: 'openai-compatible',
      modes: {},
      providers: { 'openai-compatible': provider },
    }),
  )
  writeFileSync(join(folder, 'global-settings.json'), JSON.stringify({ autoUpdateEnabled: false, telemetryOptOut: true }))
  return { ...bareEnvironment(home), DO_NOT_TRACK: '1' }
}
