/** Claude Code, headless: the prompt on standard input, stream-json out. */
import type { Agent } from '../../ports.ts'
import { programOf } from './command.ts'
import type { AgentChoice, AgentOptions } from './list.ts'
import { streamJsonReader } from './stream-json.ts'

export function claudeAgent(
  { command = ['claude'], env }: AgentChoice,
  { allowedTools, skipPermissions, root }: AgentOptions,
): Agent {
  const { program, args } = programOf('claude', command, root)
  return {
    name: 'claude',
    tellsWordsApart: true,
    reportsCost: true,
    program,
    install: 'npm install -g @anthropic-ai/claude-code',
    launch: (task) => ({
      command: program,
      args: [
        ...args,
        ...['-p', '--output-format', 'stream-json', '--verbose'],
        ...(task.model ? ['--model', task.model] : []),
        ...(allowedTools ? ['--allowedTools', allowedTools] : []),
        ...(skipPermissions ? ['--dangerously-skip-permissions'] : []),
      ],
      env: { ...env, ...task.env },
      stdin: task.prompt,
    }),
    reader: streamJsonReader,
  }
}
