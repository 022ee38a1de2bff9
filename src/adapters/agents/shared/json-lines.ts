/** What readers of agents that print JSON lines share: events out of lines, and values out of events. */
import { isRecord, type Json, jsonIn } from '../../../core/text/json.ts'

/** The events on one line: one, or an array of them. Undefined for a line that is something else, even if it happens to parse. */
export function eventsIn(line: string): Json[] | undefined {
  if (!/^\s*[{[]/.test(line)) return undefined
  const events: unknown[] = [jsonIn(line)].flat()
  return events.every(isEvent) ? events : undefined
}

/** A value in a sentence, whatever it is: an object may have a `toString` of its own, which is no function. */
export const sayValue = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'unknown'))
/** Of a tool's output: people read the beginning. */
export const longestOutput = 2048
export const cut = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length - 1)}…` : text)
/** A command or pattern on one line, as much of it as a screen shows. */
export const oneLine = (text: string): string => cut(text.replaceAll(/\s+/g, ' ').trim(), 120)

const isEvent = (value: unknown): value is Json => isRecord(value) && typeof value['type'] === 'string'
