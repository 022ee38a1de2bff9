/** The list of tools that an agent may use (`Edit`, `Bash(git add *)`): read into rules, and extended by commands. */
import { shellCommands, unwrapped } from '../../../core/tamper/shell.ts'

/** `Edit`, or `Bash(git *)`, where the brackets restrict the call. */
export type ToolRule = { name: string; about?: string }

/** Commas inside brackets belong to the rule. */
export function toolRules(text: string): ToolRule[] {
  return [...text.matchAll(/([^\s,()]+)(?:\(([^)]*)\))?/g)].map(([, name = '', about]) => {
    return about === undefined || about === '*' ? { name } : { name, about }
  })
}

/** Commands that the rules allow: `starts` with any arguments, `whole` exactly like this. */
export type ShellRules = { isOpen: boolean; starts: string[]; whole: string[] }

export function shellRules(allowedTools: string): ShellRules {
  const shell = toolRules(allowedTools).filter(({ name }) => name === 'Bash')
  const about = shell.flatMap((rule) => rule.about ?? [])
  const isStart = (text: string): boolean => anyArguments.test(text)
  return {
    isOpen: shell.some((rule) => rule.about === undefined),
    starts: about.filter(isStart).map((text) => text.replace(anyArguments, '')),
    whole: about.filter((text) => !isStart(text)),
  }
}

/** What an agent with this list is told: it would spend its time on refusals otherwise. Empty: its shell is not limited. */
export function shellLimits(allowedTools: string): string {
  const { isOpen, starts, whole } = shellRules(allowedTools)
  if (isOpen) return ''
  const verbs = starts.flatMap((start) => /^git (\S+)$/.exec(start)?.[1] ?? [])
  const others = [...starts.filter((start) => !/^git \S+$/.test(start)), ...whole].map((command) => `\`${command}\``)
  const all = [...(verbs.length === 0 ? [] : [`git (${verbs.join(', ')})`]), ...others]
  const canCommit = verbs.includes('commit') || starts.includes('git')
  return [
    all.length === 0
      ? 'You may not run commands.'
      : `Commands that you may run, alone or joined: ${all.join(', ')}. Others that change anything are refused.`,
    ...(canCommit ? [] : [leaveUncommitted]),
  ].join(' ')
}

export const leaveUncommitted =
  'You cannot commit, whatever is said above: leave your changes uncommitted, and Ralph commits them.'

/** `git *` and `git:*` mean git with or without arguments. */
export const anyArguments = /(?::\*| \*)$/

/** The same list with these command lines: one rule for each simple command, so that its parts are allowed together and alone. */
export function withCommands(allowedTools: string, commands: string[]): string {
  const has = new Set(toolRules(allowedTools).map(({ name, about }) => (about === undefined ? name : `${name}(${about})`)))
  const rules = commands.flatMap(rulesFor).filter((rule) => !has.has('Bash') && !has.has(rule))
  return [allowedTools, ...new Set(rules)].filter(Boolean).join(',')
}

function rulesFor(command: string): string[] {
  return shellCommands(command).flatMap((all) => {
    const { variables, words } = unwrapped(all)
    const start = startOf(words).join(' ')
    if (start === '') return []
    return [
      `Bash(${start} *)`,
      ...(variables.every(isPlain) && variables.length > 0 ? [`Bash(${variables.join(' ')} ${start} *)`] : []),
    ]
  })
}

/** What stays the same when an agent runs less of it: no options at the end, nothing that a rule could not quote. */
function startOf(words: string[]): string[] {
  const odd = words.findIndex((word) => !isPlain(word))
  const plain = odd === -1 ? words : words.slice(0, odd)
  const last = plain.findLastIndex((word) => !/^-|^\.\/\.\.\.$/.test(word))
  const short = plain.slice(0, last + 1)
  return short.length === 1 && runsAnything.test(short[0] ?? '') ? plain : short
}

const isPlain = (word: string): boolean => /^[\w@%+=:./-]+$/.test(word)
/** Alone, each of these would allow every program. */
const runsAnything =
  /^(?:node|deno|bun|bunx|npx|npm|pnpm|yarn|python\d*|ruby|perl|php|julia|Rscript|java|sh|bash|zsh|xargs|uv|poetry|bundle)$/
