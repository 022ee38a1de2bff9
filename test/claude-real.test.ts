/** The Claude adapter against the real Claude Code, with a scripted model behind it. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { type AgentOptions, agentNamed } from '../src/adapters/agents/list.ts'
import type { Entry } from '../src/core/transcript.ts'
import { errorBody, type ModelRequest, startModelServer, type Turn } from './support/model-server.ts'
import { claudeEnvironment, realClaude, subscriberEnvironment } from './support/real-claude.ts'

type Ran = { code: number | null; entries: Entry[]; requests: ModelRequest[]; log: string }
type Setting = { environment?: typeof claudeEnvironment; options?: Partial<AgentOptions> }

async function ran(turns: Turn[], { environment = claudeEnvironment, options = {} }: Setting = {}): Promise<Ran> {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-claude-'))
  const [home, project] = [join(folder, 'home'), join(folder, 'project')]
  mkdirSync(home)
  const server = await startModelServer(turns)
  try {
    const env = environment(home, server.url)
    const git = (...args: string[]) => spawnSync('git', ['-C', project, ...args], { env, encoding: 'utf8' }).stdout
    spawnSync('git', ['init', '-q', '-b', 'main', project], { env })
    git('config', 'user.name', 'Test')
    git('config', 'user.email', 'test@localhost')
    const agent = agentNamed(
      { name: 'claude', command: [realClaude()] },
      { allowedTools: '', skipPermissions: false, root: project, ...options },
    )
    const { command, args, ...launch } = agent.launch({ prompt: 'Do story S-1, please.', cwd: project, model: '', env: {} })
    const child = spawn(command, args, { cwd: project, env: { ...env, ...launch.env }, stdio: ['pipe', 'pipe', 'ignore'] })
    child.stdin.end(launch.stdin)
    const exit = new Promise<number | null>((resolve) => child.on('exit', resolve))
    const entries: Entry[] = []
    const read = agent.reader()
    for await (const line of createInterface(child.stdout)) entries.push(...read(line, 'out'))
    return { code: await exit, entries, requests: server.requests, log: git('log', '--format=%s') }
  } finally {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Session ids and model names change from run to run. */
const withoutSession = (entries: Entry[]) => entries.filter(({ kind }) => kind !== 'session')

test('the agent gets the prompt, uses a tool that is allowed, and ends with its final words', async () => {
  const command = 'git commit -q --allow-empty -m "feat: S-1 - first"'
  const { code, entries, requests, log } = await ran([{ tool: { bash: command } }, { text: 'Done.' }], {
    options: { allowedTools: 'Read,Write,Edit,Glob,Grep,Bash(git *)' },
  })
  assert.deepEqual([code, log], [0, 'feat: S-1 - first\n'])
  assert.match(JSON.stringify(requests.at(0)?.body.messages), /Do story S-1, please\./)
  const [session, ...rest] = entries
  assert.equal(session?.kind, 'session')
  const [tool, result, said, usage, end] = rest
  assert.deepEqual(
    [tool, said, end, rest.length],
    [
      { kind: 'tool', name: 'Bash', target: command, isSub: false },
      { kind: 'said', text: 'Done.', isSub: false },
      { kind: 'end', isError: false, text: 'Done.' },
      5,
    ],
  )
  assert.ok(result?.kind === 'tool-result' && !result.failed)
  assert.ok(usage?.kind === 'usage' && usage.usage.inputTokens === 2400 && usage.usage.outputTokens === 100)
})

test('a tool that is not allowed is denied, and the agent goes on', async () => {
  const { code, entries } = await ran([{ tool: { bash: 'touch b.txt' } }, { text: 'I may not.' }], {
    options: { allowedTools: 'Read' },
  })
  assert.equal(code, 0)
  assert.deepEqual(
    entries.filter(({ kind }) => kind === 'denied' || kind === 'end'),
    [
      { kind: 'denied', tool: 'Bash' },
      { kind: 'end', isError: false, text: 'I may not.' },
    ],
  )
})

test('a rejected rate is a short limit, after the agent’s own retry', async () => {
  const text = 'API Error: Request rejected (429) · Too many requests.'
  const { code, entries } = await ran([
    { status: 429, body: errorBody('rate_limit_error', 'Too many requests.'), headers: { 'retry-after': '0' } },
  ])
  assert.equal(code, 1)
  assert.deepEqual(withoutSession(entries), [
    { kind: 'retrying', message: 'rate_limit (429), retry 1 of 1' },
    { kind: 'throttled', by: 'rate', message: text },
    { kind: 'usage', usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 } },
    { kind: 'end', isError: true, text },
  ])
})

test('a subscriber’s usage limit says when it ends, and costs one request', async () => {
  const resetsAt = 1_790_000_000
  const headers = {
    'anthropic-ratelimit-unified-status': 'rejected',
    'anthropic-ratelimit-unified-reset': `${resetsAt}`,
    'anthropic-ratelimit-unified-representative-claim': 'five_hour',
  }
  const { code, entries, requests } = await ran([{ status: 429, body: errorBody('rate_limit_error', 'Limited.'), headers }], {
    environment: subscriberEnvironment,
  })
  assert.deepEqual([code, requests.filter(({ body }) => body.tools?.length).length], [1, 1])
  assert.deepEqual(
    entries.filter(({ kind }) => kind === 'throttled'),
    [{ kind: 'throttled', by: 'usage-limit', until: '2026-09-21T14:13:20.000Z', message: 'usage limit reached (five_hour)' }],
  )
})

test('a request that fails once is made again without harm', async () => {
  const { code, entries } = await ran([{ disconnect: true }, { text: 'Done.' }])
  assert.equal(code, 0)
  assert.deepEqual(
    withoutSession(entries).filter(({ kind }) => kind !== 'usage'),
    [
      { kind: 'retrying', message: 'unknown, retry 1 of 1' },
      { kind: 'said', text: 'Done.', isSub: false },
      { kind: 'end', isError: false, text: 'Done.' },
    ],
  )
})
