import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Usage } from '../../../core/types.ts'
import { watchUsage } from './live-usage.ts'

const usage: Usage = { inputTokens: 100, outputTokens: 1, costUsd: null }

/** `found`: what is in the file at each look; then the last of them. */
function watched(t: TestContext, found: (Usage | undefined)[]) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const told: Usage[] = []
  let looks = 0
  const look = (): Usage | undefined => {
    const now = found[Math.min(looks, found.length - 1)]
    looks += 1
    return now && { ...now }
  }
  const after = (ms: number): void => {
    for (let passed = 0; passed < ms; passed += 10) t.mock.timers.tick(10) // a timer that another one sets counts from its own time
  }
  return { live: watchUsage(look, (each) => told.push(each)), told, looks: () => looks, after }
}

test('the file is read soon after lines, however many, a few times more, and then not before the next line', (t) => {
  const { live, looks, after, told } = watched(t, [undefined, usage])
  after(60_000)
  assert.equal(looks(), 0)
  for (let line = 0; line < 20; line += 1) {
    live.heard()
    after(20)
  }
  assert.equal(looks(), 1)
  after(60_000)
  assert.deepEqual([looks(), told], [4, [usage]])
  live.heard()
  after(60_000)
  assert.equal(looks(), 7)
})

test('a count is told once; one that is written late is seen all the same; after the end nothing is read', (t) => {
  const more = { ...usage, outputTokens: 2 }
  const { live, told, after, looks } = watched(t, [undefined, undefined, usage, usage, more])
  live.heard()
  after(6_000)
  assert.deepEqual(told, [usage])
  live.heard()
  after(6_000)
  assert.deepEqual(told, [usage, more])
  live.heard()
  live.close()
  after(60_000)
  assert.equal(looks(), 6)
})
