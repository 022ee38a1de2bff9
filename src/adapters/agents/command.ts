/** Any program that takes a prompt on standard input: plain text out, or lines like Claude Code's. */
import { resolve } from 'node:path'
import { EXIT, Failure } from '../../core/failure.ts'
import type { Agent, Launch, Reader, Task } from '../../ports.ts'
import type { AgentChoice, AgentOptions } from './shared/choice.ts'
import { filesFolder } from './shared/launch-files.ts'
import { entryOfPlainLine } from './shared/provider-errors.ts'
import { streamJsonReader } from './shared/stream-json.ts'

export function commandAgent({ name, command = [], format = 'text', env }: AgentChoice, { root }: AgentOptions): Agent {
  const { program, args } = programOf(name, command, root)
  return {
    name,
    tellsWordsApart: format === 'stream-json',
    tells: format === 'stream-json' ? 'cost' : 'nothing',
    program,
    install: `make ${program} executable, or set another program in agent.command`,
    launch: (task) => ({ command: program, env: { ...env, ...task.env, ...askedOf(task) }, ...promptFor(task, args) }),
    reader: format === 'stream-json' ? streamJsonReader : textReader,
  }
}

/** For a program that cannot read a pipe: the file with the prompt, in place of the placeholder in its arguments. */
const promptFile = '{prompt_file}'

function promptFor({ prompt }: Task, args: string[]): Pick<Launch, 'args' | 'stdin' | 'files'> {
  if (!args.some((arg) => arg.includes(promptFile))) return { args, stdin: prompt }
  const path = `${filesFolder}/prompt.md`
  return { args: args.map((arg) => arg.replaceAll(promptFile, path)), stdin: '', files: { 'prompt.md': prompt } }
}

/** For programs that Ralph cannot restrict, but that may restrict themselves. */
export const askedOf = ({ isReadOnly, schema }: Task): Record<string, string> => ({
  ...(isReadOnly ? { RALPH_READ_ONLY: '1' } : {}),
  ...(schema ? { RALPH_ANSWER: schema.name, RALPH_SCHEMA: schema.path } : {}),
})

/** A path is relative to the project; a bare name is looked up on the PATH. */
export function programOf(name: string, [first, ...args]: string[], root: string): { program: string; args: string[] } {
  if (!first)
    throw new Failure(
      EXIT.config,
      `The agent "${name}" has an empty command: give it a program, as in command: [my-agent, --quiet].`,
    )
  return { program: first.includes('/') ? resolve(root, first) : first, args }
}

/** A message about a limit counts only until the program prints more. */
const textReader = (): Reader => (line, stream) => {
  const refused = entryOfPlainLine(line)
  return [
    stream === 'out' ? { kind: 'said', text: line, isSub: false } : { kind: 'noise', text: line },
    ...(refused === undefined ? [] : [refused]),
  ]
}
