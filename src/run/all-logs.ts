/** The histories of a project: of its features, and of those in the archive. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readLog } from '../adapters/store.ts'
import { type Ledger, ledgerOf } from '../views/ledger.ts'

/** Of all logs but one; what is wrong with a log, its own commands say. */
export const ledgersBeside = (root: string, except = ''): Ledger[] =>
  allLogs(root).flatMap((path) => {
    if (path === except) return []
    try {
      return [ledgerOf(readLog(path).events)]
    } catch {
      return []
    }
  })

function allLogs(root: string): string[] {
  const ralph = join(root, '.ralph')
  const folders = [ralph, join(ralph, 'archive')].flatMap((folder) =>
    existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name, 'events.jsonl')) : [],
  )
  return folders.filter((path) => existsSync(path)).sort()
}
