import assert from 'node:assert/strict'
import { test } from 'node:test'
import { estimateOf } from './estimate.ts'

const took = { iterations: 2, ms: 60_000, costUsd: 0.5 }

test('finished stories of the project are the estimate; too few of them leave a guess from the number of open stories [R-COST-3]', () => {
  const history = Array(5).fill(took)
  assert.deepEqual(estimateOf(history, 4, true), {
    stories: 4,
    from: 5,
    iterations: { p50: 8, p90: 8 },
    ms: { p50: 240_000, p90: 240_000 },
    costUsd: { p50: 2, p90: 2 },
  })
  const guess = estimateOf(history.slice(1), 4, true)
  assert.deepEqual([guess?.isGuess, guess?.from, guess?.stories], [true, 4, 4])
  const larger = estimateOf([], 8, true)
  assert.ok(guess?.costUsd && larger?.costUsd && guess.costUsd.p50 < guess.costUsd.p90 && guess.costUsd.p90 < larger.costUsd.p90)
})

test('nothing open has no estimate, and an agent that never reports its cost none of that', () => {
  assert.equal(estimateOf([], 0, true), null)
  assert.equal(estimateOf([], 1, false)?.costUsd, null)
})
