/** Real agents and the tool that Ralph offers them: found, called, and the report is where the run looks for it. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readReport } from '../src/adapters/project/agent-report-file.ts'
import type { StatusReport } from '../src/core/reading/status-report.ts'
import { type ModelRequest, startModelServer, type Turn } from './support/model-server.ts'
import { claudeEnvironment, realClaude } from './support/real-claude.ts'
import { codexEnvironment, realCodex } from './support/real-codex.ts'

type Launch = { program: string; args: string[]; environment: (home: string, modelUrl: string) => Record<string, string> }
type Ran = { code: number | null; output: string; report: StatusReport | string | null; requests: ModelRequest[] }

async function ran(turns: Turn[], { program, args, environment }: Launch): Promise<Ran> {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-mcp-'))
  const [home, project, report] = [join(folder, 'home'), join(folder, 'project'), join(folder, 'report.json')]
  for (const each of [home, project]) mkdirSync(each)
  const server = await startModelServer(turns)
  try {
    const env = { ...environment(home, server.url), RALPH_REPORT: report, RALPH_RUN: 'test:1' }
    const child = spawn(program, args, { cwd: project, env, stdio: ['pipe', 'pipe', 'ignore'] })
    child.stdin.end('Do story S-1, please.')
    const exit = new Promise<number | null>((resolve) => child.on('exit', resolve))
    const output = await text(child.stdout)
    return { code: await exit, output, report: readReport(report), requests: server.requests }
  } finally {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const command = process.execPath
const args = [fileURLToPath(new URL('fixtures/mcp-server.mjs', import.meta.url))]

const claude = (...allowed: string[]): Launch => ({
  program: realClaude(),
  args: [
    ...['-p', '--output-format', 'stream-json', '--verbose', '--allowedTools', ['Read', ...allowed].join(',')],
    ...['--mcp-config', JSON.stringify({ mcpServers: { ralph: { type: 'stdio', command, args, alwaysLoad: true } } })],
  ],
  environment: claudeEnvironment,
})

const codex: Launch = {
  program: realCodex(),
  args: [
    ...['exec', '--json', '--skip-git-repo-check', '-s', 'workspace-write'],
    ...['-c', `mcp_servers.ralph.command=${JSON.stringify(command)}`],
    ...['-c', `mcp_servers.ralph.args=${JSON.stringify(args)}`],
    ...['-c', 'mcp_servers.ralph.env_vars=["RALPH_REPORT","RALPH_RUN"]'], // it passes nothing on by itself
    '-',
  ],
  environment: codexEnvironment,
}

const input = { status: 'complete', summary: 'Login works.', exit_signal: true }
const taken: StatusReport = { status: 'complete', summary: 'Login works.', exitSignal: true, blockedReason: '', question: '' }
const claudesName = 'mcp__ralph__report_status'

test('claude: the tool to report with is offered to the model from the start, and its report arrives', async () => {
  const turns = [{ tool: { name: claudesName, args: input } }, { text: 'Done.' }]
  const { code, output, report, requests } = await ran(turns, claude(claudesName))
  assert.deepEqual([code, report], [0, taken], output)
  assert.match(JSON.stringify(requests[0]?.body.tools), /"name":"mcp__ralph__report_status"/)
  assert.match(output, /Ralph has your report: complete\./)
})

test('Claude Code passes a refusal on to the model, which corrects its report', async () => {
  const turns = [
    { tool: { name: claudesName, args: { status: 'blocked' } } },
    { tool: { name: claudesName, args: { status: 'blocked', blocked_reason: 'No database.' } } },
    { text: 'I cannot go on.' },
  ]
  const { code, output, report, requests } = await ran(turns, claude(claudesName))
  const blocked: StatusReport = { status: 'blocked', summary: '', blockedReason: 'No database.', question: '' }
  assert.deepEqual([code, report], [0, blocked], output)
  assert.match(JSON.stringify(requests[1]?.body.messages), /Nothing was reported\. With status blocked, say in blocked_reason/)
})

test('Claude Code denies the tool where it is not among the allowed ones', async () => {
  const { code, output, report } = await ran([{ tool: { name: claudesName, args: input } }, { text: 'Done.' }], claude())
  assert.deepEqual([code, report], [0, null], output)
  assert.match(output, /"subtype":"permission_denied"/)
})

test('codex: the tool to report with needs nobody’s permission, and its report arrives', async () => {
  const turns = [{ tool: { name: 'report_status', namespace: 'mcp__ralph', args: input } }, { text: 'Done.' }]
  const { code, output, report } = await ran(turns, codex)
  assert.deepEqual([code, report], [0, taken], output)
  assert.match(output, /"type":"mcp_tool_call","server":"ralph","tool":"report_status".*"status":"completed"/)
})
