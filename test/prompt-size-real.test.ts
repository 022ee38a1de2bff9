/** What the real Claude Code and Codex send to the model: prompts do not grow with the plan, and begin with what the provider has cached. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModelRequest, ModelServer } from './support/model-server.ts'
import { claude } from './support/real-claude.ts'
import { codex } from './support/real-codex.ts'
import { realProject } from './support/real-project.ts'

type T = Parameters<typeof realProject>[0]

const stories = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    id: `S-${n + 1}`,
    title: `Story number ${n + 1} of a plan`,
    description: 'What the user wants, told at the length that such a story usually has, with the reason for it. '.repeat(3),
    acceptanceCriteria: ['The first thing that can be checked', 'The second thing that can be checked'],
    passes: n < count / 2,
  }))

const firstOf = ({ requests }: ModelServer): ModelRequest['body'] =>
  requests.find(({ body }) => body.tools?.length)?.body ?? assert.fail('no request with tools')

async function firstRequest(t: T, agent: Parameters<typeof realProject>[1], count: number): Promise<string> {
  const { project, server } = await realProject(t, agent, [{ text: 'A step.' }], { stories: stories(count) })
  await project.run('run', '-n', '1')
  return JSON.stringify(firstOf(server))
}

for (const agent of [claude, codex])
  test(`the first request of ${agent.name} with 100 stories has at most 1.2 times the size of that with 3 [R-COST-5]`, async (t) => {
    const [few, many] = [await firstRequest(t, agent, 3), await firstRequest(t, agent, 100)]
    assert.match(many, /Story number 51 of a plan/)
    assert.doesNotMatch(many, /Story number 90 of a plan/)
    assert.ok(many.length < 1.2 * few.length, `${many.length} and ${few.length} characters`)
  })

test('Claude Code gets what is the same in every prompt in its system prompt, where the provider caches it [R-COST-5]', async (t) => {
  const { project, server } = await realProject(t, claude, [{ text: 'A step.' }], {
    config: { circuit_breaker: { no_progress_threshold: 0 } },
  })
  await project.run('run', '-n', '2')
  const asked = server.requests.filter(({ body }) => body.tools?.length).map(({ body }) => body as Body)
  assert.equal(asked.length, 2)
  const [first, second] = asked.map(({ system }) => system.filter(({ cache_control: cached }) => cached !== undefined))
  assert.deepEqual(first, second)
  assert.match(JSON.stringify(first), /# How to work[\s\S]*## How to signal/)
  for (const { messages } of asked) assert.doesNotMatch(JSON.stringify(messages), /# How to work|## How to signal/)
  assert.match(JSON.stringify(asked.at(1)?.messages), /## Your story: S-1[\s\S]*This is iteration 2/)
})
type Body = { system: { text: string; cache_control?: unknown }[]; messages: unknown[] }

test('a system prompt that the user gives Claude Code on the command line stays, and the prompt is whole [R-COST-5]', async (t) => {
  const own = { ...claude, args: ['--append-system-prompt', 'Speak like a pirate.'] }
  const { project, server } = await realProject(t, own, [{ text: 'A step.' }])
  await project.run('run', '-n', '1')
  const { system, messages } = firstOf(server) as unknown as Body
  assert.match(JSON.stringify(system), /Speak like a pirate/)
  assert.match(JSON.stringify(messages), /# How to work[\s\S]*## How to signal[\s\S]*## Your story/)
})
