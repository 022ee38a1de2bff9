/** Whole runs with the real Claude Code: a scripted model behind it, and everything between the two as users have it. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isAlive } from '../src/adapters/process/survivors.ts'
import { endOf, eventsOf, verdictsOf } from './support/loop.ts'
import { errorBody, type ModelServer, type Turn } from './support/model-server.ts'
import { until, withoutWaits } from './support/processes.ts'
import type { ProjectSketch } from './support/project.ts'
import { claude } from './support/real-claude.ts'
import { does, leftOver, realProject } from './support/real-project.ts'

const claudeProject = (t: TestContext, turns: Turn[], sketch?: ProjectSketch) => realProject(t, claude, turns, sketch)

/** The prompts of the iterations: what the model got before it had said anything, in order. */
function promptsIn(server: ModelServer): string[] {
  const conversations = server.requests.filter(({ body }) => body.tools?.length).map(({ body }) => JSON.stringify(body.messages))
  return conversations.filter((messages) => !messages.includes('"role":"assistant"'))
}

test('two stories are done by Claude Code, proven by the gate, and paid for in summary.csv [R-TEL-1]', async (t) => {
  const { project, server } = await claudeProject(
    t,
    [does('S-1'), { text: 'S-1 is done.' }, does('S-2'), { text: 'All is done.\n\n<promise>COMPLETE</promise>' }],
    { stories: [{ id: 'S-1' }, { id: 'S-2' }], config: { gates: { tests: 'test -f S-1.txt' } } },
  )
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.deepEqual([code, err], [0, ''], out)
  assert.deepEqual(project.passing(), ['S-1', 'S-2'])
  assert.deepEqual(verdictsOf(project), ['done, made', 'done, made'])
  assert.match(project.git('log', '--format=%s'), /^feat: S-2 - Story S-2$[\s\S]*^feat: S-1 - Story S-1$/m)
  assert.equal(project.git('status', '--porcelain'), '')

  const [first, second] = promptsIn(server)
  assert.match(first!, /S-1/)
  assert.match(second!, /S-2/)
  assert.doesNotMatch(first!, /<promise>COMPLETE<\/promise>/)

  const usages = eventsOf(project, 'iteration.ended').map(({ usage }) => usage)
  const rows = project.read('.ralph/thing/logs/summary.csv').trimEnd().split('\n').slice(1)
  const paid = rows.map((row) => row.split(',').slice(8, 13))
  assert.deepEqual(
    paid,
    usages.map(({ costUsd }, n) => [`S-${n + 1}`, 'done', '2400', '100', costUsd!.toFixed(4)]),
  )
  assert.ok(usages.every(({ costUsd }) => costUsd! > 0))
  assert.match(out, /Cost: +\$\d+\.\d\d for 2 implementer calls \(4,800 tokens in, 200 out\)/)
})

