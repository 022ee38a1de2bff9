/** What goes wrong on the way to a model and in a shell, in whole runs with the real Claude Code and the real Codex: none of it stops the work. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { endOf, eventsOf, verdictsOf } from './support/loop.ts'
import { errorBody, openaiError, type Turn } from './support/model-server.ts'
import { untilEvent, untilFile, withoutWaits } from './support/processes.ts'
import type { ProjectSketch } from './support/project.ts'
import { claudeEnvironment, realClaude, subscriberEnvironment } from './support/real-claude.ts'
import { codexEnvironment, realCodex } from './support/real-codex.ts'
import { does, leftOver, realProject } from './support/real-project.ts'

const claude = { name: 'claude', program: realClaude, environment: claudeEnvironment, refusal: errorBody }
const codex = { name: 'codex', program: realCodex, environment: codexEnvironment, refusal: openaiError }
const isDone: Turn = { text: 'S-1 is there.' }

for (const agent of [claude, codex]) {
  const finishes = async (t: TestContext, turns: Turn[], sketch?: ProjectSketch) => {
    const { project } = await realProject(t, agent, turns, sketch)
    const { code, out } = await project.run('run', '--no-archive')
    assert.equal(code, 0, out)
    assert.deepEqual([verdictsOf(project), project.passing()], [['done, made'], ['S-1']])
    return project
  }

  test(`${agent.name}: one answer of 429 costs no iteration [R-CB-4]`, async (t) => {
    const busy = {
      status: 429,
      body: agent.refusal('rate_limit_error', 'Too many requests.'),
      headers: { 'retry-after': '0' },
      times: 1,
    }
    await finishes(t, [busy, does('S-1'), isDone])
  })

  test(`${agent.name}: a connection that breaks once costs no iteration [R-CB-4]`, async (t) => {
    await finishes(t, [{ disconnect: true }, does('S-1'), isDone])
  })

  test(`${agent.name}: a tool that fails on the way is the agent's business [R-ITER-5]`, async (t) => {
    const project = await finishes(t, [{ tool: { bash: 'echo "error: 5-hour limit reached" >&2; exit 3' } }, does('S-1'), isDone])
    const [ended] = eventsOf(project, 'iteration.ended')
    assert.deepEqual([ended!.exit, ended!.signals.filter(({ kind }) => kind === 'throttled' || kind === 'error')], ['ok', []])
  })
}

test('claude: a usage limit is waited for until its reset, and counts for nothing [R-LIM-4]', async (t) => {
  const resetsAt = Math.ceil(Date.now() / 1000) + 3600
  const headers = {
    'anthropic-ratelimit-unified-status': 'rejected',
    'anthropic-ratelimit-unified-reset': `${resetsAt}`,
    'anthropic-ratelimit-unified-representative-claim': 'five_hour',
  }
  const limited = { status: 429, body: errorBody('rate_limit_error', 'Limited.'), headers, times: 1 }
  const subscriber = { ...claude, environment: subscriberEnvironment }
  const { project } = await realProject(t, subscriber, [limited, does('S-1'), isDone], {
    config: { defaults: { on_limit: 'wait' } },
  })
  const { code, out } = await withoutWaits(project).run('run', '--no-archive', '-n', '1')
  assert.equal(code, 0, out)
  assert.deepEqual(verdictsOf(project), ['throttled, idle', 'done, made'])
  const [wait] = eventsOf(project, 'wait.started')
  assert.deepEqual([wait!.for, Date.parse(wait!.until)], ['usage-limit', resetsAt * 1000])
})

test('codex: a usage limit is waited for until its reset [R-LIM-4]', async (t) => {
  const resetsAt = Math.ceil(Date.now() / 1000) + 7200
  const body = openaiError('usage_limit_reached', 'The usage limit has been reached', { plan_type: 'plus', resets_at: resetsAt })
  const { project } = await realProject(t, codex, [{ status: 429, body }], { config: { defaults: { on_limit: 'wait' } } })
  const { child, ended } = project.start('run')
  await untilEvent(project, 'wait.started')
  child.kill('SIGTERM')
  assert.equal((await ended).code, 143)
  const [wait] = eventsOf(project, 'wait.started')
  assert.deepEqual([wait!.for, Date.parse(wait!.until)], ['usage-limit', Math.floor(resetsAt / 60) * 60_000 + 59_000])
})

test('codex: SIGTERM in the middle of a tool ends the run and leaves nothing running [R-ITER-1]', async (t) => {
  const hangs = { tool: { bash: 'echo $$ > "$RALPH_FEATURE_DIR/logs/pid"; sleep 300' } }
  const { project } = await realProject(t, codex, [hangs])
  const { child, ended } = project.start('run')
  await untilFile(project, '.ralph/thing/logs/pid')
  child.kill('SIGTERM')
  assert.equal((await ended).code, 143)
  assert.deepEqual([endOf(project).outcome, leftOver(project)], ['interrupted', []])
})
