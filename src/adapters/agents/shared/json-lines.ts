/** Shared by readers of agents that print JSON lines: gets events from lines, and values from events. */
import type { Entry } from '../../../core/reading/transcript.ts'
import { isRecord, type Json, jsonIn } from '../../../core/text/json.ts'
import type { Reader } from '../../../ports.ts'
import { entryOfPlainLine } from './provider-errors.ts'

/** Reads the agent's events, and every other line as plain text. */
export const jsonLinesReader =
  (entriesOf: (event: Json) => Entry[], plainEntries = (line: string): Entry[] => [plainEntry(line)]): Reader =>
  (line, stream) => {
    if (line.trim() === '') return []
    const events = stream === 'out' ? eventsIn(line) : undefined
    return events === undefined ? plainEntries(line) : events.flatMap((event) => entriesOf(event))
  }

/** `withoutLogin`: the words of a program without a login, which prints no events at all. */
export function plainEntry(line: string, withoutLogin?: RegExp): Entry {
  const text = line.trim()
  if (withoutLogin?.test(text)) return { kind: 'throttled', by: 'login', message: text, isHearsay: true }
  return entryOfPlainLine(line) ?? noise(line)
}

export const noise = (text: string): Entry => ({ kind: 'noise', text: cut(text, longestOutput) })
export const toolResult = (failed: boolean, text: string): Entry => ({
  kind: 'tool-result',
  failed,
  text: cut(text, longestOutput),
})

/** The events on one line: one, or an array of them. Undefined for any other line, even if it happens to parse. */
function eventsIn(line: string): Json[] | undefined {
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
