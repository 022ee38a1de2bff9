/** When a provider's limit ends: the time, parsed from its message. */
import { epochMs, instantOf } from '../text/time.ts'
import type { Instant } from '../types.ts'

/** `zone` is the machine's, for messages without a valid one. Undefined: no usable time. */
export function resetTime(text: string, now: Instant, zone: string): Instant | undefined {
  const nowMs = epochMs(now)
  const moment = momentsIn(text.slice(0, longestText), nowMs, zone).find((at) => at > nowMs && at - nowMs <= furthestMs)
  return moment === undefined ? undefined : instantOf(moment)
}

const dayMs = 86_400_000
/** Monthly limits are the longest that providers have: anything later is a misreading. */
const furthestMs = 35 * dayMs
const longestText = 4000

/** What precedes a time: "resets", "try again at", "retry-after: ", "resets_in_seconds": . */
const cue = new RegExp(
  [
    '(?<![a-z])(?:resets?|retry(?:ing)?|try again|available again|wait|renews?)',
    '(?:[\\s:="\'~_-]|(?:at|on|in|after|for|until|about|delay|seconds|ms)(?![a-z]))*',
  ].join(''),
  'gi',
)

function momentsIn(text: string, nowMs: number, zone: string): number[] {
  const epoch = /\|\s*(\d+)\b/.exec(text)?.[1]
  const told = [...text.matchAll(cue)].flatMap(({ 0: before, index }) => {
    const rest = text.slice(index + before.length)
    const waitMs = bareNumber(before, rest) ?? duration(rest)
    return [epochOf(/^\d+/.exec(rest)?.[0]), waitMs === undefined ? calendarTime(rest, nowMs, zone) : nowMs + waitMs]
  })
  return [epochOf(epoch), ...told].filter((at) => at !== undefined)
}

/** Seconds or milliseconds since 1970, distinguished by length. */
function epochOf(digits: string | undefined): number | undefined {
  if (digits?.length === 10) return Number(digits) * 1000
  return digits?.length === 13 ? Number(digits) : undefined
}

/** A bare number is a time only after the header's words: seconds, unless they say milliseconds. */
function bareNumber(before: string, rest: string): number | undefined {
  if (!/^retry[\W_]?after|seconds/i.test(before)) return undefined
  const amount = /^\d+(?:\.\d+)?(?!\d|[:-]| ?[a-z])/i.exec(rest)?.[0]
  return amount === undefined ? undefined : Math.round(Number(amount) * (/ms\W*$/i.test(before) ? 1 : 1000))
}

const unitMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: dayMs, w: 7 * dayMs }
const amountAndUnit = new RegExp(
  [
    '^(\\d+(?:\\.\\d+)?|an?\\b)\\s*',
    '(?:(ms)|(s)(?:ec(?:ond)?s?)?|(m)(?:in(?:ute)?s?)?|(h)(?:(?:ou)?rs?)?|(d)(?:ays?)?|(w)(?:eeks?)?)(?![a-z])',
    '[\\s,]*(?:and\\s+)?',
  ].join(''),
  'i',
)

/** "2 hours 5 minutes", "4h 12m", "1h2m3s", "an hour". */
function duration(rest: string): number | undefined {
  const [whole = '', amount = '', ...units] = amountAndUnit.exec(rest) ?? []
  const unit = unitMs[units.find((name) => name !== undefined)?.toLowerCase() ?? '']
  if (unit === undefined) return undefined
  const ms = Math.round((/^a/i.test(amount) ? 1 : Number(amount)) * unit)
  return ms + (duration(rest.slice(whole.length)) ?? 0)
}

/** The first time from now on at which clock and calendar in the zone match the message. */
function calendarTime(rest: string, nowMs: number, machineZone: string): number | undefined {
  const { date, day, clock, zone } = wordsOfTime(rest)
  const time = clock ? clockMs(clock) : 0
  if (time === undefined || !(date || day || clock)) return undefined
  const offset = offsetsIn([zoneName(zone), machineZone, 'UTC'])
  const today = Math.floor((nowMs + offset(nowMs)) / dayMs) * dayMs
  const days = date ? datesLike(date, today) : day ? daysNamed(day[0], today) : [today, today + dayMs]
  return days.flatMap((midnight) => momentsShowing(midnight + time, offset)).find((at) => at > nowMs)
}

const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const dayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const months = [
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|',
  'sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?',
].join('')
const patterns = {
  // 2026-11-15T…; 15 Nov 2026; Nov 15th, 2026; Nov 15, without the hour that may follow
  date: new RegExp(
    [
      '^(?:(?<isoYear>\\d{4})-(?<isoMonth>\\d\\d)-(?<isoDay>\\d\\d)T?',
      `|(?:(?<dayBefore>\\d{1,2})\\s+)?(?<month>${months})(?![a-z])\\.?`,
      '(?:\\s+(?<dayAfter>\\d{1,2})(?:st|nd|rd|th)?(?![\\d:]|\\s*[ap]\\.?m))?(?:,?\\s+(?<year>\\d{4})(?!\\d))?)',
    ].join(''),
    'i',
  ),
  day: /^(?:today|tomorrow|(?:sun|mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?)(?:day)?)(?![a-z])/i,
  // 11pm; 3:30 PM; 9 p.m.; 21:00; 10:00:00.000
  clock: new RegExp(
    [
      '^(?:(?<word>noon|midnight)(?![a-z])',
      '|(?<hour>\\d{1,2})(?::(?<minute>\\d\\d))?(?::(?<second>\\d\\d)(?:\\.\\d+)?)?(?!\\d)',
      '(?:\\s*(?<half>[ap])\\.?m(?![a-z])\\.?)?)',
    ].join(''),
    'i',
  ),
  // (Europe/Paris); the same without brackets; UTC+2; +02:00; Z; PST, ET, CET
  zone: new RegExp(
    [
      '^(?:\\((?<named>[^()\\n]{1,60})\\)',
      '|(?<bare>[a-z]+(?:\\/[\\w+-]+)+|(?:UTC|GMT)[+-]\\d{1,2}(?::?\\d\\d)?|[+-]\\d\\d:?\\d\\d|UTC|GMT|Z|[A-Z]{1,3}T)(?![\\w/]))',
    ].join(''),
    'i',
  ),
}
type Part = keyof typeof patterns

