/** Which files an agent writes to, according to its tool calls. */
import type { Entry } from '../reading/transcript.ts'

/** What was seen of its writes. Commands are cut, and the newest are kept. */
export type Writes = { paths: string[]; commands: string[] }

export const noWrites = (): Writes => ({ paths: [], commands: [] })

/** Changes `writes`, because a call has thousands of entries. */
export function noteWrite(writes: Writes, entry: Entry): void {
  if (entry.kind !== 'tool') return
  if (editingTool.test(entry.name)) push(writes.paths, entry.edit?.path ?? entry.target)
  else if (mayWrite.test(entry.command ?? entry.target)) push(writes.commands, entry.command ?? entry.target)
}

/** `path`: from the top of the work tree. A command counts if it may write and has the name of the file. */
export function isWritten({ paths, commands }: Writes, path: string): boolean {
  const name = path.split('/').at(-1) ?? path
  const hasName = (command: string): boolean => command.split(/[\s"'`;|&<>()=,]+/).some((word) => word.split('/').at(-1) === name)
  return paths.some((each) => each === path || each.endsWith(`/${path}`) || path.endsWith(`/${each}`)) || commands.some(hasName)
}

const mostKept = 2000

function push(list: string[], text: string): void {
  if (text === '' || list.at(-1) === text) return
  list.push(text)
  if (list.length > mostKept) list.shift()
}

const editingTool = /edit|write|create|patch|replace|file_?change/i
/** Redirections, and programs that change the files they are given. */
const mayWrite =
  />|\b(?:tee|sed|perl|awk|mv|cp|ln|rm|dd|truncate|install|patch|chmod|python\d?|node|ruby|prettier|eslint|biome|black|ruff|gofmt|rustfmt)\b|\bgit\s.*\b(?:apply|checkout|restore|reset|stash|rm|mv)\b/
