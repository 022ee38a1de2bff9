/** What runs with the real Claude Code and Codex cost: a scripted model says what each request took, and the run must say the same. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endOf, eventsOf } from './support/loop.ts'
import type { ModelServer, Turn } from './support/model-server.ts'
import { withoutWaits } from './support/processes.ts'
import { claude } from './support/real-claude.ts'
import { codex } from './support/real-codex.ts'
import { does, leftOver, realProject } from './support/real-project.ts'

/** $1.20 at the list price of Claude Code's usual model. */
const dear = { input: 300_000, cached: 0, output: 0 }
/** A tool that makes the time limit be over. Claude Code starts it before it has printed what the request took: the tool waits for that. */
const isLate = (last: string): string =>
  `cd "$RALPH_FEATURE_DIR/logs"; until tail -n 1 iteration-00"$RALPH_ITERATION".log | grep -q ${last}; do :; done; echo > late`
/** The tool never comes back. */
const hangs = (last: string): Turn => ({ tool: { bash: `${isLate(last)}; tail -f /dev/null` }, tokens: dear })
const asked = (server: ModelServer): number => server.requests.filter(({ body }) => body.tools?.length).length

test('calls that time out cost what they cost: a cost budget ends the run after one request beyond it [R-COST-1]', async (t) => {
  const { project, server } = await realProject(t, claude, [hangs('tool_use')])
  const { code, out } = await withoutWaits(project, '.ralph/thing/logs/late').run('run', '--max-cost', '4', '--max-stuck', '0')
  assert.equal(code, 6, out)
  assert.deepEqual(
    eventsOf(project, 'iteration.ended').map(({ exit, usage }) => [exit, usage.costUsd?.toFixed(2)]),
    // The last one: Claude Code itself knows how much is left.
    [...Array(3).fill(['timeout', '1.20']), ['over-budget', '1.20']],
  )
  assert.deepEqual([asked(server), endOf(project).because], [4, 'budget spent: $4.80 of $4.00'])
  assert.match(out, /Cost: +\$4\.80 for 4 implementer calls/)
  assert.deepEqual(leftOver(project), [])
})

test('three Claude Codes at once share a cost budget: none makes more than one request beyond its share [R-COST-1]', async (t) => {
  const { project, server } = await realProject(t, claude, [{ tool: { bash: 'true' }, tokens: dear }], {
    stories: ['S-1', 'S-2', 'S-3'].map((id) => ({ id })),
  })
  const { code, out } = await project.run('run', '--parallel', '3', '--max-cost', '4')
  assert.equal(code, 6, out)
  assert.deepEqual(
    eventsOf(project, 'iteration.started').map(({ maxUsd }) => maxUsd?.toFixed(2)),
    Array(3).fill('1.33'),
  )
  // One that is still at work when the others have spent the budget is ended before it has its own share.
  const ended = eventsOf(project, 'iteration.ended').map(({ exit, usage }) => `${exit} ${usage.costUsd?.toFixed(2)}`)
  assert.deepEqual(
    ended.filter((one) => !/^over-budget (?:1\.20|2\.40)$/.test(one)),
    [],
  )
  const requests = ended.reduce((sum, one) => sum + (one.endsWith('2.40') ? 2 : 1), 0)
  assert.ok(requests >= 4, ended.join(', '))
  assert.deepEqual([asked(server), endOf(project).because], [requests, `budget spent: $${(requests * 1.2).toFixed(2)} of $4.00`])
  assert.deepEqual(leftOver(project), [])
})

test('a call that is ended in the middle of a request costs what the requests before it did [R-COST-1]', async (t) => {
  const { project } = await realProject(t, claude, [{ tool: { bash: isLate('tool_use') }, tokens: dear }, { hang: true }])
  await withoutWaits(project, '.ralph/thing/logs/late').run('run', '-n', '1')
  const [ended] = eventsOf(project, 'iteration.ended')
  assert.deepEqual(
    [ended?.exit, ended?.usage],
    ['timeout', { inputTokens: 300_000, outputTokens: 0, costUsd: ended?.usage.costUsd }],
  )
  assert.equal(ended?.usage.costUsd?.toFixed(2), '1.20')
})

