/** `ralph completion <shell>`: a script that completes commands, their flags, and what the project has to name. */
import { longFlag } from '../../config/flags.ts'
import { keys } from '../../config/names.ts'
import type { Setting } from '../../config/setting.ts'
import { table } from '../../config/table.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import type { Io } from '../../io.ts'
import type { CompletedKind } from './complete-words.ts'

type CompletedCommand = { name: string; flags: string[] }

export async function runCompletion(args: { shell: string; commands: CompletedCommand[] }, io: Io): Promise<number> {
  const script = Object.hasOwn(scripts, args.shell) ? scripts[args.shell] : undefined
  if (!script) throw new Failure(EXIT.usage, `Unknown shell "${args.shell}"; use one of: ${Object.keys(scripts).join(', ')}.`)
  io.raw(script(args.commands))
  return 0
}

const scripts: Record<string, (commands: CompletedCommand[]) => string> = { bash, zsh, fish }

/** Of the project, or one of a few. */
type Completed = CompletedKind | readonly string[]

/** After these flags, and after the actions of `config` that name a setting. */
const afterFlags: [flags: string[], what: Completed][] = [
  [['-f', '--feature'], 'features'],
  [['--story'], 'stories'],
  [['--agent'], 'agents'],
  [['--set'], 'settings'],
  [['get', 'set'], 'keys'],
  ...keys.flatMap((key): [string[], Completed][] => {
    const setting: Setting = table[key]
    const flag = longFlag(key)
    return setting.type === 'choice' && flag !== undefined ? [[[flag], setting.values]] : []
  }),
]

/** The first word after these commands. */
const afterCommands: Record<string, Completed> = {
  retry: 'stories',
  skip: 'stories',
  diff: 'stories',
  open: ['dashboard', 'report'],
  why: 'runs',
  replay: 'runs',
  rehearse: 'features',
  breaker: ['reset'],
  config: ['show', 'get', 'set', 'schema'],
  mcp: ['serve'],
  skills: ['install', 'remove'],
  fleet: ['init', 'submit', 'work', 'status', 'answer', 'unblock', 'say', 'pause', 'resume', 'cancel', 'drain', 'logs'],
  learn: ['show', 'keep', 'edit', 'drop'],
  completion: ['bash', 'zsh', 'fish'],
}

/** What the shell runs; `feature` is the one that was already typed. */
const ask = (kind: CompletedKind): string => `$(ralph completion words ${kind} \${feature:+-f "$feature"} 2>/dev/null)`
const wordsIn = (what: Completed): string => (typeof what === 'string' ? ask(what) : what.join(' '))
const wordsAfter = (name: string): string => wordsIn(afterCommands[name] ?? [])

function bash(commands: CompletedCommand[]): string {
  const flagCases = afterFlags.map(([flags, what]) => `    ${flags.join('|')}) words="${wordsIn(what)}" ;;`)
  return `# Put this into ~/.bashrc:  eval "$(ralph completion bash)"
_ralph() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}" words='' feature='' at
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "\${COMP_WORDS[at]}" in -f|--feature) feature="\${COMP_WORDS[at+1]}" ;; esac
  done
  case "$before" in
${flagCases.join('\n')}
  esac
  if [ -n "$words" ]; then :
  elif [ "$COMP_CWORD" -eq 1 ]; then
    words="${names(commands)}"
  else
    case "$command" in
${cases(commands, (flags) => `words="${flags}"`)}
    esac
    if [ "$COMP_CWORD" -eq 2 ]; then
      case "$command" in
${positions(commands, (name) => `words="$words ${wordsAfter(name)}"`)}
      esac
    fi
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _ralph ralph
`
}

function zsh(commands: CompletedCommand[]): string {
  const list = (words: string): string => (words.startsWith('$(') ? `\${(f)"${words}"}` : words)
  const flagCases = afterFlags.map(([flags, what]) => `    ${flags.join('|')}) compadd -- ${list(wordsIn(what))}; return ;;`)
  return `#compdef ralph
# Put this into ~/.zshrc, after compinit:  eval "$(ralph completion zsh)"
_ralph() {
  local feature='' at
  for ((at = 2; at < CURRENT; at++)); do
    case "$words[at]" in -f|--feature) feature="$words[at+1]" ;; esac
  done
  case "$words[CURRENT-1]" in
${flagCases.join('\n')}
  esac
  if (( CURRENT == 2 )); then
    compadd -- ${names(commands)}
    return
  fi
  if [[ "$PREFIX" == -* ]]; then
    case "$words[2]" in
${cases(commands, (flags) => `compadd -- ${flags}`)}
    esac
    return
  fi
  if (( CURRENT == 3 )); then
    case "$words[2]" in
${positions(commands, (name) => `compadd -- ${list(wordsAfter(name))}; return`)}
    esac
  fi
  _files
}
compdef _ralph ralph
`
}

/** Where the feature that was typed is not known, the command finds it. */
function fish(commands: CompletedCommand[]): string {
  const asked = (what: Completed): string =>
    typeof what === 'string' ? `(ralph completion words ${what} 2>/dev/null)` : what.join(' ')
  const valuesAfter = (flag: string): string => {
    const what = afterFlags.find(([flags]) => flags.includes(flag))?.[1]
    return what === undefined ? '' : ` -x -a "${asked(what)}"`
  }
  const lines = commands.flatMap(({ name, flags }) => [
    ...flags.map((flag) => {
      const form = flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`
      return `complete -c ralph -n "__fish_seen_subcommand_from ${name}" ${form}${valuesAfter(flag)}`
    }),
    ...[asked(afterCommands[name] ?? [])]
      .filter((words) => words !== '')
      .map((words) => `complete -c ralph -n "__fish_seen_subcommand_from ${name}" -f -a "${words}"`),
  ])
  return `# Put this into ~/.config/fish/config.fish:  ralph completion fish | source
complete -c ralph -n __fish_use_subcommand -f -a "${names(commands)}"
complete -c ralph -n "__fish_seen_subcommand_from config; and __fish_seen_subcommand_from get set" -f -a "${asked('keys')}"
${lines.join('\n')}
`
}

const names = (commands: CompletedCommand[]): string => commands.map(({ name }) => name).join(' ')

const cases = (commands: CompletedCommand[], body: (flags: string) => string): string =>
  commands
    .filter(({ flags }) => flags.length > 0)
    .map(({ name, flags }) => `      ${name}) ${body(flags.join(' '))} ;;`)
    .join('\n')

const positions = (commands: CompletedCommand[], body: (name: string) => string): string =>
  commands
    .filter(({ name }) => wordsAfter(name) !== '')
    .map(({ name }) => `        ${name}) ${body(name)} ;;`)
    .join('\n')
