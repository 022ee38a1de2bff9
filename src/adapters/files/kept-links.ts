/** Remembers which of Ralph's files are links made by the user. Other links there are not followed, and the original is restored. */

import { cpSync, existsSync, lstatSync, readlinkSync, realpathSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { tried } from '../../core/failure.ts'
import { errorCode, makeFolder, temporaryName } from './files.ts'
import { isCopyable } from './open.ts'

/** `path`: relative to the project. `was`: what happened to it. */
export type Unlinked = { path: string; was: string }
export type KeptLinks = {
  /** Paths of the user's links. */
  users: string[]
  /**
   * `root`: the project's folder, or a worktree's. `aside` moves away what replaced one of the user's links. A file that was moved and replaced by a
   * link comes back; if it was overwritten, the place is cleared.
   */
  restore(root: string, aside: (path: string, name: string) => void): Unlinked[]
}

/**
 * `paths`: relative to the project, folders before their content, each with a file that identifies a copy of the folder; null: not needed. `users`:
 * what a killed run knew as the user's links; undefined: all that are there.
 */
export function keepLinks(project: string, paths: Record<string, string | null>, users?: string[]): KeptLinks {
  const linkOf = (path: string): string | null =>
    users === undefined || users.includes(path) ? linkAt(resolve(project, path)) : null
  const known = new Map(Object.entries(paths).map(([path, sign]) => [path, { link: linkOf(path), id: '', sign }]))
  const note = (): void => {
    for (const [path, one] of known) if (one.link === null) one.id = identity(resolve(project, path)) || one.id
  }
  note()
  return {
    users: [...known].flatMap(([path, { link }]) => (link === null ? [] : [path])),
    restore(root, aside) {
      const undone: Unlinked[] = []
      for (const [path, { link, id, sign }] of known) {
        const own = resolve(root, path)
        const now = linkAt(own)
        // A worktree has files in place of the user's links.
        if (now === link || (now === null && root !== project)) continue
        if (now === null && link !== null) {
          makeFolder(dirname(own))
          // The copy goes to the logs, which may be behind this very link.
          const between = existsSync(own) ? temporaryName(own) : null
          if (between !== null) renameSync(own, between)
          symlinkSync(link, own)
          if (between !== null) aside(between, basename(own))
          undone.push({ path, was: 'replaced; the link was restored' })
          continue
        }
        const target = followed(own)
        rmSync(own)
        if (link !== null && root === project) symlinkSync(link, own)
        else if (target !== null && (identity(target) === id || isCopy(target, sign))) bringBack(target, own, id)
        undone.push({ path, was: `replaced by a link to ${now}, which was removed` })
      }
      note()
      return undone
    },
  }
}

const linkAt = (path: string): string | null => {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(path) : null
  } catch (error) {
    if (errorCode(error) === '') throw error
    return null // in a folder that does not exist
  }
}

function identity(path: string): string {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dev} ${ino}`
  } catch {
    return ''
  }
}

/** The target of a link; the path itself if it is not a link or leads nowhere. */
export const behindLink = (path: string): string => (linkAt(path) === null ? path : (followed(path) ?? path))

const followed = (path: string): string | null => tried(() => realpathSync(path), null)

/** Copies it if it cannot be moved. */
function bringBack(target: string, own: string, id: string): void {
  try {
    if (identity(target) === id) return renameSync(target, own)
  } catch {} // another mount, or a folder without write permission
  cpSync(target, own, { recursive: true, verbatimSymlinks: true, filter: isCopyable })
}

/** A folder that was moved to another disk is a copy. */
const isCopy = (folder: string, mark: string | null): boolean => mark !== null && existsSync(resolve(folder, mark))
