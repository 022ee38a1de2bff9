/** Any program that takes a prompt on standard input: plain text out, or lines like Claude Code's. */
import { resolve } from 'node:path'
import { EXIT, Failure } from '../../core/failure.ts'
import type { Agent, Reader, Task } from '../../ports.ts'
import type { AgentChoice, AgentOptions } from './shared/choice.ts'
import { entryOfPlainLine } from './shared/provider-errors.ts'
import { streamJsonReader } from './shared/stream-json.ts'

export function commandAgent({ name, command = [], format = 'text', env }: AgentChoice, { root }: AgentOptions): Agent {
  const { program, args } = programOf(name, command, root)
  return {
    name,
    tellsWordsApart: format === 'stream-json',
    tells: format === 'stream-json' ? 'cost' : 'nothing',
    program,
    install: `make ${program} a program that can be started, or name another one under agent.command in the settings`,
    launch: (task) => ({ command: program, args, env: { ...env, ...task.env, ...askedOf(task) }, stdin: task.prompt }),
    reader: format === 'stream-json' ? streamJsonReader : textReader,
  }
}

/** For programs that cannot be held to it, and may hold to it themselves. */
export const askedOf = ({ isReadOnly, schema }: Task): Record<string, string> => ({
  ...(isReadOnly ? { RALPH_READ_ONLY: '1' } : {}),
  ...(schema ? { RALPH_ANSWER: schema.name, RALPH_SCHEMA: schema.path } : {}),
})

/** A path is the project's; a bare name is looked for on the PATH. */
export function programOf(name: string, [first, ...args]: string[], root: string): { program: string; args: string[] } {
  if (!first)
    throw new Failure(
      EXIT.config,
      `The agent "${name}" has an empty command: give it a program, as in command: [my-agent, --quiet].`,
    )
  return { program: first.includes('/') ? resolve(root, first) : first, args }
}

/** Words that announce a limit are taken for one only until it goes on. */
const textReader = (): Reader => (line, stream) => {
  const refused = entryOfPlainLine(line)
  return [
    stream === 'out' ? { kind: 'said', text: line, isSub: false } : { kind: 'noise', text: line },
    ...(refused === undefined ? [] : [refused]),
  ]
}