test('Claude Code’s tokens at the end of its budget are those of its models, and its context window is theirs [R-COST-1]', async (t) => {
  const { project } = await realProject(t, claude, [
    { tool: { bash: 'true' }, tokens: { input: 280_000, cached: 20_000, output: 10 } },
  ])
  const { code, out } = await project.run('run', '--max-cost', '0.5')
  assert.equal(code, 6, out)
  const [ended] = eventsOf(project, 'iteration.ended')
  assert.deepEqual(
    [ended?.exit, ended?.usage],
    ['over-budget', { inputTokens: 300_000, outputTokens: 10, cacheReadTokens: 20_000, costUsd: ended?.usage.costUsd }],
  )
  assert.doesNotMatch(out, /context window/)
})

test('Codex’s cached tokens have the price of cached tokens [R-COST-1]', async (t) => {
  const { project } = await realProject(
    t,
    codex,
    [{ text: 'A step.', tokens: { input: 10_000, cached: 90_000, output: 1000 } }],
    {
      config: { model: 'gpt-5.5', prices: { 'gpt-5.5': { input: 2.5, output: 10, cache_read: 0.25 } } },
    },
  )
  const { out } = await project.run('run', '-n', '1')
  const [ended] = eventsOf(project, 'iteration.ended')
  assert.deepEqual(ended?.usage, { inputTokens: 100_000, outputTokens: 1000, cacheReadTokens: 90_000, costUsd: 0.0575 }, out)
})

const passes = { missing: [], extra: [], reason: 'It is there.', verdict: 'pass' }
const judged = {
  claude: { tool: { name: 'StructuredOutput', args: passes } },
  codex: { text: JSON.stringify(passes) },
}
for (const agent of [claude, codex]) {
  const name = agent.name as 'claude' | 'codex'
  test(`a story that passes at once takes two calls of ${name}: an easy one has nothing to teach [R-COST-5]`, async (t) => {
    const { project, server } = await realProject(t, agent, [does('S-1'), { text: 'It is there.' }, judged[name]], {
      config: { review: { enabled: true }, learn: { enabled: true } },
    })
    const { code, out } = await project.run('run', '--no-archive')
    assert.equal(code, 0, out)
    assert.deepEqual(
      eventsOf(project, 'call.requested').map(({ role }) => role),
      ['implementer', 'reviewer'],
    )
    const models = server.requests.filter(({ body }) => body.tools?.length).map(({ body }) => String(body['model']))
    const [worked, reviewed] = [models[0] ?? '', models.at(-1) ?? '']
    if (name === 'claude') {
      assert.match(reviewed, /sonnet/)
      assert.match(
        out,
        /^cheaper models of claude: reviewer sonnet, learner haiku \(to change: roles\.reviewer\.model, roles\.learner\.model\)$/m,
      )
    } else assert.equal(reviewed, worked)
  })
}

test('Codex prints no usage when it is ended: what the call took is in the file of its session [R-COST-1]', async (t) => {
  const first: Turn = { tool: { bash: 'true' }, tokens: { input: 10_000, cached: 90_000, output: 1000 } }
  const { project } = await realProject(t, codex, [first, hangs('item.started')], {
    config: { model: 'gpt-5.5', prices: { 'gpt-5.5': { input: 2.5, output: 10, cache_read: 0.25 } } },
  })
  const { out } = await withoutWaits(project, '.ralph/thing/logs/late').run('run', '-n', '1')
  const [ended] = eventsOf(project, 'iteration.ended')
  assert.deepEqual([ended?.exit, ended?.usage.outputTokens, ended?.usage.cacheReadTokens], ['timeout', 1000, 90_000], out)
  assert.ok((ended?.usage.inputTokens ?? 0) >= 100_000 && (ended?.usage.costUsd ?? 0) >= 0.0575)
})

test('Codex is ended in the middle of its work once the file of its session says that a budget is spent, with one request in flight [R-COST-1]', async (t) => {
  const spends: Turn = { tool: { bash: 'true' }, tokens: { input: 10_000, cached: 90_000, output: 1000 } }
  const { project, server } = await realProject(t, codex, [spends, { hang: true }], {
    config: { model: 'gpt-5.5', prices: { 'gpt-5.5': { input: 2.5, output: 10, cache_read: 0.25 } } },
  })
  const { code, out } = await project.run('run', '--max-cost', '0.05')
  assert.equal(code, 6, out)
  const [ended] = eventsOf(project, 'iteration.ended')
  assert.deepEqual([asked(server), ended?.exit], [2, 'over-budget'], out)
  assert.deepEqual(ended?.usage, { inputTokens: 100_000, outputTokens: 1000, cacheReadTokens: 90_000, costUsd: 0.0575 })
  assert.deepEqual(leftOver(project), [])
})
