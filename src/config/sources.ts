/** Where settings come from: flags, then variables, then the project's file, then the user's, then defaults. */
import { type ConfigFile, readConfigFile } from '../adapters/project/config-files.ts'
import { projectConfig, userConfig } from '../adapters/project/layout.ts'
import { EXIT, Failure } from '../core/failure.ts'
import { isRecord } from '../core/text/json.ts'
import { check, fromText, type Mismatch } from './check.ts'
import { longFlag } from './flags.ts'
import { isKey, isSection, keys, meantKey, meantVariable } from './names.ts'
import type { Setting } from './setting.ts'
import { envName, type Key, type Settings, table } from './table.ts'

export type SettingSource = 'default' | 'user' | 'project' | 'env' | 'flag'
export type LoadedSettings = {
  settings: Settings
  sources: Record<Key, SettingSource>
  /** The files that were read, with their text. */
  files: { path: string; text: string }[]
  warnings: string[]
}

/** Throws a Failure that lists everything wrong: exit 64 for flags, 78 for files and variables. */
export async function loadSettings(input: {
  root: string
  /** RALPH_HOME, or ~/.ralph */
  home: string
  env: Record<string, string | undefined>
  /** Dotted key to the value on the command line. */
  flags: Record<string, unknown>
}): Promise<LoadedSettings> {
  const flags = flagValues(input.flags)
  stopOn(flags, EXIT.usage)
  const userPath = userConfig(input.home)
  const projectPath = projectConfig(input.root)
  const userFile = await readConfigFile(userPath)
  const projectFile = projectPath === userPath ? undefined : await readConfigFile(projectPath)
  const user = fileValues(userFile)
  const project = fileValues(projectFile)
  const env = envValues(input.env)
  stopOn({ values: new Map(), problems: [...project.problems, ...user.problems, ...env.problems] }, EXIT.config)

  const layers: [SettingSource, Given][] = [
    ['user', user],
    ['project', project],
    ['env', env],
    ['flag', flags],
  ]
  const settings: Partial<Record<Key, unknown>> = {}
  const sources: Partial<Record<Key, SettingSource>> = {}
  for (const key of keys) {
    ;[settings[key], sources[key]] = [structuredClone<unknown>(table[key].default), 'default']
    for (const [source, { values }] of layers) if (values.has(key)) [settings[key], sources[key]] = [values.get(key), source]
  }
  // The first of the list is the run's agent, unless a name was chosen at least as near to the command line.
  const [first] = (settings['agents'] as Settings['agents']).map((written) => written.split(':')[0])
  const rankOf = (key: Key): number => layers.findIndex(([source]) => source === sources[key])
  if (first !== undefined && rankOf('agent') < rankOf('agents') && nameOf(settings['agent']) !== first)
    [settings['agent'], sources['agent']] = [first, sources['agents']]
  return {
    settings: settings as Settings,
    sources: sources as Record<Key, SettingSource>,
    files: [userFile, projectFile].flatMap((file) => (file ? [{ path: file.path, text: file.text }] : [])),
    warnings: strangersIn(input.env),
  }
}

const nameOf = (agent: unknown): unknown => (isRecord(agent) ? agent['name'] : agent)

type Given = { values: Map<Key, unknown>; problems: string[] }

function stopOn({ problems }: Given, exit: number): void {
  if (problems.length > 0) throw new Failure(exit, problems.join('\n'))
}

function flagValues(flags: Record<string, unknown>): Given {
  const given: Given = { values: new Map(), problems: [] }
  for (const [key, written] of Object.entries(flags)) {
    if (written === undefined) continue
    if (!isKey(key)) throw new Error(`a flag sets "${key}", which is not a setting`)
    const setting: Setting = table[key]
    const flag = longFlag(key) ?? key
    const checked = check(setting, typeof written === 'string' ? fromText(setting, written) : written)
    if ('mismatch' in checked) given.problems.push(`${flag} is ${say(written)}; expected ${checked.mismatch.expected}`)
    else given.values.set(key, checked.value)
  }
  return given
}

function envValues(env: Record<string, string | undefined>): Given {
  const given: Given = { values: new Map(), problems: [] }
  for (const key of keys) {
    const setting: Setting = table[key]
    const name = envName(key)
    const written = env[name]
    // An empty variable is an empty text; for other types it counts as unset.
    if (written === undefined || (written === '' && setting.type !== 'text')) continue
    const checked = check(setting, fromText(setting, written))
    if ('mismatch' in checked) {
      const shown = setting.type === 'text' ? checked.mismatch.found : written // a URL may contain a key
      given.problems.push(`${name} is ${say(shown)}; expected ${checked.mismatch.expected}`)
    } else given.values.set(key, checked.value)
  }
  given.problems.push(...slipsIn(env))
  return given
}

