/** What tests of agents' readers share: recordings of the real programs, and the entries that come of them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Entry } from '../../src/core/reading/transcript.ts'
import type { Agent } from '../../src/ports.ts'

export const options = { allowedTools: '', skipPermissions: false, root: '/project' }

/** What the recorded agents ran to commit. */
export const commits = 'echo one > a.txt && git add -A && git commit -qm "feat: S-1 - first" && git log --oneline | wc -l'

export const said = (text: string): Entry => ({ kind: 'said', text, isSub: false })
export const tool = (name: string, target: string): Entry => ({ kind: 'tool', name, target, isSub: false })
export const end = (text: string): Entry => ({ kind: 'end', isError: false, text })

/** The lines of a recording. */
export const linesOf = (agent: string, name: string): string[] =>
  readFileSync(join(import.meta.dirname, '..', '..', 'recordings', agent, `${name}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n')

/** What a reader gives for lines on standard output: text as it is, anything else as JSON. */
export const readBy =
  (open: Agent['reader']) =>
  (...lines: unknown[]): Entry[] => {
    const reader = open()
    return lines.flatMap((line) => reader(typeof line === 'string' ? line : JSON.stringify(line), 'out'))
  }
