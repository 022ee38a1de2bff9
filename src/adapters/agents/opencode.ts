/** OpenCode, headless: the prompt on standard input, its JSON events out. */
import type { Entry } from '../../core/transcript.ts'
import type { Agent, Reader } from '../../ports.ts'
import { programOf } from './command.ts'
import { cut, eventsIn, type Json, longestOutput, numberOf, recordOf, textOf } from './json-lines.ts'
import type { AgentChoice, AgentOptions } from './list.ts'
import { entryOfError, entryOfPlainLine } from './provider-errors.ts'
import { sdkErrorOf } from './sdk-errors.ts'
import { editOf, targetOf } from './tool-input.ts'
import { type RequestUsage, usageSum } from './usage-sum.ts'

export function opencodeAgent({ command = ['opencode'], env }: AgentChoice, { skipPermissions, root }: AgentOptions): Agent {
  const { program, args } = programOf('opencode', command, root)
  return {
    name: 'opencode',
    tellsWordsApart: true,
    tells: 'cost',
    program,
    install: 'npm install -g opencode-ai',
    tested: '1.18.33',
    launch: (task) => ({
      command: program,
      args: [
        ...args,
        ...['run', '--format', 'json'],
        ...(task.model ? ['-m', task.model] : []),
        ...(skipPermissions ? ['--auto'] : []),
      ],
      env: { ...env, ...task.env },
      stdin: task.prompt,
    }),
    reader: opencodeReader,
  }
}

/**
 * There is no event of the end: a step that stops may be a summary of the session, after which the work goes on.
 * So the end is the exit of the program, and its exit code counts.
 */
function opencodeReader(): Reader {
  const memory: Memory = { session: '', used: usageSum() }
  return (line, stream) => {
    if (line.trim() === '') return []
    const events = stream === 'out' ? eventsIn(line) : undefined
    if (events === undefined) return [entryOfPlainLine(line) ?? { kind: 'noise', text: cut(line, longestOutput) }]
    return events.flatMap((event) => [...sessionOf(event, memory), ...entriesOf(event, memory)])
  }
}

/** Every event names the session, and every step what it used. */
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

/** A tool is told once, when it has ended. */
function toolEntries(name: string, state: Json): Entry[] {
  const input = state['input']
  const error = textOf(state['error'])
  const code = numberOf(recordOf(state['metadata'])['exit'])
  return [
    { kind: 'tool', name, target: targetOf(input), isSub: false, ...editOf(input) },
    ...(isRefusal.test(error) ? [{ kind: 'denied', tool: name } as const] : []),
    {
      kind: 'tool-result',
      failed: state['status'] === 'error' || (code !== undefined && code !== 0),
      text: cut(error || textOf(state['output']), longestOutput),
    },
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
