/** Makes the recordings beside it again: the real Claude Code, driven by a scripted model, with ids, paths and times taken out. Run: node recordings/claude/record.ts */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { errorBody, startModelServer, type Turn } from '../../test/support/model-server.ts'
import { claudeEnvironment, realClaude, subscriberEnvironment } from '../../test/support/real-claude.ts'

type Scenario = { turns: Turn[]; args?: string[]; account?: 'key' | 'subscriber' }

const anyTool = ['--dangerously-skip-permissions']
const unifiedLimit = (status: string) => ({
  'anthropic-ratelimit-unified-status': status,
  'anthropic-ratelimit-unified-reset': '1790000000',
  'anthropic-ratelimit-unified-representative-claim': 'five_hour',
  'anthropic-ratelimit-unified-5h-status': status,
  'anthropic-ratelimit-unified-5h-reset': '1790000000',
  'anthropic-ratelimit-unified-5h-utilization': status === 'rejected' ? '1' : '0.9',
})
const refused = (status: number, type: string, message: string, headers = {}): Turn => ({
  status,
  body: errorBody(type, message),
  headers,
})

const scenarios: Record<string, Scenario> = {
  success: {
    turns: [
      { tool: { bash: 'echo one > a.txt && git add -A && git commit -qm "feat: S-1 - first" && git log --oneline | wc -l' } },
      { text: 'Done.' },
    ],
    args: anyTool,
  },
  'tool-fails': { turns: [{ tool: { bash: 'echo "5-hour limit reached" >&2; exit 3' } }, { text: 'It failed.' }], args: anyTool },
  'permission-denied': { turns: [{ tool: { bash: 'touch b.txt' } }, { text: 'I may not.' }], args: ['--allowedTools', 'Read'] },
  'usage-limit': {
    turns: [refused(429, 'rate_limit_error', 'This request would exceed your account rate limit.', unifiedLimit('rejected'))],
    account: 'subscriber',
  },
  'rate-limit': {
    turns: [refused(429, 'rate_limit_error', 'This request would exceed your rate limit.', { 'retry-after': '1' })],
  },
  overloaded: { turns: [refused(529, 'overloaded_error', 'Overloaded')] },
  'bad-key': { turns: [refused(401, 'authentication_error', 'invalid x-api-key')] },
  disconnect: { turns: [{ disconnect: true }] },
  'server-error': { turns: [refused(500, 'api_error', 'Internal server error')] },
  'context-too-long': { turns: [refused(400, 'invalid_request_error', 'prompt is too long: 250000 tokens > 200000 maximum')] },
  'unknown-model': { turns: [refused(404, 'not_found_error', 'model: nothing')], args: ['--model', 'nothing'] },
}

const lists = [
  'tools',
  'slash_commands',
  'terminal_slash_commands',
  'agents',
  'skills',
  'plugins',
  'mcp_servers',
  'memory_paths',
  'capabilities',
  'messaging_socket_path',
]

const only = process.argv.slice(2)
for (const [name, scenario] of Object.entries(scenarios)) {
  if (only.length > 0 && !only.includes(name)) continue
  const lines = await record(scenario)
  writeFileSync(join(import.meta.dirname, `${name}.jsonl`), `${lines.join('\n')}\n`)
  console.log(`${name}: ${lines.length} lines`)
}

async function record({ turns, args = [], account = 'key' }: Scenario): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-record-'))
  const home = join(folder, 'home')
  const project = join(folder, 'project')
  mkdirSync(home)
  for (const git of [
    ['init', '-q', project],
    ['-C', project, 'config', 'user.name', 'Test'],
    ['-C', project, 'config', 'user.email', 'test@localhost'],
  ]) {
    spawnSync('git', git, { env: { PATH: process.env['PATH'], HOME: home } })
  }
  const server = await startModelServer(turns)
  try {
    const env = account === 'key' ? claudeEnvironment(home, server.url) : subscriberEnvironment(home, server.url)
    const agent = spawn(realClaude(), ['-p', '--output-format', 'stream-json', '--verbose', ...args], { cwd: project, env })
    agent.stdin.end('Do the story.')
    const [out] = await Promise.all([text(agent.stdout), text(agent.stderr)])
    return out
      .trimEnd()
      .split('\n')
      .map((line) => withoutTraces(line, { folder, url: server.url }))
  } finally {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What differs from machine to machine and run to run becomes the same everywhere; what the agent lists of itself is left out. */
function withoutTraces(line: string, { folder, url }: { folder: string; url: string }): string {
  const plain = line
    .replaceAll(folder, '/work')
    .replaceAll(folder.replaceAll('/', '-'), '-work')
    .replaceAll(url.replace('http://', ''), '127.0.0.1:1')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '00000000-0000-4000-8000-000000000000')
  const event = JSON.parse(plain)
  for (const key of lists) delete event[key]
  for (const key of Object.keys(event)) if (key.endsWith('_ms')) event[key] = 1000
  if (event.timestamp) event.timestamp = '2026-01-09T12:00:00.000Z'
  return JSON.stringify(event)
}
