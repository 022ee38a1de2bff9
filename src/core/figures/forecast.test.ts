import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { forecastOf } from './forecast.ts'

const took = (iterations: number, costUsd: number | null = 1) => ({ iterations, ms: iterations * 60_000, costUsd })

test('too little history gives no forecast, and neither does nothing to do [R-TEL-6]', () => {
  assert.equal(forecastOf([took(1), took(1), took(1), took(1)], 3), null)
  assert.equal(
    forecastOf(
      Array.from({ length: 9 }, () => took(1)),
      0,
    ),
    null,
  )
})

test('stories that all took the same are forecast exactly', () => {
  assert.deepEqual(
    forecastOf(
      Array.from({ length: 5 }, () => took(2, 0.5)),
      4,
    ),
    {
      stories: 4,
      from: 5,
      iterations: { p50: 8, p90: 8 },
      ms: { p50: 480_000, p90: 480_000 },
      costUsd: { p50: 2, p90: 2 },
    },
  )
})

test('a story of unknown cost makes the cost of the rest unknown, not 0', () => {
  assert.equal(forecastOf([took(1), took(1), took(1), took(1), took(1, null)], 2)?.costUsd, null)
})

test('nine in ten is never less than an even chance, and both lie between the best and the worst that can come', () => {
  const histories = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 5, maxLength: 30 })
  fc.assert(
    fc.property(histories, fc.integer({ min: 1, max: 20 }), (counts, open) => {
      const history = counts.map((count) => took(count))
      const { iterations } = forecastOf(history, open)!
      assert.ok(iterations.p50 <= iterations.p90)
      assert.ok(iterations.p50 >= open * Math.min(...counts) && iterations.p90 <= open * Math.max(...counts))
      assert.deepEqual(forecastOf(history, open)?.iterations, iterations)
    }),
    { numRuns: 50 },
  )
})
