/** What a tool call is about, read from its arguments under the names that different agents use. */
import type { Entry } from '../../../core/reading/transcript.ts'
import { isRecord, recordsIn, textOf } from '../../../core/text/json.ts'
import { cut, oneLine } from './json-lines.ts'

export const toolEntry = (name: string, input: unknown, isSub = false): Entry => ({
  kind: 'tool',
  name,
  target: targetOf(input),
  isSub,
  ...editOf(input),
  ...commandOf(input),
})

/** The file, command or pattern, on one line for people. */
export function targetOf(input: unknown): string {
  if (!isRecord(input)) return ''
  const key = targetKeys.find((name) => typeof input[name] === 'string')
  return key === undefined ? '' : oneLine(textOf(input[key]))
}

/** The text that an edit removes and adds, in the formats of the editing tools. */
export function editOf(input: unknown): { edit?: { path: string; from?: string; to: string } } {
  if (!isRecord(input)) return {}
  const edits = recordsIn(input['edits'])
  const args = edits.length === 1 ? { ...input, ...edits[0] } : input
  const textIn = (keys: string[]) => keys.map((key) => args[key]).find((value) => typeof value === 'string')
  const [path, from, to] = [textIn(pathKeys), textIn(oldKeys), textIn(newKeys)]
  if (!path || to === undefined) return {}
  return { edit: { path, to, ...(from === undefined ? {} : { from }) } }
}

/** A shell command that may concern commits and their hooks, in full, because options may follow long messages. */
export function commandOf(input: unknown): { command?: string } {
  const command = isRecord(input) ? cut(textOf(input['command']), longestCommand) : ''
  return aboutCommits.test(command) ? { command } : {}
}

const longestCommand = 8000
const aboutCommits = /git\b.*\bcommit|core\.hooksPath|--no-verify/is
const pathKeys = ['file_path', 'filePath', 'path']
const oldKeys = ['old_string', 'oldString', 'old_str', 'oldText', 'old_text']
const newKeys = ['content', 'file_text', 'new_string', 'newString', 'new_str', 'newText', 'new_text']
const targetKeys = [...pathKeys, 'notebook_path', 'command', 'pattern', 'url', 'query', 'description']
