/** Claude Code, headless: the prompt on standard input, stream-json out. */
import { globSource } from '../../core/text/glob.ts'
import type { Guard, Task } from '../../ports.ts'
import { headless } from './shared/headless.ts'
import { filesFolder } from './shared/launch-files.ts'
import { streamJsonReader } from './shared/stream-json.ts'
import { shellLimits } from './shared/tool-rules.ts'

export const claude = headless('claude', {
  needs: { home: ['.claude', '.claude.json'], variables: ['ANTHROPIC_', 'CLAUDE_'], folders: ['CLAUDE_CONFIG_DIR'] },
  homeSettings: [
    ...['.claude/settings.json', '.claude/settings.local.json', '.claude/CLAUDE.md'],
    ...['skills', 'agents', 'commands', 'rules', 'output-styles', 'hooks'].map((name) => `.claude/${name}/`),
  ],
  homeKeys: { '.claude.json': ['env', 'apiKeyHelper'], '.claude/.config.json': ['env', 'apiKeyHelper'] },
  skillsIn: '.claude/skills',
  ordersIn: ['CLAUDE.md', 'CLAUDE.local.md', '.claude/', '.mcp.json'],
  marksChildrenBy: ['CLAUDECODE', 'CLAUDE_CODE_ENTRYPOINT', 'CLAUDE_CODE_SSE_PORT', 'CLAUDE_CODE_SESSION_ID'],
  tells: 'cost',
  contextWindow: 200_000,
  // The user's own text on the command line is not replaced.
  takesSystem: (own) => !own.some((arg) => /^--(append-)?system-prompt/.test(arg)),
  takesStatusTool: true,
  reportsAtInterrupt: true,
  resumes: 'total',
  answersInSchema: true,
  cheaperModel,
  limits: shellLimits,
  install: 'npm install -g @anthropic-ai/claude-code',
  tested: '2.1.325',
  oldest: '2.1.197',
  login: {
    args: ['auth', 'status'],
    since: '2.1.325',
    keys: [],
    saysNo: /"loggedIn": *false/,
    isCertain: true,
    advice: 'claude auth login, or set ANTHROPIC_API_KEY',
  },
  args: (task, { allowedTools, skipPermissions }, own) => [
    ...['-p', '--output-format', 'stream-json', '--verbose'],
    ...(task.model ? ['--model', task.model] : []),
    ...(task.maxCostUsd === undefined ? [] : ['--max-budget-usd', task.maxCostUsd.toFixed(4)]),
    ...(task.schema ? ['--json-schema', JSON.stringify(task.schema.schema)] : []),
    ...(task.system === undefined ? [] : ['--append-system-prompt-file', `${filesFolder}/${systemFile}`]),
    ...(task.isReadOnly ? readOnly : atWork(task, allowedTools, skipPermissions)),
    // The user's own settings on the command line are not replaced.
    ...(task.guard && !task.isReadOnly && !own.includes('--settings')
      ? ['--settings', JSON.stringify(guardSettings(task.guard))]
      : []),
  ],
  // What it noted for itself while it implemented would be orders.
  env: (given, { isReadOnly }) => (isReadOnly ? { ...given, CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1' } : given),
  files: ({ guard: { protects, atStop } = {}, system }) =>
    protects || atStop || system !== undefined
      ? {
          ...(system === undefined ? {} : { [systemFile]: system }),
          ...(protects ? { [protectsFile]: protectsScript(protects) } : {}),
          ...(atStop ? { [stopFile]: atStop.script } : {}),
        }
      : undefined,
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

const systemFile = 'system-prompt.md'
const protectsFile = 'protected.sh'
const stopFile = 'before-stop.sh'

/**
 * Denied paths hold under skipped permissions too, and for what a shell command writes, but with Claude Code's own words, and before any hook is
 * asked. So what the project protects is refused by a hook with our reason; `if` starts it for edits of these files alone.
 */
function guardSettings({ denied, protects, atStop }: Guard): object {
  const edits = (protects?.patterns ?? []).flatMap((pattern) =>
    editTools.map((tool) => ({
      ...shellHook(protectsFile, 10),
      if: `${tool}(${ruleFor(protects?.from ?? '', pattern)})`,
    })),
  )
  return {
    permissions: { deny: denied.map((path) => `Edit(/${path})`) },
    hooks: {
      ...(edits.length === 0 ? {} : { PreToolUse: [{ matcher: editTools.join('|'), hooks: edits }] }),
      ...(atStop === undefined ? {} : { Stop: [{ hooks: [shellHook(stopFile, atStop.seconds)] }] }),
    },
  }
}

const editTools = ['Edit', 'Write', 'NotebookEdit']
const shellHook = (file: string, timeout: number) => ({ type: 'command', command: `sh ${filesFolder}/${file}`, timeout })

/** Two slashes: a path from the root of the machine. */
function ruleFor(from: string, pattern: string): string {
  const inner = pattern.replace(/^\.?\//, '')
  return `/${from}/${inner === pattern && !inner.replace(/\/$/, '').includes('/') ? '**/' : ''}${inner}`
}

/** An older Claude Code does not know `if` and asks it about every edit, so it looks at the path itself. */
function protectsScript({ patterns, from, reason }: NonNullable<Guard['protects']>): string {
  // Inside the quotes of the path: the words of an edit may name a protected file.
  const inQuotes = (source: string): string => source.slice(1, -1).replaceAll('.*', '[^"]*').replaceAll('[^/]', '[^/"]')
  const paths = patterns.map((pattern) => inQuotes(globSource(pattern, from))).join('|')
  const found = `"(file_path|notebook_path)" ?: ?"(${paths})"`.replaceAll("'", "'\\''")
  return `grep -Eq '${found}' || exit 0\ncat >&2 <<'END'\n${reason}\nEND\nexit 2\n`
}

/** Loaded at once: otherwise the model does not even know that the tool exists. */
const mcpConfig = (server: NonNullable<Task['statusTool']>): string =>
  JSON.stringify({ mcpServers: { ralph: { type: 'stdio', ...server, alwaysLoad: true } } })

/** Names that Claude Code knows in every version and with every provider. Its usual model is one of the two dear families. */
function cheaperModel(role: 'reviewer' | 'learner', model: string): string | undefined {
  const isDearest = model === '' || /opus/i.test(model)
  if (role === 'reviewer') return isDearest ? 'sonnet' : undefined
  return isDearest || /sonnet/i.test(model) ? 'haiku' : undefined
}
