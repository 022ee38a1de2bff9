/** Links files and folders from one checkout into another that needs them, where git does not provide them. */
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readlinkSync, rmdirSync, rmSync, symlinkSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'

/** Only where there is nothing yet, or an empty folder; `without`: not these paths in them. What cannot be linked stays missing. */
export function linkInto(from: string, to: string, paths: string[], without: string[] = []): { remove(): void } {
  const made: string[] = []
  const out = new Set(without.map((path) => join(from, path)))
  for (const path of paths.map((name) => name.replace(/\/$/, ''))) {
    try {
      if (!existsSync(join(from, path)) || isTaken(join(to, path))) continue
      mkdirSync(dirname(join(to, path)), { recursive: true })
      const isInside = without.some((other) => other.startsWith(`${path}/`))
      if (basename(path) === 'node_modules') linkPackages(join(from, path), join(to, path), out)
      else if (isInside || isOfComposer(join(from, path))) linkEntries(join(from, path), join(to, path), out)
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

/** What tools keep between the packages may run instead of the code. */
const caches = ['.cache', '.vite', '.vite-temp', '.vitest']

/** One by one: a workspace package is a link to its folder, and must point into this checkout. */
function linkPackages(from: string, to: string, without: Set<string>): void {
  mkdirSync(to)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (caches.includes(entry.name) || without.has(source)) continue
    if (entry.isSymbolicLink() && !isAbsolute(readlinkSync(source))) symlinkSync(readlinkSync(source), target)
    else if (entry.name.startsWith('@') && entry.isDirectory()) linkPackages(source, target, without)
    else symlinkSync(source, target)
  }
}

/** Its loader finds the project's own classes from where it lies itself, behind every link: it is copied. */
const loader = ['autoload.php', 'composer']
const isOfComposer = (folder: string): boolean => loader.every((name) => existsSync(join(folder, name)))

function linkEntries(from: string, to: string, without: Set<string>): void {
  mkdirSync(to)
  const copied = isOfComposer(from) ? loader : []
  for (const name of readdirSync(from)) {
    if (without.has(join(from, name))) continue
    if (copied.includes(name)) cpSync(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true })
    else symlinkSync(join(from, name), join(to, name))
  }
}
