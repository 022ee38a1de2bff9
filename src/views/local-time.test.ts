import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inLocalTime, sayLocal, zoneAt } from './local-time.ts'

const now = '2026-11-18T06:46:00.000Z'

test('a time is local and has its age; the date is there only for another day', (t) => {
  const zone = process.env['TZ']
  t.after(() => {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  })
  process.env['TZ'] = 'Europe/Vienna'
  const times = ['06:45:50', '06:34:00', '05:10:00', '00:46:00'].map((time) => `2026-11-18T${time}.000Z`)
  assert.deepEqual(
    times.map((at) => sayLocal(at, now)),
    ['07:45, just now', '07:34, 12 min ago', '06:10, 2 h ago', '01:46, 6 h ago'],
  )
  assert.deepEqual(
    ['2026-11-17T22:59:00.000Z', '2026-11-14T06:46:00.000Z'].map((at) => sayLocal(at, now)),
    ['2026-11-17 23:59, 8 h ago', '2026-11-14 07:46, 4 days ago'],
  )
  process.env['TZ'] = 'America/New_York'
  assert.equal(sayLocal('2026-11-18T06:34:00.000Z', now), '01:34, 12 min ago')
  const zones = ['America/New_York', 'Asia/Kathmandu', 'UTC'].map((name) => {
    process.env['TZ'] = name
    return zoneAt(now)
  })
  assert.deepEqual(zones, ['UTC-05:00', 'UTC+05:45', 'UTC'])
})

test('a time that lies ahead says so: a wait, or a clock that was put back', () =>
  assert.match(sayLocal('2026-11-18T06:51:00.000Z', now), /^\d\d:51, in 5 min$/))

test('instants in the words of a decision are local for people; ids, paths and other words stay', (t) => {
  const zone = process.env['TZ']
  t.after(() => {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  })
  process.env['TZ'] = 'America/New_York'
  assert.equal(
    inLocalTime("the provider's usage limit: try later (until 2026-11-18T12:00:00.000Z), see run 20261118-064600-7d70", now),
    "the provider's usage limit: try later (until 07:00), see run 20261118-064600-7d70",
  )
  assert.equal(inLocalTime('waits until 2026-11-19T12:00:00Z', now), 'waits until 2026-11-19 07:00')
  assert.equal(inLocalTime('logs/2026-11-18T12:00:00.000Z.log', now), 'logs/2026-11-18T12:00:00.000Z.log')
})
