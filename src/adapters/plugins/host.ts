/** The program in which one plugin runs, apart from Ralph: whatever it does in there, the run goes on. */
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { knownJson } from '../../core/text/json.ts'

export type HostCall = {
  path: string
  /** What the line with the answer begins with: a plugin may print what it likes besides. */
  mark: string
  /** Without: the plugin is loaded, and not asked. */
  input?: unknown
}
/** The plugin's own name, where it has one, and whatever it gave; or what is wrong, as the end of a sentence about it. */
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
  if (typeof found !== 'object' || found === null) return 'exports no plugin: neither as default nor as "plugin"'
  const { name, read } = found as Record<string, unknown>
  if (typeof read !== 'function') return 'has no function "read"'
  if (name !== undefined && (typeof name !== 'string' || name.trim() === '')) return 'has a name that is no text'
  return found as Plugin
}

/** All the way down, so that one who changes what is given notices. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen)
  return value
}

/** The whole of it goes to the log, by way of the error output. */
function said(error: unknown): string {
  process.stderr.write(`${inspect(error)}\n`)
  return error instanceof Error ? `${error.name}: ${error.message}` : inspect(error)
}

/** The end, also of what the plugin has left running. */
function tell(answer: HostAnswer): void {
  process.stdout.write(`\n${mark}${lineOf(answer)}\n`, () => process.exit())
}

function lineOf(answer: HostAnswer): string {
  try {
    return JSON.stringify(answer)
  } catch (error) {
    return JSON.stringify({ wrong: `gave what is no plain data: ${said(error)}` })
  }
}
