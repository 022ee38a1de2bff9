/** Files and folders of one checkout that another one needs and git does not bring, as links. */
import { existsSync, lstatSync, mkdirSync, readdirSync, readlinkSync, rmdirSync, rmSync, symlinkSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'

/** Only where nothing is yet, or an empty folder. What cannot be linked is missing there. */
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

/** One by one: a package of the project's own is a link to its folder, and there must be the one of this checkout. */
function linkPackages(from: string, to: string): void {
  mkdirSync(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isSymbolicLink() && !isAbsolute(readlinkSync(source))) symlinkSync(readlinkSync(source), target)
    else if (entry.name.startsWith('@') && entry.isDirectory()) linkPackages(source, target)
    else symlinkSync(source, target)
  }
}
