/** GitHub Copilot CLI, headless: the prompt on standard input, its JSON events out. */
import type { Entry } from '../../core/reading/transcript.ts'
import { type Json, numberOf, recordOf, textOf } from '../../core/text/json.ts'
import type { Reader, Task } from '../../ports.ts'
import { headless } from './shared/headless.ts'
import { jsonLinesReader, plainEntry, toolResult } from './shared/json-lines.ts'
import { filesFolder } from './shared/launch-files.ts'
import { entryOfError, type ProviderError } from './shared/provider-errors.ts'
import { sdkErrorOf } from './shared/sdk-errors.ts'
import { toolEntry } from './shared/tool-input.ts'
import { copilotUsage, copilotUsageFile } from './shared/usage-files.ts'

const ownKeys = ['hooks', 'mcpServers', 'env', 'enabledPlugins', 'installedPlugins', 'installed_plugins', 'skillDirectories']

export const copilot = headless('copilot', {
  needs: {
    home: ['.copilot', '.config/github-copilot', '.cache/copilot'],
    variables: ['COPILOT_', 'GH_TOKEN', 'GITHUB_TOKEN'],
    folders: ['COPILOT_HOME'],
  },
  homeSettings: [
    '.copilot/copilot-instructions.md',
    '.copilot/mcp-config.json',
    '.copilot/agents/',
    '.copilot/skills/',
    '.copilot/hooks/',
  ],
  homeKeys: { '.copilot/settings.json': ownKeys, '.copilot/config.json': ownKeys },
  ordersIn: [
    'AGENTS.md',
    '.github/copilot-instructions.md',
    '.github/instructions/',
    '.github/agents/',
    '.github/hooks/',
    '.github/skills/',
    '.copilot/',
  ],
  tells: 'tokens',
  takesStatusTool: true,
  install: 'npm install -g @github/copilot',
  tested: '1.0.102',
  args: (task, { skipPermissions }) => [
    ...['--output-format', 'json', '--no-color', '--no-auto-update', '--usage-output-file', `${filesFolder}/${copilotUsageFile}`],
    ...(task.model ? ['--model', task.model] : []),
    ...(task.isReadOnly ? readOnly : skipPermissions ? ['--allow-all'] : []),
    ...(task.statusTool && !task.isReadOnly ? statusServer(task.statusTool) : []),
  ],
  files: () => ({ [copilotUsageFile]: '' }),
  usageLeft: copilotUsage,
  reader: copilotReader,
})

/** No shell: a rule for `git diff` would also allow `git diff --output=file`. */
const readOnly = ['--available-tools=view,grep,glob', '--deny-tool=write', '--deny-tool=shell', '--no-custom-instructions']

function statusServer(server: NonNullable<Task['statusTool']>): string[] {
  const config = { mcpServers: { ralph: { type: 'local', ...server, tools: ['*'] } } }
  return ['--additional-mcp-config', JSON.stringify(config), '--allow-tool=ralph(report_status)']
}

function copilotReader(): Reader {
  const memory: Memory = { tools: new Map(), model: '', words: '', failure: '' }
  return jsonLinesReader(
    (event) => entriesOf(event, recordOf(event['data']), memory),
    (line) => [plainEntry(line, /^(?:Error: )?No authentication information found/)],
  )
}

/** Tools by call id, and what the end does not repeat: the model, the last words, the last failure. */
type Memory = { tools: Map<string, string>; model: string; words: string; failure: string }

function entriesOf(event: Json, data: Json, memory: Memory): Entry[] {
  const isSub = Boolean(event['agentId'] || data['parentToolCallId'])
  switch (event['type']) {
    case 'assistant.message':
      return messageEntries(textOf(data['content']), textOf(data['model']), isSub, memory)
    case 'tool.execution_start': {
      const name = textOf(data['toolName'])
      memory.tools.set(textOf(data['toolCallId']), name)
      return [toolEntry(name, data['arguments'], isSub)]
    }
    case 'tool.execution_complete':
      return resultEntries(data, memory)
    case 'assistant.turn_retry':
      return [{ kind: 'retrying', message: textOf(data['reason']) || 'unknown error' }]
    case 'session.error':
      return isSub ? [] : failureEntries(data, memory)
    case 'result':
      return endEntries(event, memory)
    default:
      return [] // new kinds of events appear with every version of the agent
  }
}

function messageEntries(text: string, model: string, isSub: boolean, memory: Memory): Entry[] {
  if (text.trim() === '') return []
  if (!isSub) Object.assign(memory, { words: text, model, failure: '' })
  return [{ kind: 'said', text, isSub }]
}

function resultEntries(data: Json, { tools }: Memory): Entry[] {
  const id = textOf(data['toolCallId'])
  const error = recordOf(data['error'])
  const name = tools.get(id) ?? ''
  tools.delete(id)
  // A tool that ran a failing command still reports success.
  const code = numberOf(recordOf(data['shellExecution'])['exitCode'])
  const text = textOf(error['message']) || textOf(recordOf(data['result'])['content'])
  return [
    ...(error['code'] === 'denied' ? [{ kind: 'denied', tool: name } as const] : []),
    toolResult(data['success'] === false || (code !== undefined && code !== 0), text),
  ]
}

/** Its own error categories, where they say more than the provider's status. */
const codes: Record<string, Partial<ProviderError>> = {
  authentication: { code: 'authentication_failed' },
  quota: { code: 'usage_limit_reached' },
  rate_limit: { code: 'rate_limit' },
}

function failureEntries(data: Json, memory: Memory): Entry[] {
  const text = textOf(data['message'])
  // Retries are worded like final failures.
  const told = sdkErrorOf(/\bLast error: (.*)$/s.exec(text)?.[1] ?? text)
  const status = numberOf(data['statusCode'])
  const category = codes[textOf(data['errorType'])]
  memory.failure = told.text
  return [entryOfError({ ...(status === undefined ? {} : { status }), ...category, ...told })]
}

function endEntries(event: Json, { model, words, failure }: Memory): Entry[] {
  const isError = event['exitCode'] !== 0
  const text = isError ? failure : words
  return [
    { kind: 'session', id: textOf(event['sessionId']), model },
    { kind: 'end', isError, ...(text === '' ? {} : { text }) },
  ]
}
