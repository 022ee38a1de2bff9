/** Claude Code, headless: the prompt on standard input, stream-json out. */
import type { Task } from '../../ports.ts'
import { headless } from './shared/headless.ts'
import { streamJsonReader } from './shared/stream-json.ts'

export const claude = headless('claude', {
  needs: { home: ['.claude', '.claude.json'], variables: ['ANTHROPIC_', 'CLAUDE_'], folders: ['CLAUDE_CONFIG_DIR'] },
  homeSettings: ['.claude/settings.json', '.claude/settings.local.json', '.claude/CLAUDE.md'],
  ordersIn: ['CLAUDE.md', 'CLAUDE.local.md', '.claude/', '.mcp.json'],
  marksChildrenBy: ['CLAUDECODE', 'CLAUDE_CODE_ENTRYPOINT', 'CLAUDE_CODE_SSE_PORT', 'CLAUDE_CODE_SESSION_ID'],
  tells: 'cost',
  contextWindow: 200_000,
  expandsPaths: true,
  takesStatusTool: true,
  resumes: 'total',
  answersInSchema: true,
  install: 'npm install -g @anthropic-ai/claude-code',
  tested: '2.1.325',
  args: (task, { allowedTools, skipPermissions }) => [
    ...['-p', '--output-format', 'stream-json', '--verbose'],
    ...(task.model ? ['--model', task.model] : []),
    ...(task.maxCostUsd === undefined ? [] : ['--max-budget-usd', task.maxCostUsd.toFixed(4)]),
    ...(task.schema ? ['--json-schema', JSON.stringify(task.schema.schema)] : []),
    ...(task.isReadOnly ? readOnly : atWork(task, allowedTools, skipPermissions)),
  ],
  reader: streamJsonReader,
})

/**
 * In this mode Claude Code only runs commands that it knows to be read-only with their flags (`git diff`, `ls`). The project's own settings
 * could send it, with the user's key, to another server; only the user's count.
 */
const readOnly = [
  ...['--tools', 'Read,Glob,Grep,Bash', '--allowedTools', 'Read,Glob,Grep'],
  ...['--permission-mode', 'dontAsk', '--strict-mcp-config', '--setting-sources', 'user'],
]

const atWork = (task: Task, allowedTools: string, skipPermissions: boolean): string[] => [
  ...(task.resume ? ['--resume', task.resume] : []),
  ...allowed(allowedTools, task),
  ...(task.statusTool ? ['--mcp-config', mcpConfig(task.statusTool)] : []),
  ...(skipPermissions ? ['--dangerously-skip-permissions'] : []),
]

function allowed(tools: string, { statusTool }: Task): string[] {
  const all = [tools, statusTool ? 'mcp__ralph__report_status' : ''].filter((tool) => tool !== '')
  return all.length === 0 ? [] : ['--allowedTools', all.join(',')]
}

/** Loaded at once: otherwise the model does not even know that the tool exists. */
const mcpConfig = (server: NonNullable<Task['statusTool']>): string =>
  JSON.stringify({ mcpServers: { ralph: { type: 'stdio', ...server, alwaysLoad: true } } })
