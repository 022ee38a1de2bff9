import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { epochMs, instantOf } from '../text/time.ts'
import type { Instant } from '../types.ts'
import { resetTime } from './reset-time.ts'

/** A Friday, two in the afternoon in Paris, which is the machine's zone here. */
const now = '2026-07-10T12:00:00.000Z'
const paris = 'Europe/Paris'
/** Each text with what it must give, at one moment and on one machine. */
function gives(texts: Record<string, Instant | undefined>, at: Instant = now, zone = paris): void {
  const read = Object.keys(texts).map((text) => [text, resetTime(text, at, zone)])
  assert.deepEqual(Object.fromEntries(read), texts)
}

describe('times that providers tell [R-LIM-4]', () => {
  test('a clock time with its zone is the next time that clocks there show it (T18)', () => {
    gives({
      "You've hit your session limit · resets 11pm (Europe/Paris)": '2026-07-10T21:00:00.000Z',
      "You've hit your 5-hour limit · resets 2:13pm (UTC)": '2026-07-10T14:13:00.000Z',
      'resets 3:20am (Asia/Calcutta)': '2026-07-10T21:50:00.000Z',
      'Your limit will reset at 3pm (America/New_York).': '2026-07-10T19:00:00.000Z',
      "You've hit your session limit · resets 5:40pm (Europe/Berlin)\n/login to switch to another account.":
        '2026-07-10T15:40:00.000Z',
    })
  })

  test('a clock time without a zone, or with one that does not exist, is the machine’s (M05)', () => {
    gives({
      "You're out of extra usage · resets 9pm": '2026-07-10T19:00:00.000Z',
      'resets 9pm (Nowhere/Land)': '2026-07-10T19:00:00.000Z',
      'resets 9pm (your time)': '2026-07-10T19:00:00.000Z',
      'or try again at 3:30 PM.': '2026-07-10T13:30:00.000Z',
      'resets at 9 p.m.': '2026-07-10T19:00:00.000Z',
      'resets 21:00': '2026-07-10T19:00:00.000Z',
    })
    gives({ 'resets 9pm': '2026-07-11T01:00:00.000Z' }, now, 'America/New_York')
    gives({ 'resets 9pm': '2026-07-10T21:00:00.000Z' }, now, 'No/Such/Zone')
  })

  test('a zone by its letters is the clock of that place, in summer as in winter', () => {
    gives({
      'resets 9pm PST': '2026-07-11T04:00:00.000Z',
      'resets 9 PM PT': '2026-07-11T04:00:00.000Z',
      'resets 4:30 PM EST': '2026-07-10T20:30:00.000Z',
      'resets 9pm CET': '2026-07-10T19:00:00.000Z',
      'resets 9pm (AEST)': '2026-07-11T11:00:00.000Z',
      'resets 9pm but not before': '2026-07-10T19:00:00.000Z',
    })
    gives({ 'resets 4:30 PM EDT': '2026-01-10T21:30:00.000Z' }, '2026-01-10T12:00:00.000Z')
  })

  test('a clock time that has passed today, or is right now, is tomorrow’s', () => {
    gives({
      'resets 9:58am': '2026-07-11T07:58:00.000Z',
      'resets 2pm': '2026-07-11T12:00:00.000Z',
      'resets 2:01pm': '2026-07-10T12:01:00.000Z',
      'resets 00:30': '2026-07-10T22:30:00.000Z',
    })
  })

  test('twelve is midnight before noon and noon after it', () => {
    gives({
      'resets 12am': '2026-07-10T22:00:00.000Z',
      'resets 12:05 AM': '2026-07-10T22:05:00.000Z',
      'resets 12pm': '2026-07-11T10:00:00.000Z',
      'resets at midnight': '2026-07-10T22:00:00.000Z',
      'resets at noon UTC': '2026-07-11T12:00:00.000Z',
    })
  })

  test('a date is read in the usual writings, at midnight where no time is told', () => {
    gives({
      'resets Jul 15 at 12am (Australia/Melbourne)': '2026-07-14T14:00:00.000Z',
      'Weekly limit reached ∙ resets Jul 12, 5pm': '2026-07-12T15:00:00.000Z',
      'try again at Jul 29th, 2026 12:55 AM.': '2026-07-28T22:55:00.000Z',
      'resets 12am on July 15 (UTC)': '2026-07-15T00:00:00.000Z',
      'resets on Aug 1': '2026-07-31T22:00:00.000Z',
      'Retry-After: Sat, 11 Jul 2026 07:28:00 GMT': '2026-07-11T07:28:00.000Z',
      'resets at 2026-07-15T10:00:00Z': '2026-07-15T10:00:00.000Z',
      'resets at 2026-07-15T10:00:00.123+02:00': '2026-07-15T08:00:00.000Z',
      'resets 2026-07-15 10:00': '2026-07-15T08:00:00.000Z',
      '{"resets_at":"2026-07-15T10:00:00Z"}': '2026-07-15T10:00:00.000Z',
    })
    gives({ 'resets at 2026-11-15T10:00:00Z': '2026-11-15T10:00:00.000Z' }, '2026-11-12T00:00:00.000Z')
  })

  test('a date that has passed is next year’s only if that is near', () => {
    gives({ 'resets Jan 2 at 9am': '2027-01-02T08:00:00.000Z', 'resets Dec 29 at 9am': undefined }, '2026-12-30T12:00:00.000Z')
    // In Melbourne the new year has begun.
    gives({ 'resets Jan 1 at 9am (Australia/Melbourne)': '2026-12-31T22:00:00.000Z' }, '2026-12-31T15:00:00.000Z')
    gives({ 'resets Feb 29 at 9am (UTC)': '2028-02-29T09:00:00.000Z' }, '2028-02-20T00:00:00.000Z')
  })

  test('a weekday is the next one, today’s if its time is still to come', () => {
    gives({
      'resets Monday 9am': '2026-07-13T07:00:00.000Z',
      'resets on Tues at 09:00 (UTC)': '2026-07-14T09:00:00.000Z',
      'resets 9pm on Thursday': '2026-07-16T19:00:00.000Z',
      'resets Friday 9pm': '2026-07-10T19:00:00.000Z',
      'resets Friday 9am': '2026-07-17T07:00:00.000Z',
      'resets Sunday': '2026-07-11T22:00:00.000Z',
      'resets tomorrow at 9am': '2026-07-11T07:00:00.000Z',
      'resets today at 9pm': '2026-07-10T19:00:00.000Z',
      'resets today at 9am': undefined,
    })
  })

  test('a duration counts from now', () => {
    gives({
      'try again in 2 hours 5 minutes': '2026-07-10T14:05:00.000Z',
      'Please try again in 1 day, 1 hour and 1 second.': '2026-07-11T13:00:01.000Z',
      'try again in 45s': '2026-07-10T12:00:45.000Z',
      'try again in 3 days': '2026-07-13T12:00:00.000Z',
      'resets in 4h 12m': '2026-07-10T16:12:00.000Z',
      'resets in 4hr 29min': '2026-07-10T16:29:00.000Z',
      'Your quota will reset after 2h5m10s.': '2026-07-10T14:05:10.000Z',
      'try again in about an hour': '2026-07-10T13:00:00.000Z',
      'Please retry in 17.5s.': '2026-07-10T12:00:17.500Z',
      'try again in 250ms': '2026-07-10T12:00:00.250Z',
      '"retryDelay": "30s"': '2026-07-10T12:00:30.000Z',
    })
  })

  test('a provider’s retry-after is in seconds where it names no unit [R-CB-4] (T20)', () => {
    gives({
      'API Error: 429 too many requests, retry after 2s': '2026-07-10T12:00:02.000Z',
      'API Error: 529 Overloaded (retry-after: 17)': '2026-07-10T12:00:17.000Z',
      'API Error: 429 {"retry_after":"17"}': '2026-07-10T12:00:17.000Z',
      'retry-after-ms: 1500': '2026-07-10T12:00:01.500Z',
      '{"resets_in_seconds":3600}': '2026-07-10T13:00:00.000Z',
    })
  })

  test('an epoch is read in seconds and in milliseconds (M06)', () => {
    gives({
      'Claude AI usage limit reached|1783700000': '2026-07-10T16:13:20.000Z',
      'Claude AI usage limit reached|1783700000000': '2026-07-10T16:13:20.000Z',
      '{"resetsAt":1783700000}': '2026-07-10T16:13:20.000Z',
    })
  })

  test('the first time that one could wait for counts', () => {
    gives({
      'Upgrade to Pro (https://example.com/pro), wait a bit, or try again at 3:30 PM.': '2026-07-10T13:30:00.000Z',
      'Reset 2026-07-09T10:00:00Z; retry after 5 minutes': '2026-07-10T12:05:00.000Z',
    })
  })
})

