/** The projects that this user has run, for views of all of them: one path a line in `projects.txt`, oldest first. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { appendLines, makeFolder, readIfThere } from '../files/files.ts'
import { stateFolder } from './layout.ts'

/** Those that are still there. */
export const knownProjects = (home: string): string[] => listed(home).filter((root) => existsSync(stateFolder(root)))

/** What cannot be noted costs nothing but a row in a view. */
export function rememberProject(home: string, root: string): void {
  try {
    makeFolder(home, 0o700) // it may hold keys, in settings of the user's own
    if (!listed(home).includes(root)) appendLines(join(home, 'projects.txt'), root)
  } catch {
    // a home that cannot be written is told of where it matters
  }
}

/** Two runs that begin together may both note it. */
const listed = (home: string): string[] => [
  ...new Set((readIfThere(join(home, 'projects.txt')) ?? '').split('\n').filter(Boolean)),
]
