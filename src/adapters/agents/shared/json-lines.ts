/** Shared by readers of agents that print JSON lines: gets events from lines, and values from events. */
import { isRecord, type Json, jsonIn } from '../../../core/text/json.ts'

/** The events on one line: one, or an array of them. Undefined for any other line, even if it happens to parse. */
export function eventsIn(line: string): Json[] | undefined {
  if (!/^\s*[{[]/.test(line)) return undefined
  const events: unknown[] = [jsonIn(line)].flat()
  return events.every(isEvent) ? events : undefined
}

/** Any value as text: an object may have its own `toString` that is not a function. */
export const sayValue = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'unknown'))
/** Of a tool's output, people read the beginning. */
export const longestOutput = 2048
export const cut = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length - 1)}…` : text)
/** A command or pattern on one line, as long as a screen can show. */
export const oneLine = (text: string): string => cut(text.replaceAll(/\s+/g, ' ').trim(), 120)

const isEvent = (value: unknown): value is Json => isRecord(value) && typeof value['type'] === 'string'
