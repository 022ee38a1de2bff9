/** Times as people read them: local, with an age. Logs and JSON keep UTC. */
import { epochMs } from '../core/text/time.ts'
import type { Instant } from '../core/types.ts'

/** `07:46, 12 min ago`; on another day `2026-11-16 07:46, 2 days ago`. */
export const sayLocal = (at: Instant, now: Instant): string => `${localTime(at, now)}, ${ageWords(epochMs(now) - epochMs(at))}`

/** Without the age; the date only where it is another day. */
export function localTime(at: Instant, now: Instant): string {
  const [date, time] = localDateTime(at)
  return date === localDateTime(now)[0] ? time : `${date} ${time}`
}

/** Instants in the words of a decision, which the log keeps in UTC. */
export const inLocalTime = (words: string, now: Instant): string =>
  words.replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z(?![\w:.-])/g, (at) => localTime(at, now))

/** The zone of these times, for files that are read elsewhere: `UTC+02:00`. Asked for its name, Node loads 5 MB of languages at the end of each run. */
export function zoneAt(at: Instant): string {
  const minutes = -new Date(at).getTimezoneOffset()
  if (minutes === 0) return 'UTC'
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  return `UTC${minutes < 0 ? '-' : '+'}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`
}

export function localDateTime(at: Instant): [date: string, time: string] {
  const when = new Date(at)
  const two = (value: number): string => String(value).padStart(2, '0')
  const date = `${when.getFullYear()}-${two(when.getMonth() + 1)}-${two(when.getDate())}`
  return [date, `${two(when.getHours())}:${two(when.getMinutes())}`]
}

/** `in 5 min` where it lies ahead. */
export function ageWords(ms: number): string {
  const words = sizeWords(Math.abs(ms))
  return words === '' ? 'just now' : ms < 0 ? `in ${words}` : `${words} ago`
}

function sizeWords(ms: number): string {
  const minutes = Math.round(ms / 60_000)
  if (minutes === 0) return ''
  if (minutes < 60) return `${minutes} min`
  const hours = Math.round(ms / 3_600_000)
  if (hours < 48) return `${hours} h`
  return `${Math.round(ms / 86_400_000)} days`
}