test('a false COMPLETE is refused, and the next prompt says why; the key is written nowhere [R-DONE-1] [R-FILE-3]', async (t) => {
  const { project, server } = await claudeProject(t, [
    { text: 'Everything is done.\n\n<promise>COMPLETE</promise>' },
    does('S-1'),
    { text: 'Now it is.\n\n<promise>COMPLETE</promise>' },
  ])
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(
    eventsOf(project, 'iteration.judged').map(({ claim, openStories }) => [claim, openStories]),
    [
      ['refused', ['S-1']],
      ['accepted', []],
    ],
  )
  assert.match(out, /Agent claimed done; rejected: S-1 is open/)
  const [first, second] = promptsIn(server)
  assert.doesNotMatch(first!, /Rejected: /)
  assert.match(second!, /claimed that everything is done\. Rejected: these stories are still open: S-1/)
  const files = readdirSync(project.path('.ralph'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  assert.deepEqual(
    files.map((entry) => join(entry.parentPath, entry.name)).filter((path) => readFileSync(path, 'utf8').includes('sk-ant-test')),
    [],
  )
})

test('an agent whose tool hangs is ended at its time limit, with everything it started [R-ITER-1] [R-ITER-2]', async (t) => {
  const { project } = await claudeProject(t, [{ tool: { bash: 'echo > "$RALPH_FEATURE_DIR/logs/late"; tail -f /dev/null' } }])
  const { code, out } = await withoutWaits(project, '.ralph/thing/logs/late').run('run', '-n', '1')
  assert.equal(code, 1, out)
  assert.deepEqual(
    eventsOf(project, 'iteration.ended').map(({ exit }) => exit),
    ['timeout'],
  )
  assert.deepEqual(verdictsOf(project), ['failed, idle'])
  assert.deepEqual(leftOver(project), [])
})

test('an agent that makes the same failing call again and again is ended by the live watch [R-LIM-6]', async (t) => {
  const { project } = await claudeProject(t, [{ tool: { bash: 'cat no-such-file' } }])
  const { code, out } = await project.run('run', '-n', '1')
  assert.equal(code, 1, out)
  assert.deepEqual(
    eventsOf(project, 'iteration.ended').map(({ exit }) => exit),
    ['circling'],
  )
  assert.match(out, /the agent went in circles: the same tool call failed the same way 5 times: Bash cat no-such-file/)
  assert.deepEqual(leftOver(project), [])
})

test('SIGTERM ends the run, Claude Code and the tool that it is in; a rerun goes on [R-ITER-1]', async (t) => {
  const { project } = await claudeProject(t, [
    { tool: { bash: 'echo $$ > "$RALPH_FEATURE_DIR/logs/pid"; sleep 300' } },
    does('S-1'),
    { text: 'Done.' },
  ])
  const run = project.start('run', '--no-archive')
  const pidFile = '.ralph/thing/logs/pid'
  await until('the tool runs', () => project.has(pidFile) && project.read(pidFile).endsWith('\n'))
  run.child.kill('SIGTERM')
  const { code, out } = await run.ended
  assert.equal(code, 143, out)
  assert.match(out, /Exit: +INTERRUPTED \(code 143\)/)
  assert.deepEqual([leftOver(project), isAlive(Number(project.read(pidFile)))], [[], false])
  assert.deepEqual(
    eventsOf(project, 'iteration.judged').map(({ verdict }) => verdict),
    ['interrupted'],
  )
  const again = await project.run('run', '--no-archive')
  assert.deepEqual([again.code, project.passing()], [0, ['S-1']], again.out)
})

test('a refused key ends with 77 after one retry, counts for nothing, and says what to do [R-LIM-8]', async (t) => {
  const { project } = await claudeProject(t, [{ status: 401, body: errorBody('authentication_error', 'invalid x-api-key') }])
  const { code, out } = await withoutWaits(project).run('run')
  assert.equal(code, 77, out)
  assert.equal(endOf(project).outcome, 'login')
  assert.deepEqual(
    eventsOf(project, 'iteration.judged').map(({ verdict }) => verdict),
    ['throttled', 'throttled'],
  )
  assert.match(out, /Iterations: +0 \/ 20 \(\+2 interrupted, not counted\)/)
  assert.match(out, /Next: +ralph run {2}# first log in to the agent or set its API key/)
})

test('a rate that is refused once costs no iteration: the agent itself asks again [R-LIM-4]', async (t) => {
  const { project } = await claudeProject(t, [
    { status: 429, body: errorBody('rate_limit_error', 'Too many requests.'), headers: { 'retry-after': '0' } },
    does('S-1'),
    { text: 'Done.' },
  ])
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(verdictsOf(project), ['done, made'])
  assert.deepEqual(eventsOf(project, 'wait.started'), [])
})

test('a tool that Claude Code may not use is recorded as a signal [R-CB-2]', async (t) => {
  const { project } = await claudeProject(t, [{ tool: { bash: 'touch b.txt' } }, { text: 'I may not.' }], {
    config: { claude: { allowed_tools: 'Read' } },
  })
  const { code, out } = await project.run('run', '-n', '1')
  assert.equal(code, 1, out)
  assert.deepEqual(
    eventsOf(project, 'iteration.ended').flatMap(({ signals }) => signals),
    [{ kind: 'permission-denied', tool: 'Bash' }],
  )
  assert.equal(existsSync(project.path('b.txt')), false)
})
