/** Codex, headless: the prompt on standard input, its JSON events out. */
import type { Entry } from '../../core/reading/transcript.ts'
import { isRecord, type Json, jsonIn, numberOf, recordOf, recordsIn, textOf } from '../../core/text/json.ts'
import type { Reader, Task } from '../../ports.ts'
import { headless } from './shared/headless.ts'
import { jsonLinesReader, noise, oneLine, toolResult } from './shared/json-lines.ts'
import { entriesOfRetry, entryOfError, type ProviderError } from './shared/provider-errors.ts'
import { commandOf } from './shared/tool-input.ts'
import { leaveUncommitted } from './shared/tool-rules.ts'
import { codexUsage } from './shared/usage-files.ts'

export const codex = headless('codex', {
  needs: { home: ['.codex'], variables: ['OPENAI_', 'CODEX_'], folders: ['CODEX_HOME'] },
  homeSettings: [
    ...['.codex/config.toml', '.codex/AGENTS.md', '.codex/AGENTS.override.md', '.codex/hooks.json', '.codex/.env'],
    ...['.codex/skills/', '.codex/prompts/', '.codex/rules/', '.agents/skills/'],
  ],
  ordersIn: ['AGENTS.md', 'AGENTS.override.md', '.codex/', '.agents/'],
  marksChildrenBy: ['CODEX_SANDBOX', 'CODEX_SANDBOX_NETWORK_DISABLED'],
  tells: 'tokens',
  takesStatusTool: true,
  resumes: 'own',
  answersInSchema: true,
  limits: () => `Your sandbox does not let you write to .git. ${leaveUncommitted}`,
  install: 'npm install -g @openai/codex',
  tested: '0.166.0',
  login: {
    args: ['login', 'status'],
    since: '0.166.0',
    keys: ['CODEX_API_KEY'],
    saysNo: /^Not logged in$/m,
    isCertain: false,
    advice: 'codex login, or set CODEX_API_KEY (not needed for a provider of your own)',
  },
  args: (task, { skipPermissions }) => [
    ...['exec', '--json', '--skip-git-repo-check', ...(task.isReadOnly ? readOnly : freedom(skipPermissions))],
    ...(task.model ? ['-m', task.model] : []),
    ...(task.schema ? ['--output-schema', task.schema.path] : []),
    ...(task.statusTool && !task.isReadOnly ? mcpServer(task.statusTool) : []),
    ...(task.resume && !task.isReadOnly ? ['resume', task.resume] : []),
    '-', // the prompt is on standard input
  ],
  usageLeft: codexUsage, // it prints none if it is ended
  isUsageLeftLive: true,
  reader: codexReader,
})

/** AGENTS.md is read as orders: nobody gives a judge any. */
const readOnly = ['-s', 'read-only', '-c', 'project_doc_max_bytes=0']

const freedom = (skipPermissions: boolean): string[] =>
  skipPermissions ? ['--dangerously-bypass-approvals-and-sandbox'] : ['-s', 'workspace-write']

/** Codex passes a server only the environment variables that are named here. */
function mcpServer({ command, args }: NonNullable<Task['statusTool']>): string[] {
  const settings = { command, args, env_vars: ['RALPH_REPORT', 'RALPH_RUN'] }
  return Object.entries(settings).flatMap(([key, value]) => ['-c', `mcp_servers.ralph.${key}=${JSON.stringify(value)}`])
}

function codexReader(): Reader {
  const memory: Memory = { begun: new Set(), lastWords: undefined }
  return jsonLinesReader((event) => entriesOf(event, memory))
}

/** Items already reported as started, and the agent's last words: the end of a turn repeats neither. */
type Memory = { begun: Set<string>; lastWords: string | undefined }

function entriesOf(event: Json, memory: Memory): Entry[] {
  switch (event['type']) {
    case 'thread.started':
      return [{ kind: 'session', id: textOf(event['thread_id']), model: '' }]
    case 'item.started':
      return beginOf(recordOf(event['item']), memory)
    case 'item.completed':
      return completed(recordOf(event['item']), memory)
    case 'error': // temporary: turn.failed repeats what is final
      return retryEntries(textOf(event['message']))
    case 'turn.completed':
      return [
        ...usageEntries(event['usage']),
        { kind: 'end', isError: false, ...(memory.lastWords === undefined ? {} : { text: memory.lastWords }) },
      ]
    case 'turn.failed':
      return failed(textOf(recordOf(event['error'])['message']))
    default:
      return [] // new kinds of events appear with every version of the agent
  }
}

