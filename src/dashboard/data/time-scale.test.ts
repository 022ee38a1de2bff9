import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timeScale } from './time-scale.ts'

const hour = 3_600_000

test('what runs is in proportion, and a night between two runs is short and says how long it was', () => {
  const { total, place, timeAt, pauses } = timeScale([
    { start: 0, end: hour },
    { start: 9 * hour, end: 10 * hour },
    { start: hour / 2, end: hour },
  ])
  const pause = 2 * hour * 0.04
  assert.deepEqual(pauses, [{ at: hour, size: pause, ms: 8 * hour }])
  assert.equal(total, 2 * hour + pause)
  assert.deepEqual([0, hour / 2, hour, 5 * hour, 9 * hour, 10 * hour].map(place), [0, hour / 2, hour, hour, hour + pause, total])
  assert.deepEqual([0, hour / 4, hour + pause / 2, hour + pause, total].map(timeAt), [0, hour / 4, hour, 9 * hour, 10 * hour])
})

test('without anything there is a scale, and a clock that was set back breaks nothing', () => {
  assert.deepEqual([timeScale([]).total, timeScale([]).place(5), timeScale([]).timeAt(5)], [1, 0, 0])
  assert.equal(timeScale([{ start: 10, end: 5 }]).place(20), 0)
})
