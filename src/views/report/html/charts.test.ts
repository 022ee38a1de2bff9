import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { roundTop, roundTopMs } from './charts.ts'

test('an axis ends at a round number, and a time at round minutes', () => {
  assert.deepEqual([0, 0.27, 1, 11_610, 95].map(roundTop), [1, 0.3, 1, 16_000, 100])
  assert.deepEqual([0, 86, 1500, 45_000, 61_000, 25 * 60_000, 90 * 60_000].map(roundTopMs), [
    1,
    100,
    2000,
    60_000,
    120_000,
    30 * 60_000,
    1.6 * 3_600_000,
  ])
})

test('no bar is higher than its axis, nor lost at its foot', () => {
  fc.assert(
    fc.property(fc.double({ min: 0.0001, max: 1e12, noNaN: true }), (value) => {
      for (const top of [roundTop(value), roundTopMs(value)]) assert.ok(top >= value && top <= value * 10, `${top} for ${value}`)
    }),
  )
})
