/** Links files and folders from one checkout into another that needs them, where git does not provide them. */
import { existsSync, lstatSync, mkdirSync, readdirSync, readlinkSync, rmdirSync, rmSync, symlinkSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'

/** Only where there is nothing yet, or an empty folder. What cannot be linked stays missing. */
export function linkInto(from: string, to: string, paths: string[]): { remove(): void } {
  const made: string[] = []
  for (const path of paths.map((name) => name.replace(/\/$/, ''))) {
    try {
      if (!existsSync(join(from, path)) || isTaken(join(to, path))) continue
      mkdirSync(dirname(join(to, path)), { recursive: true })
      if (basename(path) === 'node_modules') linkPackages(join(from, path), join(to, path))
      else symlinkSync(join(from, path), join(to, path))
      made.push(join(to, path))
    } catch {}
  }
  return {
    remove() {
      for (const path of made) rmSync(path, { recursive: true, force: true }) // never follows a link
    },
  }
}

function isTaken(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return false
  if (!stat.isDirectory() || readdirSync(path).length > 0) return true
  rmdirSync(path)
  return false
}

/** One by one: a workspace package is a link to its folder, and must point into this checkout. */
function linkPackages(from: string, to: string): void {
  mkdirSync(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isSymbolicLink() && !isAbsolute(readlinkSync(source))) symlinkSync(readlinkSync(source), target)
    else if (entry.name.startsWith('@') && entry.isDirectory()) linkPackages(source, target)
    else symlinkSync(source, target)
  }
}
