/** A used-up quota, as agents with OpenAI's API must report it: run with each real program. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RealAgent } from './agent-call.ts'
import { endOf, eventsOf } from './loop.ts'
import { openaiError } from './model-server.ts'
import { realProject } from './real-project.ts'

/** `status`: the provider's, for an agent that goes on asking after a 429. */
export function usageLimitRun(agent: RealAgent, status = 429): void {
  test(`${agent.name}: a used-up quota is learned in one iteration, and ends the run when it shall not wait [R-LIM-4]`, async (t) => {
    const message = 'You exceeded your current quota, please check your plan and billing details.'
    const refused = { status, body: openaiError('insufficient_quota', message), headers: { 'retry-after': '0' } }
    const { project } = await realProject(t, agent, [refused], { config: { defaults: { on_limit: 'exit' } } })
    const { code, out } = await project.run('run')
    assert.deepEqual([code, eventsOf(project, 'iteration.started').length], [5, 1], out)
    assert.equal(endOf(project).outcome, 'limited')
    const [signal] = eventsOf(project, 'iteration.ended').flatMap(({ signals }) => signals)
    assert.ok(signal?.kind === 'throttled' && signal.by === 'usage-limit')
  })
}
