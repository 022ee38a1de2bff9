/** A fleet in trouble, in small; `npm run test:fleet` does the same to a hundred features. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chaos } from './support/fleet-chaos.ts'

test('workers killed and put to sleep, the database restarted, the remote refusing: every feature is completed once, by one worker at a time', async () => {
  const { broken, done, turns } = await chaos({
    features: 6,
    workers: 2,
    slots: 2,
    leaseSeconds: 6,
    calls: { most: 6, seconds: 5 },
    troubles: ['refuse', 'kill', 'restart', 'sleep'],
    everyMs: 1500,
    isHeld: true,
    seconds: 200,
  })
  assert.deepEqual({ broken, done }, { broken: [], done: { kill: 1, sleep: 1, restart: 1, refuse: 1 } })
  assert.ok(turns >= 6)
})
