import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { IterationEntry } from '../history.ts'
import { roundTop, roundTopMs, runStrip } from './charts.ts'

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

test('iterations that ran at the same time do not hide each other in the strip of their run', () => {
  const at = (minute: number): string => `2026-01-09T12:0${minute}:00.000Z`
  const entry = (iteration: number, from: number, to: number | null) =>
    ({ iteration, story: null, verdict: 'done', startedAt: at(from), endedAt: to === null ? null : at(to) }) as IterationEntry
  const strip = runStrip(at(0), at(9), [entry(1, 0, 4), entry(2, 0, 2), entry(3, 2, 5), entry(4, 5, null)], 'Run')
  const rows = [...strip.matchAll(/<rect class="t-good" x="[\d.]+" y="(\d+)"/g)].map(([, y]) => Number(y))
  assert.deepEqual(rows, [0, 20, 20, 0])
  assert.match(strip, /height="38"/)
})