/** Variables that Ralph itself reads or sets for its children; an agent that calls ralph has them too. */
const ownVariables = new Set(
  [
    'HOME',
    'RUN',
    'ITERATION',
    'STORY',
    'STORIES',
    'ATTEMPT',
    'READ_ONLY',
    'ANSWER',
    'SCHEMA',
    'ROLE',
    'REVIEW',
    'TRY',
    'SKILL',
    'PLAN',
    'FEATURE_DIR',
    'REPORT',
    'LAUNCHER',
    'IN_PLACE',
    'ACP',
    'GIT_SECONDS',
    'FLEET_SOCKET',
    'FLEET_DB',
    ...['WHAT', 'TITLE', 'TEXT', 'FEATURE', 'RUN', 'AT', 'OUTCOME', 'NEXT'].map((part) => `NOTICE_${part}`),
  ].map((word) => `RALPH_${word}`),
)

function unknownVariables(env: Record<string, string | undefined>): string[] {
  const known = new Set([...keys.map(envName), ...ownVariables])
  return Object.keys(env).filter((name) => name.startsWith('RALPH_') && env[name] && !known.has(name))
}

/** A typo of a known name: the setting would silently not apply. */
const slipsIn = (env: Record<string, string | undefined>): string[] =>
  unknownVariables(env).flatMap((name) => {
    const meant = meantVariable(name)
    return meant === undefined ? [] : [`Unknown variable ${name}; did you mean ${meant}? Rename it, or unset it.`]
  })

/** An unknown name may belong to another program: a warning. */
const strangersIn = (env: Record<string, string | undefined>): string[] =>
  unknownVariables(env)
    .filter((name) => meantVariable(name) === undefined)
    .map((name) => `Unknown variable ${name}; "ralph config show" lists all settings`)

function fileValues(file: ConfigFile | undefined): Given {
  const given: Given = { values: new Map(), problems: [] }
  if (file) sectionValues(file, [], file.value, given)
  return given
}

/** Descends into sections; `words` are the section's name. */
function sectionValues(file: ConfigFile, words: string[], value: unknown, given: Given): void {
  if (value === null || value === undefined) return
  if (typeof value !== 'object' || Array.isArray(value)) {
    const what = words.length === 0 ? 'the file' : `"${words.join('.')}"`
    given.problems.push(`${file.placeOf(words, 'value')}: ${what} is ${say(value)}; expected keys with values`)
    return
  }
  for (const [word, inner] of Object.entries(value)) {
    const path = [...words, word]
    const name = path.join('.')
    if (word.includes('.')) given.problems.push(dottedLine(file, path))
    else if (isKey(name)) {
      const checked = check(table[name], inner)
      if ('mismatch' in checked) given.problems.push(mismatchLine(file, path, checked.mismatch))
      else given.values.set(name, checked.value)
    } else if (isSection(name)) sectionValues(file, path, inner, given)
    else given.problems.push(unknownLine(file, path))
  }
}

const mismatchLine = (file: ConfigFile, path: string[], { path: inside, found, expected }: Mismatch): string =>
  `${file.placeOf([...path, ...inside], 'value')}: "${[...path, ...inside].join('.')}" is ${say(found)}; expected ${expected}`

function unknownLine(file: ConfigFile, path: string[]): string {
  const name = path.join('.')
  const meant = meantKey(name)
  const advice = meant === undefined ? '"ralph config show" lists all settings' : `did you mean "${meant}"?`
  return `${file.placeOf(path, 'key')}: unknown setting "${name}"; ${advice}`
}

function dottedLine(file: ConfigFile, path: string[]): string {
  const name = path.join('.')
  const meant = isKey(name) ? name : meantKey(name)
  const advice = meant === undefined ? '"ralph config show" lists all settings' : `did you mean ${nested(meant)}?`
  return `${file.placeOf(path, 'key')}: "${name}" has a dot, but sections are nested; ${advice}`
}

/** defaults.max_iterations as a file has it: "defaults: { max_iterations: … }". */
const nested = (key: string): string => {
  const words = key.split('.')
  return `"${words.join(': { ')}: …${' }'.repeat(words.length - 1)}"`
}

/** A value in a message: short, and null as it looks in a file. */
function say(value: unknown): string {
  if (value === null || value === undefined) return 'empty'
  const text = JSON.stringify(value)
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`
}
