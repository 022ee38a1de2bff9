/** Grok Build, headless: the prompt in a file, lines almost like Claude Code's out. */
import { isText, type Json, jsonIn, numberOf, recordOf, recordsIn, textOf } from '../../core/text/json.ts'
import { headless } from './shared/headless.ts'
import { filesFolder } from './shared/launch-files.ts'
import type { ProviderError } from './shared/provider-errors.ts'
import { sdkErrorOf } from './shared/sdk-errors.ts'
import { streamJsonReader } from './shared/stream-json.ts'
import { toolRules } from './shared/tool-rules.ts'

export const grok = headless('grok', {
  needs: { home: ['.grok'], variables: ['GROK_', 'XAI_'], folders: ['GROK_HOME'] },
  homeSettings: [
    ...['AGENTS.md', 'managed_config.toml', 'requirements.toml', 'hooks.json', 'mcp.json'].map((name) => `.grok/${name}`),
    ...['agents', 'commands', 'hooks', 'personas', 'plugins', 'rules', 'skills', 'workflows'].map((name) => `.grok/${name}/`),
    ...['.cursor/hooks.json', '.cursor/mcp.json', '.cursor/rules/', '.cursor/skills/'],
  ],
  homeKeys: { '.grok/config.toml': ['[marketplace]', 'default_skills_installs_purged = true'] }, // written at its first start
  skillsIn: '.grok/skills',
  ordersIn: ['AGENTS.md', 'CLAUDE.md', 'CLAUDE.local.md', '.grok/', '.claude/', '.cursor/', '.mcp.json'],
  marksChildrenBy: ['GROK_AGENT', 'GROK_SESSION_ID'],
  tells: 'tokens',
  install: 'npm install -g @xai-official/grok',
  tested: '1.0.41',
  takesInput: false,
  args: (task, { allowedTools, skipPermissions }) => [
    ...['--prompt-file', `${filesFolder}/prompt.md`, '--output-format', 'streaming-messages-json'],
    ...(task.model ? ['--model', task.model] : []),
    ...(task.isReadOnly ? readOnly : skipPermissions ? ['--always-approve'] : rulesOf(allowedTools)),
  ],
  // Two more questions to the model in each call, for its screen only.
  env: (given) => ({ GROK_TURN_SUMMARY: '0', GROK_TITLE_REFRESH: '0', ...given }),
  files: ({ prompt }) => ({ 'prompt.md': prompt }),
  reader: () => streamJsonReader(inClaudesWords),
})

/** The last two call the tools of servers, which `--tools` keeps. */
const readOnly = [
  '--tools',
  'read_file,list_dir,grep',
  '--disallowed-tools',
  'search_tool,use_tool',
  '--no-subagents',
  '--disable-web-search',
]

/** Its rules have Claude Code's form. What no rule allows ends the call: nobody can be asked. */
const rulesOf = (allowedTools: string): string[] => [
  ...['--permission-mode', 'dontAsk'],
  ...toolRules(allowedTools).flatMap(({ name, about }) => ['--allow', about === undefined ? name : `${name}(${about})`]),
]

function inClaudesWords(event: Json): Json {
  switch (event['type']) {
    case 'user':
      return resultOf(event)
    case 'result': {
      const { total_cost_usd: cost, ...rest } = event
      const priced = cost === 0 ? rest : event // it has no price for the model
      const told = Array.isArray(event['errors']) ? event['errors'].filter(isText).join('\n') : ''
      if (event['is_error'] !== true || told === '') return priced
      const { text, status, code } = errorOf(told)
      return { ...priced, result: text, api_error_status: status, api_error: code }
    }
    default:
      return event
  }
}

/** Results are JSON in a text, with the exit code of a command inside; a refusal is a result too, in words of its own. */
function resultOf(event: Json): Json {
  const message = recordOf(event['message'])
  const blocks = recordsIn(message['content'])
  const refused = blocks.map((block) => refusedTool(textOf(block['content']))).find((name) => name !== undefined)
  if (refused !== undefined)
    return { type: 'system', subtype: 'permission_denied', tool_name: refused, tool_use_id: blocks[0]?.['tool_use_id'] }
  return { ...event, message: { ...message, content: blocks.map(plainBlock) } }
}

const refusedTool = (text: string): string | undefined => /"User cancelled the execution for tool `([^`"]+)`"/.exec(text)?.[1]

function plainBlock(block: Json): Json {
  const value = jsonIn(textOf(block['content']))
  const result = recordOf(value)
  const parts = recordsIn(value).map((part) => textOf(recordOf(part['content'])['text']))
  const edited = textOf(recordOf(result['EditsApplied'])['tool_output_for_prompt'])
  const text = textOf(result['output_for_prompt']) || edited || parts.join('\n')
  const code = numberOf(result['exit_code'])
  const isError = block['is_error'] === true || (code !== undefined && code !== 0)
  return { ...block, is_error: isError, ...(text === '' ? {} : { content: text }) }
}

/** The message stands inside a JSON text, or after the status. */
function errorOf(told: string): ProviderError {
  const inner = told.replace(/^Internal error: /, '')
  const value = jsonIn(inner)
  const said = (typeof value === 'string' ? value : textOf(recordOf(value)['message'])) || inner
  const text = said.split('\n\n')[0]?.trim() ?? said
  const found = numberOf(recordOf(value)['http_status']) ?? /\((?:status )?(\d{3})\b/.exec(text)?.[1]
  if (/^Not signed in\b/.test(text)) return { text, status: 401 }
  const status = found === undefined ? {} : { status: Number(found) }
  const rate = /^rate_limit\w*: /.test(text) ? { status: 429 } : {}
  return { ...rate, ...status, ...sdkErrorOf(text) }
}
