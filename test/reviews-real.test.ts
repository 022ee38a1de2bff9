/** The real Claude Code and the real Codex as reviewers of a scripted implementer, with a scripted model behind them. */
import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import type { RealAgent } from './support/agent-call.ts'
import { eventsOf, finishes, verdictsOf } from './support/loop.ts'
import { type ModelServer, startModelServer, type Turn } from './support/model-server.ts'
import { makeProject, type TestProject } from './support/project.ts'
import { claudeEnvironment, realClaude } from './support/real-claude.ts'
import { codexEnvironment, realCodex } from './support/real-codex.ts'
import { reviewsOf } from './support/reviews.ts'

type Answer = { missing: string[]; extra: string[]; reason: string; verdict: string }
type Reviewer = RealAgent & { answer(answer: Answer): Turn }

const reviewers: Reviewer[] = [
  {
    ...{ name: 'claude', program: realClaude, environment: claudeEnvironment },
    answer: (answer) => ({ tool: { name: 'StructuredOutput', args: answer } }),
  },
  {
    ...{ name: 'codex', program: realCodex, environment: codexEnvironment },
    answer: (answer) => ({ text: JSON.stringify(answer) }),
  },
]
const looks: Turn = { tool: { bash: 'git log -1 --format=%s && cat S-1.txt' } }
const passes: Answer = { missing: [], extra: [], reason: 'It is there.', verdict: 'pass' }
const misses: Answer = { missing: ['S-1 works: the file says nothing'], extra: [], reason: 'Half of it.', verdict: 'fail' }

/** The agent lies on the PATH, as it does for users. */
async function reviewedBy(
  t: TestContext,
  agent: Reviewer,
  turns: Turn[],
): Promise<{ project: TestProject; server: ModelServer }> {
  const server = await startModelServer(turns)
  const project = makeProject({
    script: { otherwise: finishes },
    config: { roles: { reviewer: { agent: agent.name } }, process: { grace_seconds: 0.5 } },
  })
  t.after(async () => {
    await server.close()
    project.remove()
  })
  mkdirSync(project.path('../bin'))
  symlinkSync(agent.program(), project.path(`../bin/${agent.name}`))
  const { PATH, ...environment } = agent.environment(project.home, server.url)
  Object.assign(project.env, environment, { PATH: `${project.path('../bin')}:${PATH ?? ''}:${project.env['PATH']}` })
  return { project, server }
}

for (const agent of reviewers) {
  test(`${agent.name} reviews: it sees the story and the diff, answers in the schema, and the story passes [R-GATE-1] [R-GATE-5]`, async (t) => {
    const { project, server } = await reviewedBy(t, agent, [looks, agent.answer(passes)])
    const { code, out, err } = await project.run('run', '--no-archive')
    assert.deepEqual([code, err], [0, ''], out)
    assert.deepEqual([reviewsOf(project), project.passing()], [['spec S-1: pass'], ['S-1']])
    const asked = JSON.stringify(server.requests.find(({ body }) => body.tools?.length)!.body)
    for (const part of ['# Review of story S-1', 'S-1 works', '+there', 'additionalProperties'])
      assert.ok(asked.includes(part), part)
    assert.deepEqual(
      eventsOf(project, 'review.ended').map(({ result, usage }) => [result?.output, usage.inputTokens, usage.outputTokens]),
      [['It is there.', 2400, 100]],
    )
    assert.equal(project.git('status', '--porcelain'), '')
  })

  test(`${agent.name} reviews: what it finds missing is mended by the next attempt, and it passes then [R-GATE-1]`, async (t) => {
    const { project } = await reviewedBy(t, agent, [agent.answer(misses), agent.answer(passes)])
    const { code, out } = await project.run('run', '--no-archive')
    assert.equal(code, 0, out)
    assert.deepEqual(reviewsOf(project), ['spec S-1: fail', 'spec S-1: pass'])
    assert.deepEqual(verdictsOf(project), ['failed, made', 'done, made'])
    assert.match(out, /✗ spec review failed .*\n {6}Missing: S-1 works: the file says nothing \[[0-9a-f]{8}\]\n/)
  })
}

test('a model that answers in words is held to the schema by Claude Code itself, in the same call [R-GATE-1]', async (t) => {
  const [claude] = reviewers
  const { project } = await reviewedBy(t, claude!, [{ text: 'Looks fine to me.' }, claude!.answer(passes)])
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(reviewsOf(project), ['spec S-1: pass'])
})

test('a model that never answers in the schema is asked again once, and then fails the gate [R-GATE-1]', async (t) => {
  const [claude] = reviewers
  const { project, server } = await reviewedBy(t, claude!, [{ text: 'Looks fine to me.' }])
  const { code, out } = await project.run('run', '--no-archive', '-n', '1')
  assert.equal(code, 1, out)
  assert.deepEqual([reviewsOf(project), project.passing()], [['spec S-1: unread', 'spec S-1: unread'], []])
  assert.match(JSON.stringify(server.requests.at(-1)), /Your last answer could not be read/)
})
