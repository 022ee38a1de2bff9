/** The real Droid of Factory for tests, with a home and environment in which it reaches only loopback. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bareEnvironment, realAgent } from './real-agent.ts'

/** The first call downloads 300 MB. */
export const realDroid = (): string =>
  realAgent({
    name: 'droid',
    package: 'droid',
    version: '0.215.0',
    program: join('@factory', `cli-${process.platform}-${process.arch}`, 'bin', 'droid'),
  })

/** A model of the user's own can only be set in a file, which is written into the home. It must be logged in to Factory, or have a key for it. */
export function droidEnvironment(home: string, modelUrl: string): Record<string, string> {
  const folder = join(home, '.factory')
  mkdirSync(folder, { recursive: true })
  const custom = {
    ...{ model: 'model', displayName: 'Scripted', baseUrl: `${modelUrl}/v1`, apiKey: 'sk-scripted-test' },
    ...{ provider: 'generic-chat-completion-api', maxOutputTokens: 8000 },
  }
  const settings = { customModels: [custom], cloudSessionSync: false, sessionDefaultSettings: { model: 'custom:Scripted-0' } }
  writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings))
  return {
    ...bareEnvironment(home),
    FACTORY_API_KEY: 'fk-scripted-test',
    FACTORY_AIRGAP_ENABLED: 'true',
    FACTORY_DROID_AUTO_UPDATE_ENABLED: 'false',
    OTEL_SDK_DISABLED: 'true',
    ...Object.fromEntries(
      ['API', 'APP', 'TELEMETRY_INGEST', 'WORKOS', 'RELAY'].map((part) => [`FACTORY_${part}_BASE_URL`, modelUrl]),
    ),
  }
}
