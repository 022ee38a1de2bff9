/** Claude Code, headless: the prompt on standard input, stream-json out. */
import type { Agent, Task } from '../../ports.ts'
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
    tells: 'cost',
    contextWindow: 200_000,
    expandsPaths: true,
    takesStatusTool: true,
    resumes: 'total',
    program,
    install: 'npm install -g @anthropic-ai/claude-code',
    tested: '2.1.325',
    launch: (task) => ({
      command: program,
      args: [
        ...args,
        ...['-p', '--output-format', 'stream-json', '--verbose'],
        ...(task.resume ? ['--resume', task.resume] : []),
        ...(task.model ? ['--model', task.model] : []),
        ...allowed(allowedTools, task),
        ...(task.statusTool ? ['--mcp-config', mcpConfig(task.statusTool)] : []),
        ...(task.maxCostUsd === undefined ? [] : ['--max-budget-usd', task.maxCostUsd.toFixed(4)]),
        ...(skipPermissions ? ['--dangerously-skip-permissions'] : []),
      ],
      env: { ...env, ...task.env },
      stdin: task.prompt,
    }),
    reader: streamJsonReader,
  }
}

function allowed(tools: string, { statusTool }: Task): string[] {
  const all = [tools, statusTool ? 'mcp__ralph__report_status' : ''].filter((tool) => tool !== '')
  return all.length === 0 ? [] : ['--allowedTools', all.join(',')]
}

/** Loaded at once: otherwise the model is not even told that the tool is there. */
const mcpConfig = (server: NonNullable<Task['statusTool']>): string =>
  JSON.stringify({ mcpServers: { ralph: { type: 'stdio', ...server, alwaysLoad: true } } })
