/** The projects that this user has run, for views of all of them: one path a line in `projects.txt`, oldest first. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { appendLines, makeFolder, readIfThere } from '../files/files.ts'
import { stateFolder } from './layout.ts'

/** Those that still exist. */
export const knownProjects = (home: string): string[] => listed(home).filter((root) => existsSync(stateFolder(root)))

/** If it cannot be written, a view only lacks a row. */
export function rememberProject(home: string, root: string): void {
  try {
    makeFolder(home, 0o700) // it may hold keys, in settings of the user's own
    if (!listed(home).includes(root)) appendLines(join(home, 'projects.txt'), root)
  } catch {
    // an unwritable home is reported where it matters
  }
}

/** Two runs that start together may both add it. */
const listed = (home: string): string[] => [
  ...new Set((readIfThere(join(home, 'projects.txt')) ?? '').split('\n').filter(Boolean)),
]
