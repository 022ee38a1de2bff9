/** What every agent must do in whole runs of the built program: one suite, run with each real program. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isAlive } from '../../src/adapters/process/survivors.ts'
import type { Usage } from '../../src/core/types.ts'
import type { RealAgent } from './agent-call.ts'
import { endOf, eventsOf, verdictsOf } from './loop.ts'
import { type ModelServer, openaiError } from './model-server.ts'
import { untilFile } from './processes.ts'
import type { TestProject } from './project.ts'
import { does, leftOver, realProject } from './real-project.ts'

/**
 * `usage`: what it reports for an iteration with two requests. `toolSeconds`: by then it has surely started a tool. `refusal`: its provider's
 * wording.
 */
type Particulars = {
  usage: Usage
  toolSeconds: number
  refusal?: (status: number, type: string, message: string) => unknown
}

export function wholeRuns(agent: RealAgent, { usage, toolSeconds, refusal = openaiRefusal }: Particulars): void {
  const isTold = usage.inputTokens > 0
  test(`${agent.name}: two stories are done, proven by the gate, and their usage is ${isTold ? 'told' : 'not known'} [R-TEL-1]`, async (t) => {
    const { project, server } = await realProject(
      t,
      agent,
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
    assert.deepEqual(
      eventsOf(project, 'iteration.ended').map((event) => [event.exit, event.usage]),
      Array(2).fill(['ok', usage]),
    )
  })

  test(`${agent.name}: a false COMPLETE is refused, and the next prompt says why; the key is written nowhere [R-DONE-1] [R-FILE-3]`, async (t) => {
    const { project, server } = await realProject(t, agent, [
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
      files
        .map((entry) => join(entry.parentPath, entry.name))
        .filter((path) => readFileSync(path, 'utf8').includes('sk-scripted')),
      [],
    )
  })

  test(`${agent.name}: a refused key ends with 77 after one retry, and counts for nothing [R-LIM-8]`, async (t) => {
    const body = refusal(401, 'invalid_api_key', 'Incorrect API key provided.')
    const { project } = await realProject(t, agent, [{ status: 401, body }])
    const { code, out } = await project.run('run')
    assert.equal(code, 77, out)
    assert.equal(endOf(project).outcome, 'login')
    assert.deepEqual(
      eventsOf(project, 'iteration.judged').map(({ verdict }) => verdict),
      ['throttled', 'throttled'],
    )
  })

  test(`${agent.name}: a model that does not exist is a failure with its words, whatever the exit code [R-ITER-5]`, async (t) => {
    const body = refusal(404, 'model_not_found', 'The model does not exist.')
    const { project } = await realProject(t, agent, [{ status: 404, body }])
    const { code, out } = await project.run('run', '-n', '1')
    assert.equal(code, 1, out)
    const [ended] = eventsOf(project, 'iteration.ended')
    assert.equal(ended!.exit, 'failed')
    assert.match(JSON.stringify(ended!.signals), /"kind":"error".*(not exist|not found)/)
    assert.deepEqual(verdictsOf(project), ['failed, idle'])
  })

  test(`${agent.name}: a tool that hangs, and what it started elsewhere, is ended with the agent at the time limit [R-ITER-1] [R-ITER-2]`, async (t) => {
    const { project } = await realProject(t, agent, [hangs])
    const { code, out } = await project.run('run', '-n', '1', '-t', `${toolSeconds}s`)
    assert.equal(code, 1, out)
    assert.deepEqual(
      eventsOf(project, 'iteration.ended').map(({ exit }) => exit),
      ['timeout'],
    )
    assert.deepEqual(verdictsOf(project), ['failed, idle'])
    assert.deepEqual([leftOver(project), isAlive(toolOf(project))], [[], false])
  })

  test(`${agent.name}: a model that falls silent in the middle of its answer is ended at the time limit [R-ITER-2]`, async (t) => {
    const { project, server } = await realProject(t, agent, [{ text: 'Half of it', breaksOff: 'hang' }])
    const { code, out } = await project.run('run', '-n', '1', '-t', `${toolSeconds}s`)
    assert.equal(code, 1, out)
    assert.notEqual(server.requests.length, 0)
    assert.deepEqual(
      eventsOf(project, 'iteration.ended').map(({ exit }) => exit),
      ['timeout'],
    )
    assert.deepEqual(leftOver(project), [])
  })

  test(`${agent.name}: SIGTERM in the middle of a tool ends the run and leaves nothing running [R-ITER-1]`, async (t) => {
    const { project } = await realProject(t, agent, [hangs])
    const { child, ended } = project.start('run')
    await untilFile(project, pidFile)
    child.kill('SIGTERM')
    const { code, out } = await ended
    assert.equal(code, 143, out)
    assert.equal(endOf(project).outcome, 'interrupted')
    assert.deepEqual([leftOver(project), isAlive(toolOf(project))], [[], false])
  })
}

const openaiRefusal = (_status: number, type: string, message: string) => openaiError(type, message)
const pidFile = '.ralph/thing/logs/pid'
const hangs = {
  tool: {
    bash: 'setsid sleep 300 & echo $$ > "$RALPH_FEATURE_DIR/logs/p" && mv "$RALPH_FEATURE_DIR/logs/p" "$RALPH_FEATURE_DIR/logs/pid"; sleep 300',
  },
}
const toolOf = (project: TestProject): number => Number(project.read(pidFile))

/** The prompt of each iteration: what the model got before it said anything, in order. */
function promptsIn(server: ModelServer): string[] {
  const conversations = server.requests
    .filter(({ body }) => body.tools?.length)
    .flatMap(({ body }) => JSON.stringify(body.messages ?? body.contents) ?? []) // a title is asked for in another way
  return conversations.filter((messages) => !/"role":"(?:assistant|model)"/.test(messages))
}
