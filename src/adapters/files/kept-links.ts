/** Which of our files and folders are links, as the user has them: one that others put there is not followed, and what was there comes back. */

import { cpSync, existsSync, lstatSync, readlinkSync, realpathSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { tried } from '../../core/failure.ts'
import { errorCode, makeFolder, temporaryName } from './files.ts'
import { isCopyable } from './open.ts'

/** `path`: from the project's folder. `was`: what had happened to it. */
export type Unlinked = { path: string; was: string }
export type KeptLinks = {
  /** The paths of those that the user has. */
  users: string[]
  /**
   * `root`: the project's folder, or that of a worktree. `aside` takes away what lies in the place of a link of the user's. A file that
   * was moved and linked to comes back; for one that was replaced the place is free.
   */
  restore(root: string, aside: (path: string, name: string) => void): Unlinked[]
}

/**
 * `paths`: from the project's folder, folders before what is in them, each with a file that tells a copy of the folder from any other
 * one; null: none is needed.
 */
export function keepLinks(project: string, paths: Record<string, string | null>): KeptLinks {
  const known = new Map(
    Object.entries(paths).map(([path, sign]) => [path, { link: linkAt(resolve(project, path)), id: '', sign }]),
  )
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
        // A worktree has no links of the user's: it was given files in their place.
        if (now === link || (now === null && root !== project)) continue
        if (now === null && link !== null) {
          makeFolder(dirname(own))
          // What is kept of it goes to the logs, which may be behind this very link.
          const between = existsSync(own) ? temporaryName(own) : null
          if (between !== null) renameSync(own, between)
          symlinkSync(link, own)
          if (between !== null) aside(between, basename(own))
          undone.push({ path, was: 'replaced; it is a link again' })
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
    return null // in a folder that is none
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

/** What a link leads to; what is none, or leads to nothing, itself. */
export const behindLink = (path: string): string => (linkAt(path) === null ? path : (followed(path) ?? path))

const followed = (path: string): string | null => tried(() => realpathSync(path), null)

/** Where it cannot be moved, it is copied. */
function bringBack(target: string, own: string, id: string): void {
  try {
    if (identity(target) === id) return renameSync(target, own)
  } catch {} // another mount, or a folder that we may not write to
  cpSync(target, own, { recursive: true, verbatimSymlinks: true, filter: isCopyable })
}

/** Moved to another disk, a folder is a copy. */
const isCopy = (folder: string, mark: string | null): boolean => mark !== null && existsSync(resolve(folder, mark))