describe('what is no time [R-LIM-4]', () => {
  test('words without a time, and times without words for a reset', () => {
    const texts = [
      '',
      'usage limit reached',
      'Server is temporarily limiting requests (not your usage limit)',
      'This is usually temporary — try again in a moment.',
      'try again later',
      'resets monthly',
      'resets soon, maybe at 5',
      'The meeting is at 9pm.',
      'in 45s',
      'presets 9pm',
      'retry after 3 attempts',
      'parser.ts:429',
      '@upstash/ratelimit',
    ]
    assert.deepEqual(
      texts.filter((text) => resetTime(text, now, paris) !== undefined),
      [],
    )
  })

  test('what no clock and no calendar shows', () => {
    const texts = [
      '9',
      '0am',
      '13pm',
      '24:00',
      '9:60',
      '9:5',
      '25:00',
      'Feb 30',
      'Jul',
      'Jul 32 at 9am',
      '2026-13-01',
      '2026-02-30',
    ]
    assert.deepEqual(
      texts.filter((text) => resetTime(`resets ${text}`, now, paris) !== undefined),
      [],
    )
  })

  test('the past, and what is too far to wait for', () => {
    const texts = [
      'usage limit reached|1700000000',
      'usage limit reached|1893456000',
      'resets at 2026-07-10T12:00:00Z',
      'resets at 2026-08-15T00:00:00Z',
      'resets Jul 9 at 9am',
      'resets Sep 1',
      'try again in 36 days',
      `try again in ${'9'.repeat(400)} hours`,
      'retry after 0s',
      'retry-after: 0',
      'retry-after: 0.0001',
    ]
    assert.deepEqual(
      texts.filter((text) => resetTime(text, now, paris) !== undefined),
      [],
    )
  })

  test('no text makes it throw, or gives a moment that is not ahead', () => {
    const bits = [
      'resets ',
      'retry after ',
      'try again in ',
      'at ',
      '|',
      '9',
      '12',
      ':30',
      'pm',
      ' (',
      'UTC',
      '+99:99',
      ')',
      'Jul ',
      '2026-',
      'h ',
      ' a',
    ]
    const text = fc.oneof(
      fc.string(),
      fc.array(fc.oneof(fc.constantFrom(...bits), fc.string({ maxLength: 3 }))).map((all) => all.join('')),
    )
    fc.assert(
      fc.property(text, (words) => {
        const at = resetTime(words, now, paris)
        assert.ok(at === undefined || (at > now && at <= '2026-08-14T12:00:00.000Z'), at)
      }),
    )
  })
})

