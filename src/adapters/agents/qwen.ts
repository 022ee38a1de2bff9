/** Qwen Code, headless: the prompt on standard input, lines almost like Claude Code's out. */
import { isRecord, type Json, numberOf, recordOf, textOf } from '../../core/text/json.ts'
import type { Task } from '../../ports.ts'
import { mayEdit } from './gemini.ts'
import { insideApiError, isApiError } from './shared/gemini-errors.ts'
import { headless } from './shared/headless.ts'
import type { ProviderError } from './shared/provider-errors.ts'
import { sdkErrorOf } from './shared/sdk-errors.ts'
import { streamJsonReader } from './shared/stream-json.ts'
import { shellLimits, toolRules } from './shared/tool-rules.ts'

export const qwen = headless('qwen', {
  needs: { home: ['.qwen'], variables: ['OPENAI_', 'QWEN_', 'DASHSCOPE_'], folders: [] },
  homeSettings: ['.qwen/QWEN.md', '.qwen/.env', '.qwen/skills/', '.qwen/agents/', '.qwen/commands/'],
  homeKeys: {
    '.qwen/settings.json': [
      ...['env', 'modelProviders', 'security.auth.baseUrl', 'model.generationConfig', 'proxy'],
      ...['hooks', 'mcpServers', 'mcp', 'context', 'tools'],
    ],
  },
  skillsIn: '.qwen/skills',
  ordersIn: ['QWEN.md', 'AGENTS.md', '.qwen/'],
  marksChildrenBy: ['QWEN_CODE'],
  tells: 'tokens',
  takesStatusTool: true,
  answersInSchema: true,
  limits: shellLimits,
  install: 'npm install -g @qwen-code/qwen-code',
  tested: '0.24.4',
  oldest: '0.15.10',
  args(task, { allowedTools, skipPermissions }) {
    const edits = mayEdit(allowedTools) ? ['--approval-mode', 'auto-edit'] : []
    const freedom = skipPermissions ? ['--yolo'] : [...edits, ...shellTools(allowedTools)]
    return [
      ...['--output-format', 'stream-json'],
      ...(task.model ? ['--model', task.model] : []),
      ...(task.schema ? ['--json-schema', JSON.stringify(task.schema.schema)] : []),
      ...(task.isReadOnly ? readOnly : freedom),
      ...(task.statusTool && !task.isReadOnly ? ['--mcp-config', mcpConfig(task.statusTool)] : []),
    ]
  },
  reader: () => streamJsonReader(inClaudesWords),
})

/** Its rules have Claude Code's form, and are separated by commas, also inside brackets. */
function shellTools(allowedTools: string): string[] {
  const shell = toolRules(allowedTools).filter(({ name }) => name === 'Bash')
  if (shell.some(({ about }) => about === undefined)) return ['--allowed-tools', 'run_shell_command']
  const rules = shell.flatMap(({ about = '' }) => (about.includes(',') ? [] : [`run_shell_command(${about})`]))
  return rules.length === 0 ? [] : ['--allowed-tools', rules.join(','), '--exclude-tools', substitutions]
}

/** It looks at the command in front only, so that `git commit -m "$(anything)"` would be allowed with git. */
const substitutions = 'run_shell_command(*$*),run_shell_command(*`*)'

/** This mode keeps some tools that still change something (`enter_worktree`), and tool servers that the user trusts. */
const readOnly = [
  '--safe-mode',
  ...['--approval-mode', 'plan', '--allowed-mcp-server-names', 'none'],
  ...['--exclude-tools', 'agent,skill,exit_plan_mode,run_shell_command,monitor,edit,write_file,notebook_edit,web_fetch'],
  ...[
    '--exclude-tools',
    'enter_worktree,exit_worktree,record_artifact,send_message,task_stop,cron_create,cron_delete,loop_wakeup',
  ],
]

/** Trusted, because no person is there to allow it. Loaded at once: otherwise the model does not even know that the tool exists. */
const mcpConfig = (server: NonNullable<Task['statusTool']>): string =>
  JSON.stringify({ mcpServers: { ralph: { ...server, trust: true, alwaysLoadTools: true } } })

/** Failures come as plain text, in some versions as an ordinary answer; and the input already includes cache reads. */
function inClaudesWords(event: Json): Json {
  switch (event['type']) {
    case 'assistant': {
      const message = recordOf(event['message'])
      const error = [message['content']]
        .flat()
        .filter(isRecord)
        .map(failureIn)
        .find((found) => found !== undefined)
      if (!error) return { ...event, message: { ...message, usage: withoutCache(message['usage']) } }
      return { ...event, ...failed(error), error: 'unknown', message: { content: error.text } }
    }
    case 'result': {
      const told = textOf(recordOf(event['error'])['message']) || textOf(event['result'])
      const error = event['is_error'] === true ? errorOf(told) : failureIn({ type: 'text', text: told })
      const usage = withoutCache(event['usage'])
      return error ? { ...event, usage, ...failed(error), error: '', is_error: true, result: error.text } : { ...event, usage }
    }
    default:
      return event
  }
}

/** The program's own error text, which it puts where the agent's words belong. */
function failureIn({ type, text }: Json): ProviderError | undefined {
  const words = type === 'text' ? textOf(text) : ''
  return isApiError(words) || quotaWords.test(words) ? errorOf(words) : undefined
}

function errorOf(message: string): ProviderError {
  const [, meaning] = meanings.find(([words]) => words.test(message)) ?? []
  return { ...sdkErrorOf(insideApiError(message)), ...meaning }
}

const quotaWords = /^Quota exhausted: [\s\S]*\nPlease retry after the reset time, or switch to another API key\b/
const meanings: [RegExp, Omit<ProviderError, 'text'>][] = [
  [/^Quota exhausted: |^Qwen OAuth quota exceeded:|\ballocated quota exceeded\b/i, { code: 'usage_limit_reached' }],
  [/^Missing API key\b|^Qwen OAuth free tier has been discontinued\b|^No auth type is selected\b/, { status: 401 }],
]

const failed = ({ status, code }: ProviderError): Json => ({ api_error_status: status, api_error: code })

function withoutCache(usage: unknown): unknown {
  if (!isRecord(usage)) return usage
  const tokens = (key: string) => numberOf(usage[key]) ?? 0
  return { ...usage, input_tokens: Math.max(0, tokens('input_tokens') - tokens('cache_read_input_tokens')) }
}
