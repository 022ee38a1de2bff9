/** Names in folders that a rule wants: a folder is read again only after somebody added, removed or renamed something in it. */
import { lstatSync, readdirSync, statSync } from 'node:fs'
import { tried } from '../../core/failure.ts'

/** None, where the folder is not there or cannot be read. */
export function searchNames(isWanted: (name: string) => boolean): (folder: string) => string[] {
  const known = new Map<string, { state: string | undefined; names: string[] }>()
  return (folder) => {
    const state = stateOf(folder) // before the names: what comes meanwhile is found next time
    const before = known.get(folder)
    if (state !== undefined && before?.state === state) return before.names
    const names = state === '' ? [] : tried(() => readdirSync(folder), []).filter(isWanted)
    known.set(folder, { state, names })
    return names
  }
}

/** No program can set the time of a change. A time that is not over yet says nothing: another change would have the same. */
function stateOf(folder: string): string | undefined {
  const stat = tried(() => statSync(folder, { bigint: true, throwIfNoEntry: false }), undefined) // to throw for each that is missing would be slow
  if (stat === undefined) return ''
  return Date.now() - Number(stat.ctimeMs) < tickMs ? undefined : `${stat.dev} ${stat.ino} ${stat.mode} ${stat.ctimeNs}`
}

/** Linux changes these times at most every 10 ms. */
const tickMs = 20

/** Most folders of settings are not there: one look is enough for all files that could be in one. */
export function lookForFolders(): (folder: string) => boolean {
  const seen = new Map<string, boolean>()
  return (folder) => {
    const known = seen.get(folder)
    if (known !== undefined) return known
    const isThere = lstatSync(folder, { throwIfNoEntry: false }) !== undefined
    seen.set(folder, isThere)
    return isThere
  }
}
