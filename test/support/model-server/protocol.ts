/** Common to all APIs of the scripted model: answers, tokens, and a call of whichever shell a client offers. */

/** How one provider's API formats requests and answers. */
export type Protocol = {
  /** The paths for requests. */
  path: RegExp
  tools(body: Json): Tool[]
  isStreamed(path: string, body: Json): boolean
  /** The answer in one piece, and as the events of a stream. */
  whole(answer: Answer): Json
  streamed(answer: Answer): StreamEvent[]
  /** Other requests of clients; they take no turn. Undefined: not found. */
  errand?(path: string): Json | undefined
}

export type Json = Record<string, unknown>
export type Tool = { name: string; schema: Json }
export type StreamEvent = { event?: string; data: Json | string }
/** For one answer. `cached` comes on top of `input`, whatever the API does with it. */
export type Tokens = { input: number; cached: number; output: number }
/** `namespace`: the server of a tool, which only Codex separates from the name. */
export type Call = { name: string; namespace?: string; args: Json }
/** `number` counts the answers of one server, for ids. */
export type Answer = { number: number; model: string; tokens: Tokens } & ({ text: string } | { call: Call })

export const idOf = (prefix: string, { number }: Answer): string => `${prefix}_${String(number).padStart(4, '0')}`

/** A long text in the chunks of a stream, none of which splits a character. */
export const piecesOf = (text: string): string[] => text.match(/[\s\S]{1,4096}/gu) ?? ['']

/** A call of the shell among the tools, with all required arguments. */
export function shellCall(command: string, tools: Tool[]): Call {
  const shell = tools.find(({ name }) => shells.includes(name))
  if (!shell) throw new Error(`no shell among the tools: ${tools.map(({ name }) => name).join(', ')}`)
  const properties = recordOf(shell.schema['properties'])
  const required = Array.isArray(shell.schema['required']) ? shell.schema['required'].map(String) : ['command']
  return {
    name: shell.name,
    args: Object.fromEntries(required.map((key) => [key, argument(key, recordOf(properties[key]), command)])),
  }
}

export const recordOf = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {})
export const recordsIn = (value: unknown): Json[] => (Array.isArray(value) ? value.map(recordOf) : [])

const shells = [
  'Bash',
  'bash',
  'exec_command',
  'run_shell_command',
  'shell',
  'shell_command',
  'local_shell',
  'run_commands',
  'run_terminal_command',
  'Shell',
  'Execute',
]

function argument(key: string, schema: Json, command: string): unknown {
  const type = String(schema['type'] ?? 'string').toLowerCase()
  if (key === 'command' || key === 'cmd') return type === 'array' ? ['bash', '-c', command] : command
  if (key === 'commands') return [command]
  if (Array.isArray(schema['enum'])) return schema['enum'][0]
  if (type === 'boolean') return false
  if (type === 'number' || type === 'integer') return 60_000
  if (type === 'array') return []
  return 'scripted'
}
