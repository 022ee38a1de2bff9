/** Cline, headless: the prompt in a pipe as standard input, its JSON events out. */
import type { Entry } from '../../core/reading/transcript.ts'
import { isRecord, type Json, numberOf, recordOf, recordsIn, textOf } from '../../core/text/json.ts'
import type { Usage } from '../../core/types.ts'
import type { Reader } from '../../ports.ts'
import { providerVariables } from './shared/choice.ts'
import { headless } from './shared/headless.ts'
import { jsonLinesReader, sayValue, toolResult } from './shared/json-lines.ts'
import { filesFolder } from './shared/launch-files.ts'
import { entryOfError, type ProviderError } from './shared/provider-errors.ts'
import { sdkErrorOf } from './shared/sdk-errors.ts'
import { toolEntry } from './shared/tool-input.ts'

/** Where it looks for rules, hooks and the rest, in a project as in the home folder. */
const orders = ['agents', 'hooks', 'plugins', 'rules', 'skills', 'workflows'].map((name) => `.cline/${name}/`)

export const cline = headless('cline', {
  needs: {
    home: ['.cline'],
    variables: ['CLINE_', ...providerVariables],
    folders: ['CLINE_DIR', 'CLINE_DATA_DIR'],
  },
  homeSettings: [
    ...orders,
    ...['Rules', 'Hooks', 'Workflows', 'Plugins', 'Agents', 'Skills'].map((name) => `Documents/Cline/${name}/`),
    ...['cline_mcp_settings.json', 'global-settings.json'].map((name) => `.cline/data/settings/${name}`),
  ],
  homeKeys: { '.cline/data/settings/providers.json': ['providers.openai-compatible.settings.baseUrl'] },
  ordersIn: ['AGENTS.md', '.clinerules', '.clinerules/', '.cline/', '.agents/', '.cursorrules', '.windsurfrules'],
  tells: 'tokens',
  install: 'npm install -g cline',
  tested: '3.0.65',
  isStdinPipe: true,
  args: (task, { skipPermissions }) => [
    '--json',
    ...(task.model ? ['--model', task.model] : []),
    ...(task.isReadOnly ? ['--plan'] : ['--auto-approve', String(skipPermissions)]),
    'Do what the following says.', // it takes the text on standard input only below one of its arguments
  ],
  // Its hub would be a process that serves all later calls too.
  env: (given, { isReadOnly }) => ({
    ...given,
    CLINE_SESSION_BACKEND_MODE: 'local',
    ...(isReadOnly
      ? { CLINE_GLOBAL_SETTINGS_PATH: `${filesFolder}/settings.json`, CLINE_MCP_SETTINGS_PATH: `${filesFolder}/servers.json` }
      : {}),
  }),
  files: ({ isReadOnly }) =>
    isReadOnly
      ? {
          'settings.json': JSON.stringify({ autoUpdateEnabled: false, disabledTools: changing }),
          'servers.json': '{"mcpServers":{}}',
        }
      : undefined,
  reader: clineReader,
})

/** Its mode `plan` still has a shell, which refuses what looks like a change, and teammates that are not in this mode. */
const changing = [
  ...['run_commands', 'editor', 'apply_patch', 'fetch_web_content', 'ask_question', 'skills', 'spawn_agent', 'submit_and_exit'],
  ...['spawn_teammate', 'shutdown_teammate', 'status', 'task', 'run_task', 'cancel_run', 'list_runs', 'await_runs']
    .concat('send_message', 'broadcast', 'read_mailbox', 'mission_log', 'cleanup', 'create_outcome')
    .concat('attach_outcome_fragment', 'review_outcome_fragment', 'finalize_outcome', 'list_outcomes')
    .map((name) => `team_${name}`),
]

function clineReader(): Reader {
  const memory: Memory = { session: '', failure: '' }
  return jsonLinesReader((event) => entriesOf(event, memory))
}

/** The session, once it is known, and the last failure, which the result repeats. */
type Memory = { session: string; failure: string }

function entriesOf(event: Json, memory: Memory): Entry[] {
  switch (event['type']) {
    case 'hook_event':
      return sessionEntries(event, memory)
    case 'agent_event':
      return agentEntries(recordOf(event['event']), memory)
    case 'run_result':
      return resultEntries(event, memory)
    case 'run_aborted':
      return [{ kind: 'end', isError: true, text: textOf(event['message']) || 'aborted' }]
    default:
      return [] // new kinds of events appear with every version of the agent
  }
}

