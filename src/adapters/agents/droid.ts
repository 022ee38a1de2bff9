/** Factory's Droid, headless: the prompt on standard input, its JSON events out. */
import type { Entry } from '../../core/reading/transcript.ts'
import { type Json, numberOf, recordOf, textOf } from '../../core/text/json.ts'
import type { Reader } from '../../ports.ts'
import { providerVariables } from './shared/choice.ts'
import { headless } from './shared/headless.ts'
import { jsonLinesReader, plainEntry, toolResult } from './shared/json-lines.ts'
import { entryOfError, type ProviderError } from './shared/provider-errors.ts'
import { sdkErrorOf } from './shared/sdk-errors.ts'
import { toolEntry } from './shared/tool-input.ts'
import { shellLimits, shellRules, toolRules } from './shared/tool-rules.ts'

/** Its own subagents it writes to `droids` at each start, and a review has none. */
const orders = ['commands', 'hooks', 'plugins', 'rules', 'skills'].map((name) => `.factory/${name}/`)

export const droid = headless('droid', {
  needs: { home: ['.factory'], variables: ['FACTORY_', ...providerVariables], folders: ['FACTORY_HOME_OVERRIDE'] },
  homeSettings: [...['AGENTS.md', 'mcp.json', 'hooks.json', 'config.json'].map((name) => `.factory/${name}`), ...orders],
  homeKeys: { '.factory/settings.json': ['customModels', 'hooks', 'commandAllowlist', 'commandDenylist', 'mcpServers'] },
  ordersIn: ['AGENTS.md', 'CLAUDE.md', '.factory/', '.agents/'],
  tells: 'tokens',
  install: 'npm install -g droid',
  tested: '0.215.0',
  args: (task, { allowedTools, skipPermissions }) => [
    ...['exec', '--output-format', 'stream-json'],
    ...(task.model ? ['--model', task.model] : []),
    ...(task.isReadOnly
      ? ['--only-tools', looking, '--disable-builtin-skills']
      : skipPermissions
        ? ['--skip-permissions-unsafe']
        : ['--auto', 'medium', '--only-tools', toolsFor(allowedTools)]),
  ],
  limits: (allowedTools) => shellLimits(shellRules(allowedTools).isOpen ? 'Bash' : ''),
  reader: droidReader,
})

const looking = 'Read,LS,Grep,Glob'

/**
 * What it may do without a yes depends on how risky the model itself says that a command is, so a shell is all or nothing: a list of commands cannot
 * be held to.
 */
function toolsFor(allowedTools: string): string {
  const allowed = new Set(toolRules(allowedTools).map(({ name }) => name))
  const may = (...names: string[]): boolean => names.some((name) => allowed.has(name))
  return [
    looking,
    'TodoWrite',
    ...(may('Edit', 'Write') ? ['Edit', 'ApplyPatch', 'Create'] : []),
    ...(shellRules(allowedTools).isOpen ? ['Execute'] : []),
    ...(may('WebFetch') ? ['FetchUrl'] : []),
  ].join(',')
}

function droidReader(): Reader {
  return jsonLinesReader(entriesOf, (line) => [plainEntry(line, /^(?:Error: )?(?:Authentication failed|Not authenticated)\b/)])
}

function entriesOf(event: Json): Entry[] {
  switch (event['type']) {
    case 'system':
      return event['subtype'] === 'init'
        ? [{ kind: 'session', id: textOf(event['session_id']), model: textOf(event['model']) }]
        : []
    case 'message':
      return event['role'] === 'assistant' && textOf(event['text']).trim() !== ''
        ? [{ kind: 'said', text: textOf(event['text']), isSub: false }]
        : []
    case 'tool_call':
      return [toolEntry(textOf(event['toolName']), event['parameters'])]
    case 'tool_result': {
      const { message, type } = recordOf(event['error'])
      const isDenied = /permission|declined|not allowed/i.test(textOf(type))
      return [
        ...(isDenied ? [{ kind: 'denied', tool: textOf(event['toolName']) } as const] : []),
        toolResult(event['isError'] === true, textOf(event['value']) || textOf(message)),
      ]
    }
    case 'error':
      return event['source'] === 'cli' ? [{ kind: 'end', isError: true }] : [entryOfError(errorOf(textOf(event['message'])))]
    case 'completion':
      return endEntries(event)
    default:
      return [] // new kinds of events appear with every version of the agent
  }
}

function errorOf(message: string): ProviderError {
  const error = sdkErrorOf(message)
  return error.status === 402 ? { ...error, code: 'usage_limit_reached' } : error
}

/** An empty answer was asked for again until it gave up. */
function endEntries(event: Json): Entry[] {
  const text = textOf(event['finalText'])
  const used = recordOf(event['usage'])
  const count = (key: string): number => numberOf(used[key]) ?? 0
  const [cacheReadTokens, cacheWriteTokens] = [count('cache_read_input_tokens'), count('cache_creation_input_tokens')]
  const inputTokens = count('input_tokens') + cacheReadTokens + cacheWriteTokens
  const outputTokens = count('output_tokens')
  const usage = {
    inputTokens,
    outputTokens,
    costUsd: null,
    ...(cacheReadTokens > 0 ? { cacheReadTokens } : {}),
    ...(cacheWriteTokens > 0 ? { cacheWriteTokens } : {}),
  }
  return [
    ...(inputTokens + outputTokens > 0 ? [{ kind: 'usage', usage } as const] : []),
    { kind: 'end', isError: event['numTurns'] === 0, ...(text === '' ? {} : { text }) },
  ]
}
