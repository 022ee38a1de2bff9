/** Whole runs with the real Codex: a scripted model behind it, and everything between the two as users have it. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isAlive } from '../src/adapters/process/survivors.ts'
import { endOf, eventsOf, verdictsOf } from './support/loop.ts'
import { type ModelServer, openaiError, type Turn } from './support/model-server.ts'
import { withoutWaits } from './support/processes.ts'
import type { ProjectSketch } from './support/project.ts'
import { codex } from './support/real-codex.ts'
import { does, leftOver, realProject } from './support/real-project.ts'

const codexProject = (t: TestContext, turns: Turn[], sketch?: ProjectSketch) => realProject(t, codex, turns, sketch)

/** The prompt of each iteration: the last thing a model was told before it had said or called anything. */
function promptsIn(server: ModelServer): string[] {
  const inputs = server.requests.map(({ body }) => (body.input ?? []) as { type: string; role?: string }[])
  const first = inputs.filter((items) => !items.some(({ type, role }) => type === 'function_call' || role === 'assistant'))
  return first.map((items) => JSON.stringify(items.findLast(({ role }) => role === 'user')))
}

test('two stories are done by Codex, proven by the gate; tokens are told, and the cost is not known [R-TEL-1]', async (t) => {
  const { project, server } = await codexProject(
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
  assert.deepEqual(
    eventsOf(project, 'iteration.ended').map(({ usage }) => usage),
    Array(2).fill({ inputTokens: 2400, outputTokens: 100, cacheReadTokens: 400, costUsd: null }),
  )
})

test('a false COMPLETE is refused, and the next prompt says why; the key is written nowhere [R-DONE-1] [R-FILE-3]', async (t) => {
  const { project, server } = await codexProject(t, [
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
  const [first, second] = promptsIn(server)
  assert.doesNotMatch(first!, /Rejected: /)
  assert.match(second!, /Rejected: these stories are still open: S-1/)
  const files = readdirSync(project.path('.ralph'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  assert.deepEqual(
    files.map((entry) => join(entry.parentPath, entry.name)).filter((path) => readFileSync(path, 'utf8').includes('sk-scripted')),
    [],
  )
})

test('a tool that hangs in a group of its own is ended with Codex at the time limit [R-ITER-1] [R-ITER-2]', async (t) => {
  const { project } = await codexProject(t, [
    { tool: { bash: 'cd "$RALPH_FEATURE_DIR/logs"; echo $$ > pid; echo > late; setsid sleep 300 & sleep 300' } },
  ])
  const { code, out } = await withoutWaits(project, '.ralph/thing/logs/late').run('run', '-n', '1')
  assert.equal(code, 1, out)
  assert.deepEqual(
    eventsOf(project, 'iteration.ended').map(({ exit }) => exit),
    ['timeout'],
  )
  assert.deepEqual(verdictsOf(project), ['failed, idle'])
  assert.deepEqual([leftOver(project), isAlive(Number(project.read('.ralph/thing/logs/pid')))], [[], false])
})

test('a model that falls silent in the middle of its answer is ended at the time limit [R-ITER-2]', async (t) => {
  const { project } = await codexProject(t, [{ text: 'Half of it', breaksOff: 'hang' }])
  const { code, out } = await project.run('run', '-n', '1', '-t', '3s')
  assert.equal(code, 1, out)
  assert.deepEqual(
    eventsOf(project, 'iteration.ended').map(({ exit }) => exit),
    ['timeout'],
  )
  assert.deepEqual(leftOver(project), [])
})

test('a refused key ends with 77 after one retry, counts for nothing, and says what to do [R-LIM-8]', async (t) => {
  const body = openaiError('invalid_api_key', 'Incorrect API key provided.')
  const { project } = await codexProject(t, [{ status: 401, body }])
  const { code, out } = await withoutWaits(project).run('run')
  assert.equal(code, 77, out)
  assert.equal(endOf(project).outcome, 'login')
  assert.deepEqual(
    eventsOf(project, 'iteration.judged').map(({ verdict }) => verdict),
    ['throttled', 'throttled'],
  )
  assert.match(out, /Next: +ralph run {2}# first log in to the agent or set its API key/)
})

test('a usage limit is learned with one call, and ends the run when it shall not wait [R-LIM-4]', async (t) => {
  const resetsAt = Math.ceil(Date.now() / 1000) + 7200
  const body = openaiError('usage_limit_reached', 'The usage limit has been reached', { plan_type: 'plus', resets_at: resetsAt })
  const { project, server } = await codexProject(t, [{ status: 429, body }], { config: { defaults: { on_limit: 'exit' } } })
  const { code, out } = await project.run('run')
  assert.deepEqual([code, server.requests.length], [5, 1], out)
  assert.equal(endOf(project).outcome, 'limited')
  const [signal] = eventsOf(project, 'iteration.ended').flatMap(({ signals }) => signals)
  assert.ok(signal?.kind === 'throttled' && signal.until !== undefined)
  assert.equal(Date.parse(signal.until), Math.floor(resetsAt / 60) * 60_000 + 59_000) // told to the minute
})
