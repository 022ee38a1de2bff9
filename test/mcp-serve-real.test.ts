/** The real Claude Code drives Ralph: it finds the tools of `ralph mcp serve`, calls them, and the run that it starts outlives its session. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { liveIn } from '../src/run/history/live-run.ts'
import { finishes } from './support/loop.ts'
import { startModelServer } from './support/model-server.ts'
import { until } from './support/processes.ts'
import { go, projectFor, ralphProgram } from './support/project.ts'
import { claudeEnvironment, realClaude } from './support/real-claude.ts'

test('Claude Code lists and calls the tools, and the run that it starts outlives its session [R-CTL-1]', async (t) => {
  const project = projectFor(t, {
    script: { iterations: [[{ run: 'while [ ! -e ../go ]; do sleep 0.05; done' }, ...finishes]] },
  })
  const server = await startModelServer([
    { tool: { name: 'mcp__ralph__start', args: { max_iterations: 3 } } },
    { tool: { name: 'mcp__ralph__status', args: { feature: 'thing' } } },
    { text: 'It runs.' },
  ])
  t.after(() => server.close())
  const claude = async (input: string, ...args: string[]): Promise<{ code: number | null; out: string }> => {
    const env = claudeEnvironment(project.home, server.url)
    const child = spawn(realClaude(), args, { cwd: project.root, env, stdio: ['pipe', 'pipe', 'ignore'] })
    child.stdin.end(input)
    const exit = new Promise<number | null>((resolve) => child.on('exit', resolve))
    const out = await text(child.stdout)
    return { code: await exit, out }
  }

  const added = await claude('', 'mcp', 'add', 'ralph', '--', process.execPath, ralphProgram, 'mcp', 'serve')
  assert.equal(added.code, 0, added.out)
  assert.match((await claude('', 'mcp', 'list')).out, /^ralph: .* mcp serve - .*Connected/m)

  const allowed = ['start', 'status'].map((name) => `mcp__ralph__${name}`).join(',')
  const { code, out } = await claude(
    'Run it, please.',
    ...['-p', '--output-format', 'stream-json', '--verbose', '--allowedTools', allowed],
  )
  assert.equal(code, 0, out)
  const events = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const init = events.find(({ subtype }) => subtype === 'init')
  assert.deepEqual(
    init.tools.filter((name: string) => name.startsWith('mcp__ralph__')).toSorted(),
    ['answer', 'lint', 'list', 'pause', 'report', 'resume', 'retry', 'say', 'start', 'status', 'stop', 'unblock', 'why'].map(
      (name) => `mcp__ralph__${name}`,
    ),
  )
  const results = JSON.stringify(server.requests.at(-1)?.body.messages)
  assert.match(results, /Started a run of thing\. It continues when this session ends\./)
  assert.match(results, /State: +running/)

  assert.equal(project.kinds().includes('run.ended'), false)
  go(project)
  await until('the end of the run', () => project.has('.ralph/archive') && liveIn(project.root) === null)
  const log = project.read(`.ralph/archive/${readdirSync(project.path('.ralph/archive'))[0]}/events.jsonl`)
  assert.match(log, /"kind":"run\.ended"[^\n]*"outcome":"complete"/)
})
