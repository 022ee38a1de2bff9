/** What an agent's exit code is worth beside its own words, with recordings of agents that exit with 0 on errors or tell no end. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { endOf, eventsOf, verdictsOf } from './support/loop.ts'
import { makeProject, type TestProject } from './support/project.ts'

/** A project whose agent prints a recording, whatever it is asked, and exits with the code that the real one had. */
function recordedProject(t: TestContext, agent: string, scenario: string, code: number): TestProject {
  const recording = join(import.meta.dirname, '..', 'recordings', agent, `${scenario}.jsonl`)
  const project = makeProject({
    files: { '.ralph/play.sh': `cat > /dev/null\ncat '${recording}'\nexit ${code}\n` },
    config: { agent: { name: agent, command: ['sh', '.ralph/play.sh'] }, defaults: { on_limit: 'exit' } },
  })
  t.after(() => project.remove())
  return project
}
const exitsOf = (project: TestProject) => eventsOf(project, 'iteration.ended').map(({ exit, exitCode }) => [exit, exitCode])

test('an agent that tells an error and never an end has failed, although it exits with 0 [R-ITER-5]', async (t) => {
  const project = recordedProject(t, 'pi', 'unknown-model', 0)
  const { code, out } = await project.run('run', '-n', '1')
  assert.equal(code, 1, out)
  assert.deepEqual(exitsOf(project), [['failed', 0]])
  assert.deepEqual(verdictsOf(project), ['failed, idle'])
  assert.match(JSON.stringify(eventsOf(project, 'iteration.ended')[0]!.signals), /404 The model `nothing` does not exist\./)
})

test('a usage limit is one with exit code 0 too [R-ITER-5] [R-LIM-4]', async (t) => {
  const project = recordedProject(t, 'pi', 'usage-limit', 0)
  const { code, out } = await project.run('run')
  assert.deepEqual([code, endOf(project).outcome], [5, 'limited'], out)
  assert.deepEqual(verdictsOf(project), ['throttled, idle'])
})

test('an error on the way does not count once the agent has told its end [R-ITER-5]', async (t) => {
  const project = recordedProject(t, 'pi', 'disconnect-once', 0)
  await project.run('run', '-n', '1')
  assert.deepEqual(exitsOf(project), [['ok', 0]])
})

test('an agent that tells no end has ended well when it exits with 0, and its last words count [R-ITER-5]', async (t) => {
  const project = recordedProject(t, 'opencode', 'success', 0)
  await project.run('run', '-n', '1')
  assert.deepEqual(exitsOf(project), [['ok', 0]])
  assert.equal(eventsOf(project, 'iteration.ended')[0]!.summary, 'Done.')
})
