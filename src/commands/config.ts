/** `ralph config show|schema`: prints each setting and its source, or the schema with which an editor checks a config.yaml. */
import { findRoot, ralphHome } from '../adapters/project/find.ts'
import { keys } from '../config/names.ts'
import { jsonSchema } from '../config/schema.ts'
import { loadSettings } from '../config/sources.ts'
import { type Settings, table } from '../config/table.ts'
import { shownSettings } from '../config/text.ts'
import { EXIT, Failure } from '../core/failure.ts'
import { shownAddress } from '../core/notice/names.ts'
import type { Io } from '../io.ts'

export async function runConfig(args: { action: string; json?: boolean }, io: Io): Promise<number> {
  if (args.action === 'schema') {
    io.raw(`${JSON.stringify(jsonSchema(), null, 2)}\n`)
    return 0
  }
  if (args.action !== 'show') throw new Failure(EXIT.usage, `Unknown action "${args.action}"; use show or schema.`)
  const home = ralphHome(io.env)
  const loaded = await loadSettings({ root: findRoot(io.cwd, home), home, env: io.env, flags: {} })
  for (const warning of loaded.warnings) io.err(`${warning}\n`)
  const settings = withoutSecrets(loaded.settings)
  const files = loaded.files.map(({ path }) => path)
  if (args.json) {
    const values = keys.map((key) => [key, { value: settings[key], source: loaded.sources[key] }])
    io.raw(`${JSON.stringify({ files, settings: Object.fromEntries(values) }, null, 2)}\n`)
  } else {
    io.raw(files.map((path) => `# ${path}\n`).join('') + shownSettings(settings, loaded.sources))
  }
  return 0
}

/** An agent's variables and a URL may contain a key, this output gets pasted into reports, and agents may run the command too. */
function withoutSecrets(given: Settings): Settings {
  const addresses = keys.filter((key) => 'isAddress' in table[key]).map((key) => [key, shownAddress(String(given[key]))])
  const hidden = keys.filter((key) => 'isHidden' in table[key] && given[key] !== '').map((key) => [key, '***'])
  const settings: Settings = { ...given, ...Object.fromEntries([...addresses, ...hidden]) }
  const { agent } = settings
  if (typeof agent === 'string' || agent.env === undefined) return settings
  const env = Object.entries(agent.env).map(([name, value]) => [name, /KEY|TOKEN|SECRET|PASSWORD/i.test(name) ? '***' : value])
  return { ...settings, agent: { ...agent, env: Object.fromEntries(env) } }
}
