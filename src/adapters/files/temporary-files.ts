/** A folder for temporary files that gates alone write to. Tools keep caches there: what somebody else changed in them would run instead of the code. */
import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { tried } from '../../core/failure.ts'

/** Short: sockets are made there, and their paths must be. `project`: any path that only this one has. */
export const temporaryFolder = (project: string, env: Record<string, string | undefined>): string =>
  join(env['TMPDIR'] || tmpdir(), `ralph-${createHash('sha1').update(project).digest('hex').slice(0, 10)}`)

/** As it was left (`mark`), or empty. Returns whether there is one. */
export function openTemporary(folder: string, mark: string): boolean {
  // A link would lead to where others have their files.
  const around = dirname(folder)
  if (lstatSync(around, { throwIfNoEntry: false })?.isSymbolicLink()) tried(() => rmSync(around), undefined)
  if (mark === '' || markOf(folder) !== mark) tried(() => rmSync(folder, { recursive: true, force: true }), undefined)
  return tried(() => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return lstatSync(folder).isDirectory()
  }, false)
}

/** Its mark. What gates leave empty is removed: after a kill, only the next run would do it. */
export function closeTemporary(folder: string): string {
  for (const path of [folder, dirname(folder)]) tried(() => rmdirSync(path), undefined)
  return markOf(folder)
}

/** More would take longer to compare than they save. */
const most = 20_000

/** The same while nobody writes: no program can set the time of a change. Empty: it is not kept. */
function markOf(folder: string): string {
  const hash = createHash('sha1')
  let count = 0
  const look = (path: string): void => {
    for (const name of readdirSync(path).sort()) {
      const inside = join(path, name)
      const { ino, size, mode, ctimeNs, isDirectory } = statOf(inside)
      hash.update(`${inside} ${ino} ${size} ${mode} ${ctimeNs}\n`)
      if (++count > most) throw new Error('too many files')
      if (isDirectory) look(inside)
    }
  }
  return tried(() => {
    look(folder)
    return hash.digest('hex')
  }, '')
}

function statOf(path: string) {
  const stat = lstatSync(path, { bigint: true })
  const { ino, size, mode, ctimeNs } = stat
  return { ino, size, mode, ctimeNs, isDirectory: stat.isDirectory() }
}
