/** Gemini CLI, headless: the prompt on standard input, its JSON events out. */

import type { Entry } from '../../core/reading/transcript.ts'
import { inPattern } from '../../core/text/escape.ts'
import { isRecord, type Json, numberOf, recordOf, textOf } from '../../core/text/json.ts'
import type { Reader, Task } from '../../ports.ts'
import { geminiErrorOf } from './shared/gemini-errors.ts'
import { headless } from './shared/headless.ts'
import { cut, jsonLinesReader, longestOutput, noise, toolResult } from './shared/json-lines.ts'
import { filesFolder } from './shared/launch-files.ts'
import { entriesOfRetry, entryOfError } from './shared/provider-errors.ts'
import { toolEntry } from './shared/tool-input.ts'
import { shellLimits, shellRules } from './shared/tool-rules.ts'

export const gemini = headless('gemini', {
  needs: { home: ['.gemini'], variables: ['GEMINI_', 'GOOGLE_'], folders: [] },
  homeSettings: ['.gemini/GEMINI.md', '.gemini/.env', '.gemini/commands/', '.gemini/skills/', '.gemini/agents/'],
  homeKeys: { '.gemini/settings.json': ['hooks', 'hooksConfig', 'mcpServers', 'mcp', 'proxy', 'context', 'tools'] },
  ordersIn: ['GEMINI.md', '.gemini/'],
  marksChildrenBy: ['GEMINI_CLI'],
  tells: 'tokens',
  limits: shellLimits,
  install: 'npm install -g @google/gemini-cli',
  tested: '0.61.0',
  args(task, { allowedTools, skipPermissions }) {
    const policy = policyFor(task, allowedTools, skipPermissions)
    return [
      ...['--output-format', 'stream-json', '--skip-trust'],
      ...(task.model ? ['-m', task.model] : []),
      ...(skipPermissions && !task.isReadOnly ? ['--yolo'] : ['--approval-mode', 'default']),
      ...(policy ? ['--policy', `${filesFolder}/${policy.name}`] : []),
    ]
  },
  files(task, { allowedTools, skipPermissions }) {
    const policy = policyFor(task, allowedTools, skipPermissions)
    return policy && { [policy.name]: policy.text }
  },
  reader: geminiReader,
})

type GeminiPolicy = { name: string; text: string }

const policyFor = ({ isReadOnly }: Task, allowedTools: string, skipPermissions: boolean): GeminiPolicy | undefined =>
  isReadOnly
    ? readOnly
    : skipPermissions
      ? undefined
      : { name: 'allowed.toml', text: [withoutPlans, ...filePolicy(allowedTools), ...shellPolicy(allowedTools)].join('\n') }

const rule = (about: string, decision: 'allow' | 'deny', priority: number): string =>
  ['[[rule]]', about, `decision = "${decision}"`, `priority = ${priority}`, ''].join('\n')
const ruleFor = (tools: string[], decision: 'allow' | 'deny', priority: number): string =>
  rule(`toolName = ${JSON.stringify(tools)}`, decision, priority)

/** When no person is there, the model can enter and leave `plan` mode itself, and may then do everything. */
const withoutPlans = ruleFor(['enter_plan_mode', 'exit_plan_mode'], 'deny', 999)

const filePolicy = (allowedTools: string): string[] =>
  mayEdit(allowedTools) ? [ruleFor(['write_file', 'replace'], 'allow', 998)] : []

