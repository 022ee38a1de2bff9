/** Whether an ACP agent may do what it asks for, by the same list of tools that Claude Code gets, read strictly. */
import { type Json, recordsIn, textOf } from '../../../core/text/json.ts'
import { anyArguments, type ToolRule, toolRules } from '../shared/tool-rules.ts'
import type { AcpTool } from './tools.ts'

export type Permissions = {
  allowedTools: string
  skipPermissions: boolean
  /** Ralph itself gave the agent this tool for reports. */
  hasStatusTool: boolean
}

export function isAllowed(tool: AcpTool, { allowedTools, skipPermissions, hasStatusTool }: Permissions): boolean {
  if (skipPermissions || (hasStatusTool && isStatusTool(tool))) return true
  const rules = toolRules(allowedTools)
  const commands = kinds['Bash'] === tool.kind || tool.name === 'Bash' ? commandsIn(textOf(tool.input['command'])) : undefined
  return rules.some((rule) => fits(rule, tool)) || areAllLike(commands, rules)
}

/**
 * The answer to `session/request_permission`, for this one time: a permanent permission would be written to the agent's settings, which may
 * lie in the project. If there is no one-time option, the answer is no.
 */
export function permissionAnswer(options: unknown, mayRun: boolean): { isGranted: boolean; answer: Json } {
  const idOf = (kind: string): string => textOf(recordsIn(options).find((option) => option['kind'] === kind)?.['optionId'])
  const granted = mayRun ? idOf('allow_once') : ''
  const optionId = granted || idOf('reject_once')
  return {
    isGranted: granted !== '',
    answer: { outcome: optionId === '' ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } },
  }
}

/** Only commands come in a form that can be compared with a rule; other rules with brackets allow nothing. */
const fits = ({ name, about }: ToolRule, tool: AcpTool): boolean =>
  about === undefined && (tool.name === name || (kinds[name] !== undefined && kinds[name] === tool.kind))

/** The protocol's names for what Claude Code's tools do. Deleting and moving files is missing on purpose. */
const kinds: Record<string, string> = {
  Read: 'read',
  Glob: 'search',
  Grep: 'search',
  Write: 'edit',
  Edit: 'edit',
  MultiEdit: 'edit',
  Bash: 'execute',
  WebFetch: 'fetch',
}

/** Each agent joins the names of server and tool in its own way. */
const isStatusTool = ({ name, title, kind }: AcpTool): boolean =>
  (kind === '' || kind === 'other') && /^(?:mcp_{1,2})?(?:ralph[\W_]+)?report_status(?:$|\s)/.test(name || title)

/** Each part of a command line by a rule, not all by the same. */
function areAllLike(commands: string[] = [], rules: ToolRule[]): boolean {
  const likes = rules.flatMap(({ name, about }) => (kinds[name] === 'execute' && about !== undefined ? [likeness(about)] : []))
  return commands.length > 0 && commands.every((each) => likes.some((like) => like.test(each)))
}

function likeness(pattern: string): RegExp {
  const start = pattern.replace(anyArguments, '')
  const parts = start.split('*').map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}${start === pattern ? '' : '(?: .*)?'}$`, 's')
}

/**
 * The simple commands of a command line. Undefined if anything in it could hide another command or write a file (substitutions, redirections,
 * functions, comments, open quotes): what Ralph cannot read reliably is not allowed.
 */
function commandsIn(line: string): string[] | undefined {
  const commands: string[] = []
  let [start, quote] = [0, '']
  for (let at = 0; at < line.length; at++) {
    const char = line.charAt(at)
    if (quote === "'") quote = char === quote ? '' : quote
    else if (char === '\\') at += 1
    else if (char === '`' || (char === '$' && /[({['"]/.test(line[at + 1] ?? ''))) return undefined
    else if (quote === '"') quote = char === quote ? '' : quote
    else if (/[<>()]/.test(char) || (char === '#' && isWordStart(line, at))) return undefined
    else if (/['"]/.test(char)) quote = char
    else if (/[;&|\n]/.test(char)) {
      commands.push(line.slice(start, at))
      start = at + 1
    }
  }
  if (quote !== '') return undefined
  return [...commands, line.slice(start)].map((command) => command.trim()).filter((command) => command !== '')
}

const isWordStart = (line: string, at: number): boolean => at === 0 || /[\s;&|]/.test(line.charAt(at - 1))
