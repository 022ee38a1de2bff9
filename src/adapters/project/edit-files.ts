/** Edits files that belong to people: all or nothing, and a problem in words if it must not or cannot be done. */
import { accessSync, constants, existsSync, lstatSync, realpathSync, rmSync, type Stats, statSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { ifThere, replaceFile } from '../files/files.ts'
import type { Sectioned } from '../files/marked-section.ts'
import { readRegular } from '../files/open.ts'

/** `copy`: written first, so that removed text is never lost. */
type FileEdit = Sectioned & { copy?: { path: string; text: string } }

/** `change` gets the current text (null: none), and returns the new one; a blank text removes the file. Never throws because of the file system. */
export function editFile(root: string, path: string, change: (old: string | null) => FileEdit): { problem?: string } {
  try {
    const obstacle = obstacleAt(root, path)
    const bytes = statSync(join(root, path), { throwIfNoEntry: false })?.isFile() ? readRegular(join(root, path)) : null
    const old = bytes?.toString('utf8') ?? null
    if (bytes !== null && !Buffer.from(old ?? '').equals(bytes)) {
      return { problem: obstacle ?? `${path} is not UTF-8. Nothing was written. Convert it, then try again.` }
    }
    const changed = change(old)
    // If there is nothing to write, nothing is in the way.
    if (changed.ok && changed.text === (old ?? '')) return {}
    if (obstacle !== null) return { problem: obstacle }
    if (!changed.ok) return { problem: `${path} ${changed.problem}` }
    if (changed.copy !== undefined) replaceFile(join(root, changed.copy.path), changed.copy.text)
    if (changed.text.trim() === '') rmSync(join(root, path))
    else replaceFile(join(root, path), changed.text)
    return {}
  } catch (error) {
    return { problem: `${path} could not be written (${(error as Error).message}). Fix that, then try again.` }
  }
}

export const isThere = (path: string): boolean => statsOf(path) !== null

/** AGENTS.md and CLAUDE.md are often one file under two names: then use the one that is not a link. */
export function notesFile(root: string, name: 'AGENTS.md' | 'CLAUDE.md'): string {
  const other = name === 'AGENTS.md' ? 'CLAUDE.md' : 'AGENTS.md'
  const isLink = statsOf(join(root, name))?.isSymbolicLink() === true && existsSync(join(root, name))
  return isLink && realpathSync(join(root, name)) === join(realpathSync(root), other) ? other : name
}

/** What is in the way of writing the file, from the root downward. */
function obstacleAt(root: string, path: string): string | null {
  let folder = root
  for (const part of path.split('/')) {
    const at = join(folder, part)
    const stats = statsOf(at)
    const name = relative(root, at)
    if (stats === null) break
    if (stats.isSymbolicLink())
      return `${name} is a symbolic link, and Ralph writes only to real files of the project. ${insteadOf(name)}`
    const isLast = at === join(root, path)
    if (isLast ? !stats.isFile() : !stats.isDirectory())
      return `${name} is not a ${isLast ? 'file' : 'folder'}. Nothing was written. Move it away, then try again.`
    if (isLast && isReadOnly(at, stats)) return `${name} is read-only. Nothing was written. Make it writable, then try again.`
    if (!isLast) folder = at
  }
  const name = folder === root ? 'The project folder' : relative(root, folder)
  return isReadOnly(folder, lstatSync(folder))
    ? `${name} is read-only: ${basename(path)} was not written. Make it writable, then try again.`
    : null
}

const insteadOf = (name: string): string => `Put a real ${/\.md$/.test(name) ? 'file' : 'folder'} in its place, then try again.`

const statsOf = (path: string): Stats | null => ifThere(() => lstatSync(path))

/** Root may write everything, but the mode still says what people want. */
function isReadOnly(path: string, { mode }: Stats): boolean {
  if ((mode & 0o222) === 0) return true
  try {
    accessSync(path, constants.W_OK)
    return false
  } catch {
    return true
  }
}