describe('days on which clocks change', () => {
  test('in the hour that spring skips it is as long after midnight as on other days', () => {
    gives(
      {
        'resets 1:30am': '2026-03-29T00:30:00.000Z',
        'resets 2:30am': '2026-03-29T01:30:00.000Z',
        'resets 3:30am': '2026-03-29T01:30:00.000Z',
      },
      '2026-03-28T20:00:00.000Z',
    )
    gives({ 'resets 7pm': '2026-03-29T17:00:00.000Z' }, '2026-03-28T18:30:00.000Z')
  })

  test('in the hour that autumn repeats it is the first, and the second once the first has passed', () => {
    const text = 'resets 2:30am'
    gives({ [text]: '2026-10-25T00:30:00.000Z' }, '2026-10-24T20:00:00.000Z')
    gives({ [text]: '2026-10-25T01:30:00.000Z' }, '2026-10-25T00:45:00.000Z')
    gives({ [text]: '2026-10-26T01:30:00.000Z' }, '2026-10-25T01:45:00.000Z')
    gives({ 'resets 7pm': '2026-10-25T18:00:00.000Z' }, '2026-10-24T17:30:00.000Z')
  })

  const zones = [
    'UTC',
    paris,
    'America/New_York',
    'Australia/Lord_Howe',
    'Asia/Kolkata',
    'Pacific/Kiritimati',
    'America/St_Johns',
  ]
  const hour = 3_600_000
  /** Minutes since midnight on a clock there. */
  const shownAt = (at: number, zone: string): number => {
    const [hours, minutes] = new Date(at).toLocaleTimeString('en-GB', { timeZone: zone }).split(':').map(Number)
    return hours! * 60 + minutes!
  }

  test('at any moment and in any zone, the clocks there show the time that was told, within the day', () => {
    const moment = fc.integer({ min: Date.UTC(2025, 0), max: Date.UTC(2032, 0) })
    const time = fc.tuple(
      fc.integer({ min: 1, max: 12 }),
      fc.option(fc.integer({ min: 0, max: 59 })),
      fc.constantFrom('am', 'pm'),
    )
    fc.assert(
      fc.property(
        moment,
        time,
        fc.constantFrom(...zones),
        fc.constantFrom(...zones),
        (at, [hours, minutes, half], zone, machine) => {
          const words = `resets ${hours}${minutes === null ? '' : `:${String(minutes).padStart(2, '0')}`}${half} (${zone})`
          const result = epochMs(resetTime(words, instantOf(at), machine)!)
          const told = ((hours % 12) + (half === 'pm' ? 12 : 0)) * 60 + (minutes ?? 0)
          // A clock that skipped the time told is ahead of it by what it skipped.
          const skipped = (shownAt(result, zone) - shownAt(result - 2 * hour, zone) - 120 + 1440) % 1440
          assert.ok([told, told + skipped].includes(shownAt(result, zone)), `${words} at ${instantOf(at)}: ${instantOf(result)}`)
          assert.ok(result > at && result <= at + 25 * hour, `${words} at ${instantOf(at)}: ${instantOf(result)}`)
        },
      ),
      { numRuns: 300 },
    )
  })
})