/** The parts of a time at the start of the text, in any order, each once; they end where other words begin. */
function wordsOfTime(text: string): { [part in Part]?: RegExpExecArray } {
  const found: { [part in Part]?: RegExpExecArray } = {}
  let rest = text
  for (;;) {
    rest = rest.replace(/^(?:[\s,]|(?:at|on)(?![a-z]))+/i, '')
    const next = (Object.keys(patterns) as Part[]).find((part) => !found[part] && patterns[part].test(rest))
    const match = next && patterns[next].exec(rest)
    if (!next || !match) return found
    found[next] = match
    rest = rest.slice(match[0].length)
  }
}

/** Since midnight; undefined for an impossible time, and for a bare number. */
function clockMs({ groups = {} }: RegExpExecArray): number | undefined {
  const { word, hour, minute, second = '0', half } = groups
  if (word) return word.toLowerCase() === 'noon' ? dayMs / 2 : 0
  const isShown = half ? Number(hour) >= 1 && Number(hour) <= 12 : Number(hour) <= 23 && minute !== undefined
  if (!isShown || Number(minute ?? 0) > 59 || Number(second) > 59) return undefined
  const hours = half ? (Number(hour) % 12) + (half.toLowerCase() === 'p' ? 12 : 0) : Number(hour)
  return ((hours * 60 + Number(minute ?? 0)) * 60 + Number(second)) * 1000
}

/** Midnights that a date may mean, as if the zone were UTC: without a year it is this year's or next year's. */
function datesLike({ groups = {} }: RegExpExecArray, today: number): number[] {
  const month = groups['isoMonth']
    ? Number(groups['isoMonth']) - 1
    : monthNames.indexOf((groups['month'] ?? '').slice(0, 3).toLowerCase())
  const day = Number(groups['isoDay'] ?? groups['dayBefore'] ?? groups['dayAfter'] ?? 0)
  const year = groups['isoYear'] ?? groups['year']
  const thisYear = new Date(today).getUTCFullYear()
  return (year === undefined ? [thisYear, thisYear + 1] : [Number(year)])
    .map((candidate) => new Date(Date.UTC(candidate, month, day)))
    .filter((date) => date.getUTCMonth() === month && date.getUTCDate() === day)
    .map((date) => date.getTime())
}

function daysNamed(name: string, today: number): number[] {
  if (/^to/i.test(name)) return [/^tod/i.test(name) ? today : today + dayMs]
  const ahead = (dayNames.indexOf(name.slice(0, 3).toLowerCase()) - new Date(today).getUTCDay() + 7) % 7
  return [today + ahead * dayMs, today + (ahead + 7) * dayMs]
}

function zoneName(zone: RegExpExecArray | undefined): string {
  const name = (zone?.groups?.['named'] ?? zone?.groups?.['bare'] ?? '').trim()
  const [shift, sign, hours = '', minutes = '00'] = /^(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d\d))?$/i.exec(name) ?? []
  if (shift !== undefined) return `${sign}${hours.padStart(2, '0')}:${minutes}`
  if (/^z$/i.test(name)) return 'UTC'
  return places.find(([short]) => short.test(name))?.[1] ?? name
}

/** People confuse the names of summer and winter time: what clocks there show is meant. */
const places: [RegExp, string][] = [
  [/^P[SD]?T$/, 'America/Los_Angeles'],
  [/^M[SD]?T$/, 'America/Denver'],
  [/^C[SD]?T$/, 'America/Chicago'],
  [/^E[SD]?T$/, 'America/New_York'],
  [/^BST$/, 'Europe/London'],
  [/^CES?T$/, 'Europe/Paris'],
  [/^EES?T$/, 'Europe/Athens'],
  [/^IST$/, 'Asia/Kolkata'],
  [/^JST$/, 'Asia/Tokyo'],
  [/^AE[SD]T$/, 'Australia/Sydney'],
]

type Offset = (atMs: number) => number

/** How far clocks are ahead of UTC at a time, in the first valid zone. */
function offsetsIn([zone = 'UTC', ...others]: string[]): Offset {
  const numeric = {
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  } as const
  try {
    if (zone === '') return offsetsIn(others)
    const format = new Intl.DateTimeFormat('en-US', { ...numeric, hourCycle: 'h23', timeZone: zone })
    return (atMs) => {
      const shown = Object.fromEntries(format.formatToParts(atMs).map(({ type, value }) => [type, Number(value)]))
      const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown
      return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(atMs / 1000) * 1000
    }
  } catch {
    return offsetsIn(others)
  }
}

/**
 * The times at which clocks show this: two in the hour that autumn repeats. In the hour that spring skips there is none: then count from
 * midnight as on any other day.
 */
function momentsShowing(wallMs: number, offset: Offset): number[] {
  const [earlier, later] = [wallMs - offset(wallMs - dayMs), wallMs - offset(wallMs + dayMs)]
  const shown = [...new Set([earlier, later])].filter((at) => at + offset(at) === wallMs)
  return shown.length > 0 ? shown : [earlier]
}
