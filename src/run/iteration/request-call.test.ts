import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { aFlight } from '../../../sim/builders.ts'
import { aWorld, type TestWorld } from '../../../test/support/world.ts'
import type { Report } from '../../core/types.ts'
import { askAtLimit, requestCall, waitUntil } from './request-call.ts'

const call = { kind: 'call.requested', call: 1, role: 'implementer', agent: 'mine', because: '' } as const
const asked = { kind: 'limit.asked', because: 'hourly call limit reached', until: '2026-01-05T09:00:00.000Z' } as const
const kinds = ({ reports }: TestWorld): string[] => reports.map(({ kind }) => kind)
const rename = (test: TestWorld): void => {
  const plan = test.plan()
  plan.userStories = plan.userStories.map((story) => ({ ...story, title: 'Another' }))
  writeFileSync(join(test.world.dir, 'prd.json'), JSON.stringify(plan, null, 2))
}

test('a call within the limit is granted', async () => {
  const test = await aWorld()
  await requestCall(test.world, call, test.deed())
  assert.deepEqual(test.reports, [{ kind: 'call.granted', call: 1 }])
})

test('a call over the limit of the hour is refused, with when it is free again', async () => {
  const test = await aWorld({ settings: { 'defaults.rate_limit_per_hour': 1 } })
  const world = { ...test.world, now: () => '2026-01-05T08:00:00.000Z' }
  await requestCall(world, call, test.deed())
  await requestCall(world, { ...call, call: 2 }, test.deed())
  assert.deepEqual(test.reports.at(-1), { kind: 'call.refused', call: 2, until: '2026-01-05T09:00:00.000Z', by: 'rate' })
})

test('in a fleet the worker is asked; one that has lost the feature says nothing', async () => {
  const test = await aWorld()
  const answer = { granted: false, until: '2026-01-05T09:00:00.000Z', by: 'usage-limit' } as const
  await requestCall({ ...test.world, leash: { ask: async () => answer } as never }, call, test.deed())
  assert.deepEqual(test.reports, [{ kind: 'call.refused', call: 1, until: answer.until, by: 'usage-limit' }])
  await requestCall({ ...test.world, leash: { ask: async () => null } as never }, call, test.deed())
  assert.equal(test.reports.length, 1)
})

test('edits of the plan while nobody is at work are the user’s, and come before the call', async () => {
  const test = await aWorld()
  rename(test)
  await requestCall(test.world, call, test.deed())
  assert.deepEqual(kinds(test), ['plan.changed', 'call.granted'])
})

test('edits of the plan while somebody is at work could be anybody’s: they are undone', async () => {
  const test = await aWorld()
  rename(test)
  await requestCall(test.world, call, { ...test.deed(), state: { ...test.state(), flights: [aFlight(1, { worker: 1 })] } })
  assert.deepEqual(kinds(test), ['noticed', 'call.granted'])
  assert.equal(test.plan().userStories[0]?.title, 'Story S-1')
})

test('a plan that cannot be read is told, and the run goes on with what it knows', async () => {
  const test = await aWorld()
  writeFileSync(join(test.world.dir, 'prd.json'), '{ not json')
  await requestCall(test.world, call, test.deed())
  assert.equal(test.noticed('plan-unreadable').length, 1)
  assert.equal(kinds(test).at(-1), 'call.granted')
})

const answered = async (key: string | null, stop = new AbortController().signal): Promise<Report[]> => {
  const test = await aWorld({ isGit: false })
  await askAtLimit(async () => key, asked, { ...test.deed(), stop })
  return test.reports
}

test('at a limit a person says whether to wait; whoever is not there ends the run', async () => {
  assert.deepEqual(await answered('w'), [{ kind: 'limit.answered', choice: 'wait', by: 'user' }])
  assert.deepEqual(await answered('e'), [{ kind: 'limit.answered', choice: 'exit', by: 'user' }])
  assert.deepEqual(await answered(null), [{ kind: 'limit.answered', choice: 'exit', by: 'silence' }])
})

test('an answer that comes with the stop of the run is none', async () => {
  assert.deepEqual(await answered('w', AbortSignal.abort()), [])
})

test('a wait is shown, ends at its time, and is not shown any more', async () => {
  const test = await aWorld({ isGit: false })
  const shown: (string | null)[] = []
  const until = test.state().at
  await waitUntil({ waiting: (at) => shown.push(at) }, { kind: 'wait.started', until, because: 'limit' } as never, test.deed())
  assert.deepEqual([shown, test.reports], [[until, null], [{ kind: 'wait.ended' }]])
})

test('a wait that is stopped ends at once, and says nothing of its end', async () => {
  const test = await aWorld({ isGit: false })
  const stop = new AbortController()
  const wait = { kind: 'wait.started', until: '2999-01-01T00:00:00.000Z', because: 'limit' } as never
  const waiting = waitUntil({ waiting: () => {} }, wait, { ...test.deed(), stop: stop.signal })
  stop.abort()
  await waiting
  assert.deepEqual(test.reports, [])
})
