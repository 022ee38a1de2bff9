/** Removes terminal control sequences: people and files only get the words. */
import type { Report } from '../types.ts'
import { knownJson } from './json.ts'

/** The output of agents and gates may move the cursor, set the window title, ring the bell or change the text direction. Line ends and tabs stay. */
export const plain = (text: string): string => text.replace(sequences, '').replace(controls, '')
/** OSC, DCS and the like with their terminator; CSI; the short ones. */
const sequences = /\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b\[[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]?/g
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/**
 * A fact for the log, with plain words. Strings are copied: a few words cut from an agent's whole answer would otherwise keep that answer in memory
 * for the whole run.
 */
export function asWritten(fact: Report): Report {
  const text = JSON.stringify(fact)
  return knownJson(text, mayHaveControls.test(text) ? cleaned : undefined)
}

/** As JSON writes them. */
const mayHaveControls = /\\u00|\\[bfr]|[\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/

/** Names of files, ids and commands stay unchanged: they must still match what they name. */
const words = new Set([
  ...['title', 'summary', 'message', 'reason', 'text', 'question', 'detail', 'evidence', 'problem', 'output', 'note', 'because'],
  ...['repairs', 'words'],
])

function cleaned(key: string, value: unknown): unknown {
  if (!words.has(key)) return value
  if (typeof value === 'string') return plain(value)
  return Array.isArray(value) ? value.map((item) => (typeof item === 'string' ? plain(item) : item)) : value
}
