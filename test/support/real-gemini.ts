/** The real Gemini CLI for tests, with a home and environment in which it reaches only loopback. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bareEnvironment, realAgent } from './real-agent.ts'

/** The first call downloads 100 MB. */
export const realGemini = (): string =>
  realAgent({ name: 'gemini', package: '@google/gemini-cli', version: '0.61.0', program: join('.bin', 'gemini') })

/** Login with a key can only be set in a file, which is written into the home. */
export function geminiEnvironment(home: string, modelUrl: string): Record<string, string> {
  const folder = join(home, '.gemini')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings))
  return {
    ...bareEnvironment(home),
    GEMINI_API_KEY: 'sk-scripted-test',
    GEMINI_MODEL: 'gemini-2.5-flash',
    GOOGLE_GEMINI_BASE_URL: modelUrl,
    GEMINI_TELEMETRY_ENABLED: 'false',
    GEMINI_SANDBOX: 'false',
  }
}

const settings = {
  security: { auth: { selectedType: 'gemini-api-key' } },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false, maxAttempts: 2 },
}
