/** OpenCode, headless: the prompt on standard input, its JSON events out. */
import type { Entry } from '../../core/reading/transcript.ts'
import { type Json, jsonIn, numberOf, recordOf, textOf } from '../../core/text/json.ts'
import type { Reader, Task } from '../../ports.ts'
import { type AgentOptions, providerVariables } from './shared/choice.ts'
import { headless } from './shared/headless.ts'
import { cut, jsonLinesReader, plainEntry, toolResult } from './shared/json-lines.ts'
import { entriesOfRetry, entryOfError } from './shared/provider-errors.ts'
import { sdkErrorOf } from './shared/sdk-errors.ts'
import { toolEntry } from './shared/tool-input.ts'
import { type RequestUsage, usageSum } from './shared/usage-sum.ts'

export const opencode = headless('opencode', {
  needs: {
    home: ['.config/opencode', '.local/share/opencode', '.local/state/opencode', '.cache/opencode'],
    variables: ['OPENCODE_', ...providerVariables],
    folders: [],
  },
  homeSettings: ['.config/opencode', '.opencode'].flatMap((folder) => [
    ...['opencode.json', 'opencode.jsonc', 'config.json', 'AGENTS.md'].map((name) => `${folder}/${name}`),
    ...['agent', 'command', 'plugin', 'skill', 'tool'].flatMap((name) => [`${folder}/${name}/`, `${folder}/${name}s/`]),
  ]),
  ordersIn: ['AGENTS.md', 'opencode.json', 'opencode.jsonc', '.opencode/'],
  marksChildrenBy: ['OPENCODE'],
  tells: 'cost',
  takesStatusTool: true,
  install: 'npm install -g opencode-ai',
  tested: '1.18.33',
  args: opencodeArgs,
  env: (env, task) => withSettings('OPENCODE_CONFIG_CONTENT', env, task),
  reader: opencodeReader,
})

export function opencodeArgs(task: Task, { skipPermissions }: AgentOptions): string[] {
  return [
    ...['run', '--format', 'json', '--print-logs', '--log-level', 'ERROR'], // nothing else shows that it is retrying
    ...(task.model ? ['-m', task.model] : []),
    ...(task.isReadOnly ? ['--agent', reader] : skipPermissions ? ['--auto'] : []),
  ]
}

const reader = 'ralph-reader'

/** Settings for this call only, on top of the user's. */
export function withSettings(settingsVariable: string, env: Record<string, string>, task: Task): Record<string, string> {
  const setting = settingFor(task)
  const own = settingsIn(env[settingsVariable], task.isReadOnly)
  if (!setting || !own) return env
  const { key, value } = setting
  return { ...env, [settingsVariable]: JSON.stringify({ ...own, [key]: { ...recordOf(own[key]), ...value } }) }
}

function settingFor({ isReadOnly, statusTool }: Task): { key: string; value: Json } | undefined {
  if (isReadOnly) return { key: 'agent', value: { [reader]: { mode: 'primary', permission } } }
  return statusTool && { key: 'mcp', value: { ralph: { type: 'local', command: [statusTool.command, ...statusTool.args] } } }
}

/** No shell for a reader: a rule for `git diff` would also allow `git diff > file`. */
const permission = { '*': 'deny', read: 'allow', grep: 'allow', glob: 'allow', list: 'allow' }

/** Keeps what the user set in the same variable. If it cannot be parsed it is ignored, because it must not loosen the restrictions of a reader. */
function settingsIn(text = '{}', isReadOnly = false): Json | undefined {
  const settings = jsonIn(text)
  return settings === undefined && !isReadOnly ? undefined : recordOf(settings)
}

/**
 * OpenCode has no end event: a step that stops may be a summary of the session, after which work continues. So the program's
 * exit is the end, and its exit code counts.
 */
export function opencodeReader(): Reader {
  const memory: Memory = { session: '', used: usageSum() }
  return jsonLinesReader(
    (event) => [...sessionOf(event, memory), ...entriesOf(event, memory)],
    (line) => logEntries(line) ?? [plainEntry(line)],
  )
}

/** OpenCode's own log: a request that failed and is retried. Requests for a session title do not matter. */
function logEntries(line: string): Entry[] | undefined {
  const error = /\bmessage="stream error" .*\bsmall=false .*\berror\.error="(?:\w+Error: )?(.*)"$/.exec(line.trim())?.[1]
  return error === undefined ? undefined : entriesOfRetry(cut(error, 300), sdkErrorOf(error))
}

/** Every event names the session, and every step its usage. */
type Memory = { session: string; used: ReturnType<typeof usageSum> }

function sessionOf(event: Json, memory: Memory): Entry[] {
  const id = textOf(event['sessionID'])
  if (id === '' || id === memory.session) return []
  memory.session = id
  return [{ kind: 'session', id, model: '' }]
}

function entriesOf(event: Json, memory: Memory): Entry[] {
  const part = recordOf(event['part'])
  switch (event['type']) {
    case 'text': // synthetic: what the program itself tells the model
      return part['synthetic'] === true ? [] : [{ kind: 'said', text: textOf(part['text']), isSub: false }]
    case 'tool_use':
      return toolEntries(textOf(part['tool']), recordOf(part['state']))
    case 'step_finish':
      return [memory.used(requestUsage(part))]
    case 'error':
      return [failureOf(recordOf(event['error']))]
    default:
      return [] // new kinds of events appear with every version of the agent
  }
}

/** A tool is reported once, when it has ended. */
function toolEntries(name: string, state: Json): Entry[] {
  const error = textOf(state['error'])
  const code = numberOf(recordOf(state['metadata'])['exit'])
  return [
    toolEntry(name, state['input']),
    ...(isRefusal.test(error) ? [{ kind: 'denied', tool: name } as const] : []),
    toolResult(state['status'] === 'error' || (code !== undefined && code !== 0), error || textOf(state['output'])),
  ]
}

const isRefusal = /^(?:The user (?:has )?rejected permission|The user has specified a rule which prevents you)/

function requestUsage(part: Json): RequestUsage {
  const tokens = recordOf(part['tokens'])
  const cache = recordOf(tokens['cache'])
  const count = (value: unknown) => numberOf(value) ?? 0
  return {
    input: count(tokens['input']),
    output: count(tokens['output']) + count(tokens['reasoning']),
    cacheRead: count(cache['read']),
    cacheWrite: count(cache['write']),
    costUsd: count(part['cost']),
  }
}

function failureOf(error: Json): Entry {
  const name = textOf(error['name'])
  const data = recordOf(error['data'])
  const told = sdkErrorOf(textOf(data['message']) || name)
  const status = numberOf(data['statusCode'])
  return entryOfError({
    ...told,
    ...(status === undefined ? {} : { status }),
    ...(name === 'ProviderAuthError' ? { status: 401 } : {}),
  })
}