/** Gemini checks each part of a command line. A redirection is refused in this mode, and allowed in `auto_edit`. */
function shellPolicy(allowedTools: string): string[] {
  const { isOpen, starts, whole } = shellRules(allowedTools)
  if (isOpen) return [ruleFor(['run_shell_command'], 'allow', 998)]
  return [
    ...(starts.length === 0
      ? []
      : [rule(`toolName = "run_shell_command"\ncommandPrefix = ${JSON.stringify(starts)}`, 'allow', 998)]),
    // Its pattern starts where the command does, in JSON: a quote ends it.
    ...whole.map((command) =>
      rule(`toolName = "run_shell_command"\ncommandRegex = ${JSON.stringify(`${inPattern(command)}"`)}`, 'allow', 998),
    ),
  ]
}

const readers = ['read_file', 'read_many_files', 'list_directory', 'glob', 'grep_search']
const readOnly: GeminiPolicy = {
  name: 'read-only.toml',
  text: `${ruleFor(['*'], 'deny', 998)}\n${ruleFor(readers, 'allow', 999)}`,
}

/** Without a person to ask, the model only gets tools that need no permission. */
export const mayEdit = (allowedTools: string): boolean => /\b(?:Edit|Write)\b/.test(allowedTools)

function geminiReader(): Reader {
  const memory: Memory = { hasBegun: false, words: '', lastWords: undefined, tools: new Map(), failure: '' }
  return jsonLinesReader(
    (event) => entriesOf(event, memory),
    (line) => plainEntries(line, memory),
  )
}

/** `words`: of the message that is still arriving. `tools`: the name of each call without a result so far. */
type Memory = {
  hasBegun: boolean
  words: string
  lastWords: string | undefined
  tools: Map<string, string>
  failure: string
}

/** Failing tools may print here too: once the session has begun, only retries are believed. */
function plainEntries(line: string, { hasBegun }: Memory): Entry[] {
  const text = cut(line.trim(), longestOutput)
  if (/^Attempt \d+ failed\b.*\bRetrying\b/.test(text))
    return entriesOfRetry(cut(text, 300), geminiErrorOf(/\bError: (.*)$/.exec(text)?.[1] ?? text))
  if (!hasBegun && withoutLogin.test(text)) return [{ kind: 'throttled', by: 'login', message: text }]
  return [noise(text)]
}

const withoutLogin = /^Please set an Auth method\b|^When using (?:Gemini API|Vertex AI), you must specify\b/

function entriesOf(event: Json, memory: Memory): Entry[] {
  if (event['type'] === 'message') return messageEntries(event, memory)
  return [...spokenEntries(memory), ...otherEntries(event, memory)]
}

/** An answer arrives in pieces; the prompt is repeated as the user's message. */
function messageEntries(event: Json, memory: Memory): Entry[] {
  if (event['role'] !== 'assistant') return []
  const before = event['delta'] === true ? [] : spokenEntries(memory)
  memory.words += textOf(event['content'])
  if (memory.words.length > 2 * longestMessage) memory.words = memory.words.slice(-longestMessage)
  return event['delta'] === true ? before : [...before, ...spokenEntries(memory)]
}

/** Readers need only the end of a very long answer, and memory must stay flat. */
const longestMessage = 256 * 1024

/** The message is complete as soon as anything else happens. */
function spokenEntries(memory: Memory): Entry[] {
  const { words: text } = memory
  if (text === '') return []
  memory.words = ''
  memory.lastWords = text
  return [{ kind: 'said', text, isSub: false }]
}

function otherEntries(event: Json, memory: Memory): Entry[] {
  switch (event['type']) {
    case 'init':
      memory.hasBegun = true
      return [{ kind: 'session', id: textOf(event['session_id']), model: textOf(event['model']) }]
    case 'tool_use': {
      const name = textOf(event['tool_name'])
      memory.tools.set(textOf(event['tool_id']), name)
      return [toolEntry(name, event['parameters'])]
    }
    case 'tool_result':
      return toolResultEntries(event, memory)
    case 'error':
      return warningEntries(event, memory)
    case 'result':
      return [...usageEntries(event['stats']), ...endEntries(event, memory)]
    default:
      return [] // new kinds of events appear with every version of the agent
  }
}

/** A failed command has the status of success here: only its output shows the failure. */
function toolResultEntries(event: Json, { tools }: Memory): Entry[] {
  const id = textOf(event['tool_id'])
  const name = tools.get(id) ?? ''
  tools.delete(id)
  const error = recordOf(event['error'])
  const text = textOf(event['output']) || textOf(error['message'])
  const isWithheld = error['type'] === 'tool_not_registered' && withheldTools.includes(name)
  const isDenied = isWithheld || error['type'] === 'policy_violation' || unconfirmed.test(textOf(error['message']))
  return [...(isDenied ? [{ kind: 'denied', tool: name } as const] : []), toolResult(event['status'] === 'error', text)]
}

/** An allowed command with a redirection. */
const unconfirmed = /^Tool execution for "[^"]*" requires user confirmation, which is not supported in non-interactive mode/
/** Tools that need a person's permission are not offered without one, so they are unknown if the model calls them anyway. */
const withheldTools = ['run_shell_command', 'write_file', 'replace']

/** Messages such as `Loop detected` stop a turn that still ends well: they are warnings. */
function warningEntries(event: Json, memory: Memory): Entry[] {
  const message = textOf(event['message'])
  if (event['severity'] !== 'error') return [noise(message)]
  memory.failure = message
  return [{ kind: 'error', message }]
}

/** The input already includes cache reads; thinking tokens are only in the total. */
function usageEntries(stats: unknown): Entry[] {
  if (!isRecord(stats)) return []
  const tokens = (key: string) => numberOf(stats[key]) ?? 0
  const [inputTokens, cached] = [tokens('input_tokens'), tokens('cached')]
  const outputTokens = Math.max(tokens('output_tokens'), tokens('total_tokens') - inputTokens)
  return [
    { kind: 'usage', usage: { inputTokens, outputTokens, costUsd: null, ...(cached > 0 ? { cacheReadTokens: cached } : {}) } },
  ]
}

function endEntries(event: Json, { failure, lastWords }: Memory): Entry[] {
  if (event['status'] !== 'error')
    return [{ kind: 'end', isError: false, ...(lastWords === undefined ? {} : { text: lastWords }) }]
  const message = textOf(recordOf(event['error'])['message'])
  if (!message && failure) return [{ kind: 'end', isError: true, text: failure }] // already reported by its own event
  const error = geminiErrorOf(message)
  return [entryOfError(error), { kind: 'end', isError: true, text: error.text }]
}
