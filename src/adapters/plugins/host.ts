/** The process that runs one plugin, separate from Ralph: whatever it does there, the run continues. */
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { knownJson } from '../../core/text/json.ts'

export type HostCall = {
  path: string
  /** The prefix of the line with the answer: a plugin may print anything else. */
  mark: string
  /** Absent: the plugin is only loaded. */
  input?: unknown
}
/** The plugin's name, if it has one, and its answer; or what is wrong, as the end of a sentence. */
type HostAnswer = { name?: string; answer: unknown } | { wrong: string }

type Plugin = { name?: string; read(input: unknown): unknown }

const { path, mark, input } = knownJson<HostCall>(await text(process.stdin))
process.on('uncaughtException', (error) => tell({ wrong: `threw ${said(error)}` }))
tell(await answered())

async function answered(): Promise<HostAnswer> {
  let plugin: Plugin | string
  try {
    plugin = pluginIn(await import(pathToFileURL(path).href))
  } catch (error) {
    return { wrong: `does not load: ${said(error)}` }
  }
  if (typeof plugin === 'string') return { wrong: plugin }
  const name = plugin.name === undefined ? {} : { name: plugin.name }
  try {
    return { ...name, answer: input === undefined ? null : await plugin.read(frozen(input)) }
  } catch (error) {
    return { wrong: `threw ${said(error)}` }
  }
}

/** The plugin, or why there is none. A bare function is its `read`, and has the name of its file. */
function pluginIn(module: { default?: unknown; plugin?: unknown }): Plugin | string {
  const found = module.default ?? module.plugin
  if (typeof found === 'function') return { read: found as Plugin['read'] }
  if (typeof found !== 'object' || found === null) return 'exports no plugin, as default or as "plugin"'
  const { name, read } = found as Record<string, unknown>
  if (typeof read !== 'function') return 'has no function "read"'
  if (name !== undefined && (typeof name !== 'string' || name.trim() === '')) return 'has a name that is not a string'
  return found as Plugin
}

/** Recursively, so that a plugin that changes its input notices. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen)
  return value
}

/** The full error goes to the log, through stderr. */
function said(error: unknown): string {
  process.stderr.write(`${inspect(error)}\n`)
  return error instanceof Error ? `${error.name}: ${error.message}` : inspect(error)
}

/** Also ends what the plugin left running. */
function tell(answer: HostAnswer): void {
  process.stdout.write(`\n${mark}${lineOf(answer)}\n`, () => process.exit())
}

function lineOf(answer: HostAnswer): string {
  try {
    return JSON.stringify(answer)
  } catch (error) {
    return JSON.stringify({ wrong: `returned something other than plain data: ${said(error)}` })
  }
}
