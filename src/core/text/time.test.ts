import assert from 'node:assert/strict'
import { test } from 'node:test'
import { epochMs, instantOf, later, msBetween, parseDuration, sayDuration } from './time.ts'

test('instants and epochs are two writings of the same moment', () => {
  assert.equal(instantOf(0), '1970-01-01T00:00:00.000Z')
  assert.equal(epochMs('1970-01-01T00:00:01.500Z'), 1500)
  assert.equal(later('2026-01-05T23:59:59.999Z', 1), '2026-01-06T00:00:00.000Z')
  assert.equal(msBetween('2026-01-05T08:00:00.000Z', '2026-01-05T08:01:00.000Z'), 60_000)
})

test('durations are read with units, or as minutes without', () => {
  const texts = ['90s', '15m', '1h', '1h30m', '250ms', '15', '1.5', ' 2d ', '', '5 minutes', '-3', 'm', '1h 30m']
  assert.deepEqual(texts.map(parseDuration), [
    90_000,
    900_000,
    3_600_000,
    5_400_000,
    250,
    900_000,
    90_000,
    172_800_000,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})

test('durations are said as people say them', () => {
  assert.deepEqual([0, 1234, 10_000, 59_400, 60_000, 2_843_000, 7_260_000].map(sayDuration), [
    '0.0s',
    '1.2s',
    '10s',
    '59s',
    '1m 0s',
    '47m 23s',
    '2h 1m',
  ])
})

test('a clock that was put back gives no negative duration', () =>
  assert.deepEqual([-1, -86_399_800].map(sayDuration), ['0.0s', '0.0s']))
