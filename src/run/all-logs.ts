/** The event logs of a project: of its features, and of those in the archive. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

export function allLogs(root: string): string[] {
  const ralph = join(root, '.ralph')
  const folders = [ralph, join(ralph, 'archive')].flatMap((folder) =>
    existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name, 'events.jsonl')) : [],
  )
  return folders.filter((path) => existsSync(path)).sort()
}