/** `Reconnecting... 2/5 (why)`; without a network it waits like this forever. */
function retryEntries(message: string): Entry[] {
  const why = /^Reconnecting\.\.\.[^(]*\((.*)\)$/s.exec(message)?.[1]
  return why === undefined ? [{ kind: 'retrying', message }] : entriesOfRetry(message, providerErrorOf(why))
}

function completed(item: Json, memory: Memory): Entry[] {
  switch (item['type']) {
    case 'agent_message':
      memory.lastWords = textOf(item['text'])
      return [{ kind: 'said', text: memory.lastWords, isSub: false }]
    case 'error': // a warning, despite its name: the turn continues
      return [noise(textOf(item['message']))]
    default:
      return [...beginOf(item, memory), ...resultOf(item)]
  }
}

/** Some items are reported only when completed, others also when they begin: name the tool once. */
function beginOf(item: Json, { begun }: Memory): Entry[] {
  const id = textOf(item['id'])
  if (begun.has(id)) return []
  const command = commandOf({ command: withoutShell(textOf(item['command'])) })
  const tools = toolsOf(item).map(([name, target]): Entry => ({ kind: 'tool', name, target, isSub: false, ...command }))
  if (tools.length > 0) begun.add(id)
  return tools
}

function toolsOf(item: Json): [name: string, target: string][] {
  switch (item['type']) {
    case 'command_execution':
      return [['Bash', oneLine(withoutShell(textOf(item['command'])))]]
    case 'file_change':
      return recordsIn(item['changes']).map((change) => ['Edit', textOf(change['path'])])
    case 'mcp_tool_call':
      return [[`${textOf(item['server'])}.${textOf(item['tool'])}`, '']]
    case 'web_search': // it starts before its purpose is known
      return item['query'] ? [['WebSearch', oneLine(textOf(item['query']))]] : []
    default:
      return []
  }
}

function resultOf(item: Json): Entry[] {
  const isFailed = item['status'] === 'failed' || item['status'] === 'declined'
  switch (item['type']) {
    case 'command_execution': {
      const code = numberOf(item['exit_code'])
      return [toolResult(isFailed || (code !== undefined && code !== 0), textOf(item['aggregated_output']))]
    }
    case 'file_change': {
      const changes = recordsIn(item['changes']).map((change) => `${textOf(change['kind'])} ${textOf(change['path'])}`)
      return [toolResult(isFailed, changes.join('\n'))]
    }
    case 'mcp_tool_call': {
      const content = recordsIn(recordOf(item['result'])['content']).map((part) => textOf(part['text']))
      const texts = [...content, textOf(recordOf(item['error'])['message'])]
      return [toolResult(isFailed, texts.filter((text) => text !== '').join('\n'))]
    }
    default:
      return []
  }
}

/** Commands come inside the shell that runs them: `/bin/bash -lc 'npm test'`. */
function withoutShell(command: string): string {
  const inner = /^\S*sh -l?c (.*)$/s.exec(command)?.[1]
  return inner === undefined ? command : inner.replace(/^(['"])(.*)\1$/s, '$2')
}

/** The input already includes cache reads. */
function usageEntries(usage: unknown): Entry[] {
  if (!isRecord(usage)) return []
  const tokens = (key: string) => numberOf(usage[key]) ?? 0
  const cacheReadTokens = tokens('cached_input_tokens')
  const sum = { inputTokens: tokens('input_tokens'), outputTokens: tokens('output_tokens'), costUsd: null }
  return [{ kind: 'usage', usage: { ...sum, ...(cacheReadTokens > 0 ? { cacheReadTokens } : {}) } }]
}

function failed(message: string): Entry[] {
  const error = providerErrorOf(message || 'the agent failed without an error message')
  return [entryOfError(error), { kind: 'end', isError: true, text: error.text }]
}

/** Codex reports in plain text what others report with a status or a code. */
function providerErrorOf(message: string): ProviderError {
  const text = toTheSecond(unwrapped(message))
  const [, meaning] = meanings.find(([words]) => words.test(text)) ?? []
  const status = /^(?:unexpected status|exceeded retry limit, last status:) (\d{3})\b/.exec(text)?.[1]
  return { text, ...(status === undefined ? {} : { status: Number(status) }), ...meaning }
}

/** The first match counts: a broken stream may have the provider's reason after its own message. */
const meanings: [RegExp, Omit<ProviderError, 'text'>][] = [
  [/^You['’]ve hit your usage limit|^Your workspace is out of credits|^Quota exceeded/, { code: 'usage_limit_reached' }],
  [
    /^To use Codex with your ChatGPT plan|^Missing environment variable|^Your access token could not be refreshed/,
    { status: 401 },
  ],
  [/^rate limit exceeded|^stream disconnected[^:]*: rate limit reached/i, { status: 429 }],
  [/^Selected model is at capacity|^We['’]re currently experiencing high demand/, { code: 'overloaded' }],
  [/^stream disconnected|^connection failed|^error sending request|^request timed out/i, { code: 'connection_failed' }],
]

/** Codex rounds the end of a limit down to the minute, so the limit still applies at that time. */
const toTheSecond = (text: string): string =>
  text.replace(/(\btry again at [^\n]{0,40}?(?<![\d:])\d{1,2}:\d\d)(?= [AP]M\b)/i, '$1:59')

/** Some errors contain the provider's whole JSON. */
const unwrapped = (message: string): string => textOf(recordOf(recordOf(jsonIn(message))['error'])['message']) || message
