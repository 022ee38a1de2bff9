/** `ralph config show|get|set|schema`: prints settings with their sources, changes one, or prints the schema for editors. */
import { join, relative } from 'node:path'
import { readIfThere, replaceFile } from '../adapters/files/files.ts'
import { BadPlan } from '../adapters/plan/located-values.ts'
import { findRoot, lockPath, ralphHome } from '../adapters/project/find.ts'
import { projectConfig, userConfig } from '../adapters/project/layout.ts'
import { takeLock } from '../adapters/project/lock.ts'
import { check, fromText } from '../config/check.ts'
import { withSetting } from '../config/edit.ts'
import { jsonSchema } from '../config/json-schema.ts'
import { isKey, keys, meantKey } from '../config/names.ts'
import type { Setting } from '../config/setting.ts'
import { loadSettings } from '../config/sources.ts'
import { type Key, type Settings, table } from '../config/table.ts'
import { shownSettings, yamlValue } from '../config/text.ts'
import { ensureUserConfig } from '../config/user-file.ts'
import { EXIT, Failure } from '../core/failure.ts'
import { shownAddress } from '../core/notice/names.ts'
import type { Io } from '../io.ts'
import { painter } from '../views/terminal/dress.ts'
import { lookOf } from '../views/terminal/look.ts'

type Args = { action: string; words?: string[]; json?: boolean; user?: boolean }

export async function runConfig(args: Args, io: Io): Promise<number> {
  if (args.action === 'schema') {
    io.raw(`${JSON.stringify(jsonSchema(), null, 2)}\n`)
    return 0
  }
  if (args.action === 'set') return setOne(args, io)
  if (args.action !== 'show' && args.action !== 'get')
    throw new Failure(EXIT.usage, `Unknown action "${args.action}"; use show, get, set or schema.`)
  const home = ralphHome(io.env)
  const loaded = await loadSettings({ root: findRoot(io.cwd, home), home, env: io.env, flags: {} })
  for (const warning of loaded.warnings) io.err(`${warning}\n`)
  const settings = withoutSecrets(loaded.settings)
  if (args.action === 'get') {
    const key = keyIn(args.words ?? [], 'get')
    const value = settings[key]
    const shown = typeof value === 'string' ? value : yamlValue(value)
    io.raw(args.json ? `${JSON.stringify({ key, value, source: loaded.sources[key] })}\n` : `${shown}\n`)
    return 0
  }
  const files = loaded.files.map(({ path }) => path)
  if (args.json) {
    const values = keys.map((key) => [key, { value: settings[key], source: loaded.sources[key] }])
    io.raw(`${JSON.stringify({ files, settings: Object.fromEntries(values) }, null, 2)}\n`)
  } else {
    const look = lookOf({ ...io, columns: process.stdout.columns })
    const paint = painter(look)
    const dim = (text: string): string => text.replace(/(?<=^| {2})# .*$/gm, (comment) => paint({ tone: 'dim', text: comment }))
    io.raw(dim(files.map((path) => `# ${path}\n`).join('') + shownSettings(settings, loaded.sources, look.columns)))
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

function keyIn([name]: string[], action: string): Key {
  if (name === undefined)
    throw new Failure(EXIT.usage, `Name a setting: ralph config ${action} <key>. "ralph config show" lists all.`)
  if (isKey(name)) return name
  const meant = meantKey(name)
  const advice = meant === undefined ? '"ralph config show" lists all settings.' : `Did you mean ${meant}?`
  throw new Failure(EXIT.usage, `Unknown setting "${name}". ${advice}`)
}

/** Under the lock: a live run would put the file back. */
async function setOne({ words = [], user }: Args, io: Io): Promise<number> {
  const key = keyIn(words, 'set')
  const setting: Setting = table[key]
  const [, ...rest] = words
  if (rest.length === 0) throw new Failure(EXIT.usage, `Give a value: ralph config set ${key} <value>`)
  const written = fromText(setting, rest.join(' '))
  const checked = check(setting, written)
  if ('mismatch' in checked)
    throw new Failure(EXIT.usage, `${key} is ${JSON.stringify(rest.join(' '))}; expected ${checked.mismatch.expected}`)
  const home = ralphHome(io.env)
  const root = findRoot(io.cwd, home)
  const path = user ? userConfig(home) : projectConfig(root)
  // What this file says, or those below it.
  const before = await loadSettings({ root: user ? join(home, 'no-project') : root, home, env: {}, flags: {} })
  const lock = takeLock(lockPath(root), { feature: '', run: '', purpose: 'command' })
  try {
    if (user) ensureUserConfig(home)
    replaceFile(path, await withSetting(readIfThere(path) ?? '', key, written).catch(refusedEdit(path)))
  } finally {
    lock.release()
  }
  const { settings, sources } = await loadSettings({ root, home, env: io.env, flags: {} })
  const [old, now] = [withoutSecrets(before.settings)[key], withoutSecrets({ ...before.settings, [key]: checked.value })[key]]
  const shown = relative(io.cwd, path)
  io.out(`${key}: ${yamlValue(old)} → ${yamlValue(now)} (${shown.startsWith('..') ? path : shown})\n`)
  if (JSON.stringify(settings[key]) !== JSON.stringify(checked.value))
    io.out(`! Another source overrides it (${sources[key]}): the value is ${yamlValue(withoutSecrets(settings)[key])}.\n`)
  return 0
}

const refusedEdit = (path: string) => (error: unknown) => {
  if (error instanceof BadPlan) throw new Failure(EXIT.config, `${path}: ${error.message}`)
  throw error instanceof Failure ? new Failure(error.exit, `${path}: ${error.message}`) : error
}
