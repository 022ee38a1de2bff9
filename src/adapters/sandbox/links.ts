/** Removes links that lead out of the project from where Ralph writes: a sandboxed agent could otherwise make Ralph write outside. */

import { lstatSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { tried } from '../../core/failure.ts'
import { isWithin } from './visible-paths.ts'

/** Removes them, and returns their paths relative to the root. */
export function removeLinksOut(root: string, dir: string): string[] {
  const own = realpathSync(root)
  const found = [...written.map((name) => join(root, name)), ...pathsUnder(dir)].filter((path) => leadsOut(path, own))
  for (const path of found) rmSync(path, { force: true })
  return found.map((path) => path.slice(root.length + 1))
}

/** What Ralph writes outside the feature's folder. */
const written = ['CLAUDE.md', 'AGENTS.md', '.claude', '.claude/skills']

function leadsOut(path: string, root: string): boolean {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return false
  return tried(() => !isWithin(realpathSync(path), root), true) // dangling: writing there would create the target
}

/** Does not follow links. */
function pathsUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? [path, ...pathsUnder(path)] : [path]
  })
}
