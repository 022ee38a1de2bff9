/** Which files of a folder were written between two looks, whatever is in them afterwards. */
import { type BigIntStats, lstatSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { tried } from '../../core/failure.ts'

/** Of those that are there now; links are not followed. The result: relative paths of files that somebody wrote, replaced, moved or deleted since. */
export function watchFiles(folder: string): () => string[] {
  const before = statesIn(folder)
  return () => {
    const moved = new Set<string>()
    const written = [...before].flatMap(([path, was]) => {
      const now = statOf(path)
      // A folder that was moved away and back has another time of change, and the same time of its content.
      if (was.isDirectory() && now?.ino === was.ino && now.ctimeNs !== was.ctimeNs && now.mtimeNs === was.mtimeNs)
        moved.add(`${path}/`)
      return was.isFile() && keyOf(now) !== keyOf(was) ? [path] : []
    })
    const inMoved = [...before.keys()].filter(
      (path) => before.get(path)?.isFile() && [...moved].some((one) => path.startsWith(one)),
    )
    return [...new Set([...written, ...inMoved])].map((path) => relative(folder, path)).sort()
  }
}

/** No program can set the time of a change. */
const keyOf = (stat: BigIntStats | undefined): string =>
  stat === undefined ? '' : `${stat.ino} ${stat.size} ${stat.mode} ${stat.ctimeNs}`

const statOf = (path: string): BigIntStats | undefined => tried(() => lstatSync(path, { bigint: true }), undefined)

function statesIn(folder: string): Map<string, BigIntStats> {
  const found = new Map<string, BigIntStats>()
  const look = (path: string): void => {
    for (const entry of tried(() => readdirSync(path, { withFileTypes: true }), [])) {
      const inside = join(path, entry.name)
      if (entry.name === '.git' || entry.isSymbolicLink()) continue
      const stat = statOf(inside)
      if (stat !== undefined) found.set(inside, stat)
      if (entry.isDirectory()) look(inside)
    }
  }
  look(folder)
  return found
}
