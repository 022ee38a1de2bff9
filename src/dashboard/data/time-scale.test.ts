import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ticksOf, timeScale } from './time-scale.ts'

const hour = 3_600_000

test('what runs is in proportion, and a night between two runs is short and says how long it was', () => {
  const { total, place, stretches, pauses } = timeScale([
    { start: 0, end: hour },
    { start: 9 * hour, end: 10 * hour },
    { start: hour / 2, end: hour },
  ])
  const pause = 2 * hour * 0.04
  assert.deepEqual(pauses, [{ at: hour, size: pause, ms: 8 * hour }])
  assert.equal(total, 2 * hour + pause)
  assert.deepEqual([0, hour / 2, hour, 5 * hour, 9 * hour, 10 * hour].map(place), [0, hour / 2, hour, hour, hour + pause, total])
  assert.deepEqual(
    stretches.map(({ at }) => at),
    [0, hour + pause],
  )
})

test('without anything there is a scale, and a clock that was set back breaks nothing', () => {
  assert.deepEqual([timeScale([]).total, timeScale([]).place(5), ticksOf(timeScale([]), 5, 0)], [1, 0, []])
  assert.equal(timeScale([{ start: 10, end: 5 }]).place(20), 0)
})

test('ticks are round in the clock of the viewer, keep their distance, and a short run after a night has one', () => {
  const minute = 60_000
  const start = 7 * hour + 13 * minute + 34_000
  const scale = timeScale([{ start, end: start + 100 * minute }])
  const minutes = (most: number, zoneMs: number): number[] => ticksOf(scale, most, zoneMs).map(({ ms }) => ms / minute)
  assert.deepEqual(minutes(8, 0), [435, 450, 465, 480, 495, 510, 525])
  assert.deepEqual(minutes(2, 0), [480])
  assert.deepEqual(minutes(2, 345 * minute), [435, 495], 'whole hours in Nepal')
  const withNight = timeScale([
    { start, end: start + 100 * minute },
    { start: start + 12 * hour, end: start + 12 * hour + minute },
  ])
  assert.equal(ticksOf(withNight, 8, 0).at(-1)?.ms, start + 12 * hour)
})
