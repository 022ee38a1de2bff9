/** Links that lead out of the project, where Ralph writes: an agent that is shut in could make Ralph write outside for it. */

import { lstatSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { tried } from '../../core/failure.ts'
import { isWithin } from './view.ts'

/** Takes them away, and gives their paths from the root. */
export function removeLinksOut(root: string, dir: string): string[] {
  const own = realpathSync(root)
  const found = [...written.map((name) => join(root, name)), ...pathsUnder(dir)].filter((path) => leadsOut(path, own))
  for (const path of found) rmSync(path, { force: true })
  return found.map((path) => path.slice(root.length + 1))
}

/** What Ralph writes outside of the feature's folder. */
const written = ['CLAUDE.md', 'AGENTS.md', '.claude', '.claude/skills']

function leadsOut(path: string, root: string): boolean {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return false
  return tried(() => !isWithin(realpathSync(path), root), true) // to nothing yet: what is written there would be made
}

/** A link is not gone into. */
function pathsUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? [path, ...pathsUnder(path)] : [path]
  })
}
