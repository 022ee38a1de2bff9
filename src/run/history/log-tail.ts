/** The end of an iteration's log, in readable lines, with the tool and the file that the agent used last. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { readTail } from '../../adapters/files/tail.ts'
import { iterationLogName } from '../../adapters/project/layout.ts'
import type { Entry } from '../../core/reading/transcript.ts'
import { jsonIn } from '../../core/text/json.ts'
import { logReader } from '../../views/log-lines.ts'
import type { ScreenLine } from '../../views/screen/line.ts'
import type { Project } from '../project.ts'
import { logsFolderOf } from './archived.ts'

/** Empty: none yet. */
export type LogTail = { tool: string; file: string; log: ScreenLine[] }

const tailLines = 400

export function logTail(project: Pick<Project, 'root' | 'dir'>, iteration: number, reader: (line: string) => Entry[]): LogTail {
  if (iteration === 0) return { tool: '', file: '', log: [] }
  const path = join(logsFolderOf(project), iterationLogName(iteration))
  const text = readTail(path, tailLines)
  const lines = text.split('\n')
  // In a long log, the first line may be cut, and the last may be incomplete. Readers cannot parse these.
  const isCut = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > Buffer.byteLength(text) + 1
  if (isCut && lines.length > 1) lines.shift()
  if (isHalf(lines.at(-1) ?? '')) lines.pop()
  let tool = ''
  let file = ''
  const read = logReader((line) => {
    const entries = reader(line)
    for (const entry of entries) {
      if (entry.kind !== 'tool') continue
      tool = `${entry.name} ${entry.target}`
      file = fileIn(entry) || file
    }
    return entries
  })
  const log = lines.flatMap(read)
  return { tool, file, log }
}

/** The file that a tool call is about; empty: none. */
function fileIn({ name, target, edit }: Extract<Entry, { kind: 'tool' }>): string {
  const isPath =
    /^[^\s*?{}$|<>]*[./][^\s*?{}$|<>]*$/.test(target) && !/^\w+:\/\//.test(target) && !/bash|shell|exec|command|grep/i.test(name)
  return edit?.path ?? (isPath ? target : '')
}

const isHalf = (line: string): boolean => line.startsWith('{') && jsonIn(line) === undefined
