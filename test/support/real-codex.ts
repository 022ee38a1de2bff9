/** The real Codex for tests, with a home and environment in which it reaches only loopback. */
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bareEnvironment, realAgent } from './real-agent.ts'

/** The first call downloads 440 MB. */
export const realCodex = (): string =>
  realAgent({ name: 'codex', package: '@openai/codex', version: '0.166.0', program: join('.bin', 'codex') })

/** The provider can only be set in a file, which is written into the home. */
export function codexEnvironment(home: string, modelUrl: string): Record<string, string> {
  const folder = join(home, '.codex')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'config.toml'), configOf(modelUrl))
  const env = bareEnvironment(home)
  return { ...env, PATH: withoutBwrap(env['PATH']!, home), CODEX_HOME: folder, SCRIPTED_API_KEY: 'sk-scripted-test' }
}

/** Codex prefers the machine's bwrap to its own, and Debian 12 has one that is too old. */
function withoutBwrap(path: string, home: string): string {
  const folders = path.split(':').map((folder, index) => {
    if (!existsSync(join(folder, 'bwrap'))) return folder
    const links = join(home, `.programs-${index}`)
    if (existsSync(links)) return links
    mkdirSync(links)
    for (const name of readdirSync(folder)) if (name !== 'bwrap') symlinkSync(join(folder, name), join(links, name))
    return links
  })
  return folders.join(':')
}

const configOf = (modelUrl: string): string => `
model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false
[model_providers.scripted]
name = "scripted"
base_url = "${modelUrl}/v1"
env_key = "SCRIPTED_API_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
[analytics]
enabled = false
`

export const codex = { name: 'codex', program: realCodex, environment: codexEnvironment }
