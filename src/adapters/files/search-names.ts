/** Names in folders that a rule wants: a folder is read again only after somebody added, removed or renamed something in it. */
import { readdirSync, statSync } from 'node:fs'
import { tried } from '../../core/failure.ts'

/** None, where the folder is not there or cannot be read. */
export function searchNames(isWanted: (name: string) => boolean): (folder: string) => string[] {
  const known = new Map<string, { state: string; names: string[] }>()
  return (folder) => {
    const state = stateOf(folder) // before the names: what comes meanwhile is found next time
    const before = known.get(folder)
    if (before?.state === state) return before.names
    const names = tried(() => readdirSync(folder), []).filter(isWanted)
    known.set(folder, { state, names })
    return names
  }
}

/** No program can set the time of a change. */
function stateOf(folder: string): string {
  const stat = tried(() => statSync(folder, { bigint: true }), null)
  return stat === null ? '' : `${stat.dev} ${stat.ino} ${stat.mode} ${stat.ctimeNs}`
}
