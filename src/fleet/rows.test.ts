import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Fleet } from './database.ts'
import { asksIn } from './features.ts'
import { keptIn } from './leases.ts'
import { fleetStatus } from './status.ts'

const shapes = [null, [], 'x', 7, {}, [null], [{ kind: 'question' }], { state: 1, reason: 'x', exitCode: 0 }]

test('JSON of another form in the rows of a feature counts as nothing', async () => {
  for (const shape of shapes) {
    assert.deepEqual(asksIn({ asks: shape }), [])
    assert.equal(keptIn({}, shape).outcome, null)
  }
  for (const shape of [null, [], 'x', 7, { 'a.txt': 7 }, { 'a.txt': null }]) assert.deepEqual(keptIn(shape, null).files, {})
  const question = { kind: 'question', story: null, text: 'Which?' }
  const outcome = { state: 'completed', exitCode: 0, reason: '' }
  assert.deepEqual([asksIn({ asks: [question] }), keptIn({ a: 'x' }, outcome)], [[question], { files: { a: 'x' }, outcome }])
})

test('a status of another form is one of a feature that has not begun', async () => {
  const settings = { is_paused: false, calls: 0, calls_ms: '0', lease_ms: 1, now: new Date(0) }
  const stories = { complete: 1, total: 2 }
  const statuses = [...shapes, { stories: [], cost: null, iteration: 'x' }, { stories, cost: { usd: 3 }, iteration: 4 }]
  const query = (text: string) =>
    Promise.resolve(/from ralph.features order/.test(text) ? statuses.map((status) => ({ status })) : [settings])
  const { features } = await fleetStatus({ query } as unknown as Fleet)
  assert.deepEqual(
    features.map(({ iteration, stories: counted, costUsd }) => [iteration, counted, costUsd]),
    [...Array(9).fill([0, null, null]), [4, stories, 3]],
  )
})