function sessionEntries(event: Json, memory: Memory): Entry[] {
  const id = textOf(event['taskId'])
  if (id === '' || memory.session !== '' || event['parentAgentId']) return []
  memory.session = id
  return [{ kind: 'session', id, model: '' }]
}

function agentEntries(event: Json, memory: Memory): Entry[] {
  const isTool = event['contentType'] === 'tool'
  switch (event['type']) {
    case 'content_start':
      return isTool ? [toolCall(event)] : []
    case 'content_end':
      return isTool ? toolEntries(event) : said(textOf(event['text']))
    case 'usage':
      return [usageEntry(event)]
    case 'error':
      return errorEntries(event, memory)
    default:
      return []
  }
}

const said = (text: string): Entry[] => (text.trim() === '' ? [] : [{ kind: 'said', text, isSub: false }])

/** Its shell takes several commands at once. */
function toolCall({ toolName, input }: Json): Entry {
  const commands = recordOf(input)['commands']
  const lines = Array.isArray(commands) ? commands.map(sayValue).join('\n') : undefined
  return toolEntry(textOf(toolName), lines === undefined ? input : { command: lines })
}

function toolEntries(event: Json): Entry[] {
  const refusal = textOf(recordOf(event['output'])['error'])
  if (/ requires approval in a TTY session\b/.test(refusal)) return [{ kind: 'denied', tool: textOf(event['toolName']) }]
  if (event['error'] !== undefined) return [toolResult(true, refusal || sayValue(event['error']))]
  const results = recordsIn([event['output']].flat())
  if (results.length === 0) return [toolResult(false, sayValue(event['output'] ?? ''))]
  const isFailed = results.some(({ success }) => success === false)
  return [toolResult(isFailed, results.map(({ result }) => (typeof result === 'string' ? result : sayValue(result))).join('\n'))]
}

/** Without a price of the model, the cost is 0. */
function usageEntry(event: Json): Entry {
  const usage = usageOf(event, {
    input: 'totalInputTokens',
    output: 'totalOutputTokens',
    cacheRead: 'totalCacheReadTokens',
    cacheWrite: 'totalCacheWriteTokens',
  })
  const contextTokens = numberOf(event['inputTokens'])
  return { kind: 'usage', usage, ...(contextTokens === undefined ? {} : { contextTokens }) }
}

const ofResult = { input: 'inputTokens', output: 'outputTokens', cacheRead: 'cacheReadTokens', cacheWrite: 'cacheWriteTokens' }

function usageOf(event: Json, keys: typeof ofResult): Usage {
  const count = (key: string): number => numberOf(event[key]) ?? 0
  const [cacheReadTokens, cacheWriteTokens] = [count(keys.cacheRead), count(keys.cacheWrite)]
  return {
    inputTokens: count(keys.input),
    outputTokens: count(keys.output),
    costUsd: count('totalCost') || null,
    ...(cacheReadTokens > 0 ? { cacheReadTokens } : {}),
    ...(cacheWriteTokens > 0 ? { cacheWriteTokens } : {}),
  }
}

/** From a recoverable one it goes on; tool calls that failed are such, and have said so already. */
function errorEntries(event: Json, memory: Memory): Entry[] {
  const message = textOf(recordOf(event['error'])['message'])
  if (event['recoverable'] === true) return []
  memory.failure = message
  return [entryOfError(errorOf(message, textOf(event['errorClass'])))]
}

function errorOf(message: string, errorClass: string): ProviderError {
  const error = sdkErrorOf(message)
  if (errorClass === 'auth') return { ...error, status: 401 }
  return error.code === undefined && /^rate limit\b|\btoo many requests\b/i.test(message) ? { ...error, status: 429 } : error
}

function resultEntries(event: Json, { failure }: Memory): Entry[] {
  const isError = event['finishReason'] === 'error'
  const text = textOf(event['text'])
  const { aggregateUsage, usage } = event
  const used = [aggregateUsage, usage].find(isRecord)
  const told = used ? usageOf(used, ofResult) : undefined
  return [
    ...(told && told.inputTokens + told.outputTokens > 0 ? [{ kind: 'usage', usage: told } as const] : []),
    ...(isError && failure === '' ? [entryOfError(errorOf(text, ''))] : []),
    { kind: 'end', isError, ...(text === '' ? {} : { text }) },
  ]
}
