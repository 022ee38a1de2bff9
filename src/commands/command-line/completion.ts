/** `ralph completion <shell>`: a script that completes commands and their flags. */
import { EXIT, Failure } from '../../core/failure.ts'
import type { Io } from '../../io.ts'

type CompletedCommand = { name: string; flags: string[] }

export async function runCompletion(args: { shell: string; commands: CompletedCommand[] }, io: Io): Promise<number> {
  const script = Object.hasOwn(scripts, args.shell) ? scripts[args.shell] : undefined
  if (!script) throw new Failure(EXIT.usage, `Unknown shell "${args.shell}"; use one of: ${Object.keys(scripts).join(', ')}.`)
  io.raw(script(args.commands))
  return 0
}

const scripts: Record<string, (commands: CompletedCommand[]) => string> = { bash, zsh, fish }

function bash(commands: CompletedCommand[]): string {
  return `# Put this into ~/.bashrc:  eval "$(ralph completion bash)"
_ralph() {
  local word="\${COMP_WORDS[COMP_CWORD]}" command="\${COMP_WORDS[1]}" words
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${names(commands)}"
  else
    case "$command" in
${cases(commands, (flags) => `words="${flags}"`)}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _ralph ralph
`
}

function zsh(commands: CompletedCommand[]): string {
  return `#compdef ralph
# Put this into ~/.zshrc, after compinit:  eval "$(ralph completion zsh)"
_ralph() {
  if (( CURRENT == 2 )); then
    compadd -- ${names(commands)}
    return
  fi
  case "$words[2]" in
${cases(commands, (flags) => `compadd -- ${flags}`)}
  esac
  _files
}
compdef _ralph ralph
`
}

function fish(commands: CompletedCommand[]): string {
  const flagLines = commands.flatMap(({ name, flags }) =>
    flags.map((flag) => {
      const form = flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`
      return `complete -c ralph -n "__fish_seen_subcommand_from ${name}" ${form}`
    }),
  )
  return `# Put this into ~/.config/fish/config.fish:  ralph completion fish | source
complete -c ralph -n __fish_use_subcommand -f -a "${names(commands)}"
${flagLines.join('\n')}
`
}

const names = (commands: CompletedCommand[]): string => commands.map(({ name }) => name).join(' ')

const cases = (commands: CompletedCommand[], body: (flags: string) => string): string =>
  commands
    .filter(({ flags }) => flags.length > 0)
    .map(({ name, flags }) => `      ${name}) ${body(flags.join(' '))} ;;`)
    .join('\n')
