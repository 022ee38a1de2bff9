/** Sessions that go on inside a story, with the real programs: by their own id, and paid for once. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsOf } from './support/loop.ts'
import type { ModelServer } from './support/model-server.ts'
import { projectFor } from './support/project.ts'
import { claude } from './support/real-claude.ts'
import { codex } from './support/real-codex.ts'
import { does, realProject } from './support/real-project.ts'

const half = { tool: { bash: 'echo half > half.txt && git add half.txt && git commit -q -m "wip: S-1"' } }
const twoIterations = [half, { text: 'Half of S-1 is there, more to come.' }, does('S-1'), { text: 'S-1 is there now.' }]

/** What the model was sent in the last request that offered it tools. */
const lastConversation = (server: ModelServer): string =>
  JSON.stringify(server.requests.filter(({ body }) => body.tools?.length).at(-1)!.body)

for (const agent of [claude, codex]) {
  test(`${agent.name} goes on with its session inside a story when asked to, and begins afresh by default [R-SESS-1] (S04)`, async (t) => {
    for (const session of ['fresh', 'resume']) {
      const { project, server } = await realProject(t, agent, twoIterations, { config: { defaults: { session } } })
      const { code, out } = await project.run('run', '--no-archive')
      assert.equal(code, 0, out)
      const isRemembered = lastConversation(server).includes('echo half > half.txt') // progress.txt repeats its words, never its tools
      assert.equal(isRemembered, session === 'resume', session)
      const [first, second] = eventsOf(project, 'iteration.ended')
      const started = eventsOf(project, 'iteration.started').map(({ resume }) => resume)
      assert.deepEqual(started, [undefined, session === 'resume' ? first!.session : undefined])
      assert.equal(first!.session === second!.session, session === 'resume')
    }
  })
}

test('what a session cost before is not counted again: its total goes on, the iteration has its own share [R-SESS-1]', async (t) => {
  const { project } = await realProject(t, claude, twoIterations, { config: { defaults: { session: 'resume' } } })
  assert.equal((await project.run('run', '--no-archive')).code, 0)
  const [first, second] = eventsOf(project, 'iteration.ended')
  assert.ok(second!.sessionCostUsd! > first!.sessionCostUsd!)
  const share = second!.sessionCostUsd! - first!.sessionCostUsd!
  assert.ok(Math.abs(second!.usage.costUsd! - share) < 1e-9, `${second!.usage.costUsd} is not ${share}`)
})

test('an agent that cannot go on with a session is refused where that is asked for [R-SESS-1]', async (t) => {
  const project = projectFor(t, { config: { defaults: { session: 'resume' } } })
  const { code, err } = await project.run('run')
  assert.deepEqual(
    [code, err],
    [78, 'ralph: session: resume is set, but the agent "scripted" cannot resume a session here. Set it to fresh.\n'],
  )
})
