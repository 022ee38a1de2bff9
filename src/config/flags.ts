/** The flags of `ralph run`: those that set a setting, from the table, and those for one run only. */
import { EXIT, Failure } from '../core/failure.ts'
import type { Setting } from './setting.ts'
import { type Key, table } from './table.ts'

type RunOption = {
  /** As written on the command line. */
  flags: string
  description: string
  /** The name under which the parser returns its value. */
  name: string
  /** The setting; without one the flag concerns only this run. */
  key?: Key
  /** The value of the setting, if the flag has none itself. */
  value?: unknown
}

export const runOptions: readonly RunOption[] = [...runOnly(), ...ofTable()]

/** Settings from the command line: dotted key to value. */
export function flagSettings(options: Record<string, unknown>): Record<string, unknown> {
  const both = opposites.find((flags) => flags.every((name) => options[name]))
  if (both) throw new Failure(EXIT.usage, `--${both[0]} and --${both[1]} cannot be combined. Use one of them.`)
  const given = runOptions.filter(({ key, name }) => key !== undefined && options[name] !== undefined && options[name] !== false)
  return Object.fromEntries(given.map(({ key, name, value }) => [key, value === undefined ? options[name] : value]))
}

const opposites = [
  ['resume', 'fresh'],
  ['verbose', 'quiet'],
  ['monitor', 'json'],
]

/** The flag for a key, without its short form and value: --max-iterations. */
export function longFlag(key: Key): string | undefined {
  return /--[a-z-]+/.exec((table[key] as Setting).flag ?? '')?.[0]
}

function runOnly(): RunOption[] {
  const options: [flags: string, description: string, key?: Key, value?: unknown][] = [
    ['-f, --feature <name>', 'the feature to work on (default: from the branch, open plans or last run)'],
    ['-p, --prompt <file>', 'use this prompt file instead of prompt.md'],
    ['--story <id>', 'run only this story'],
    ['-v, --verbose', 'show what the agent prints'],
    ['--quiet', 'print only the summary'],
    ['--json', 'print the events as NDJSON on standard output'],
    ['--no-archive', 'do not archive the feature when it is complete'],
    ['--reset-circuit', 'reset the breaker first'],
    ['--dry-run', 'print the prompt and what would happen, without changing anything'],
    ['--resume', 'keep failures and attempts of the last run (default)'],
    ['--fresh', 'clear failures and attempts first'],
    ['-y, --yes', 'ask nothing on the terminal: do what a run without one does'],
    ['--skip-review', 'run without reviewers', 'review.enabled', false],
    ['--worktree', "work in the feature's own git worktree, and leave this checkout alone", 'workspace', 'worktree'],
    ['--monitor', 'open the monitor beside the run in tmux, or in place without tmux'],
  ]
  return options.map(([flags, description, key, value]) => ({
    flags,
    description,
    name: nameOf(flags),
    ...(key && { key, value }),
  }))
}

function ofTable(): RunOption[] {
  return Object.entries<Setting>(table).flatMap(([key, setting]) =>
    [setting.flag, setting.alias].flatMap((flags) => {
      if (flags === undefined) return []
      const description = flags === setting.alias ? `the same as ${longFlag(key as Key)}` : describe(setting)
      return [{ flags, description, name: nameOf(flags), key: key as Key }]
    }),
  )
}

function describe(setting: Setting): string {
  const sentence = setting.doc
    .replace(/^Whether /, '')
    .replace(/[;:] (empty|null): .*$/, '')
    .replace(/\.$/, '')
  const isShown = setting.default !== null && setting.default !== '' && setting.type !== 'bool'
  const unit = setting.type === 'minutes' ? 'm' : ''
  const note = isShown ? ` (default: ${setting.default}${unit})` : ''
  const choice = setting.type === 'choice' ? ` [${setting.values.join('|')}]` : ''
  const [first = '', ...rest] = sentence
  return `${first.toLowerCase()}${rest.join('')}${choice}${note}`
}

/** --max-iterations is returned as maxIterations, --no-archive as archive. */
function nameOf(flags: string): string {
  const [, long = ''] = /--(?:no-)?([a-z-]+)/.exec(flags) ?? []
  return long.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
