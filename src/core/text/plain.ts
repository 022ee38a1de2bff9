/** Words without what a terminal would obey: people and files get the words alone. */
import type { Report } from '../types.ts'
import { knownJson } from './json.ts'

/** What agents and gates print may move the cursor, name the window, ring the bell or turn the direction of writing. Line ends and tabs stay. */
export const plain = (text: string): string => text.replace(sequences, '').replace(controls, '')
/** OSC, DCS and their like with their end; CSI; the short ones. */
const sequences = /\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b\[[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]?/g
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/**
 * A fact as the log has it, with plain words in it. What the state keeps of it is that and no more: a few words that were cut from an
 * agent's whole answer would keep that answer for as long as the run lasts.
 */
export function asWritten(fact: Report): Report {
  const text = JSON.stringify(fact)
  return knownJson(text, mayHaveControls.test(text) ? cleaned : undefined)
}

/** As JSON writes them. */
const mayHaveControls = /\\u00|\\[bfr]|[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/

/** Names of files, ids and commands stay as they are: they must still fit what they name. */
const words = new Set([
  ...['title', 'summary', 'message', 'reason', 'text', 'question', 'detail', 'evidence', 'problem', 'output', 'note', 'because'],
  ...['repairs', 'weakened'],
])

function cleaned(key: string, value: unknown): unknown {
  if (!words.has(key)) return value
  if (typeof value === 'string') return plain(value)
  return Array.isArray(value) ? value.map((item) => (typeof item === 'string' ? plain(item) : item)) : value
}
