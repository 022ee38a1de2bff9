/** Lays the files of one folder over another that somebody else has filled: nothing is written through a link in there. */
import { copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Returns the files that were not there before. */
export function layOver(from: string, onto: string): string[] {
  const added: string[] = []
  for (const path of filesIn(from, '')) {
    makeFolders(onto, dirname(path))
    const target = join(onto, path)
    if (!existsSync(target)) added.push(path)
    rmSync(target, { recursive: true, force: true })
    copyFileSync(join(from, path), target)
  }
  return added
}

/** Links in it are the user's own: what they lead to is copied. */
function filesIn(folder: string, within: string): string[] {
  return readdirSync(join(folder, within)).flatMap((name) => {
    const path = join(within, name)
    const stat = statSync(join(folder, path), { throwIfNoEntry: false })
    if (stat?.isDirectory()) return path === '.git' ? [] : filesIn(folder, path)
    return stat?.isFile() ? [path] : []
  })
}

function makeFolders(onto: string, path: string): void {
  if (path === '.') return
  makeFolders(onto, dirname(path))
  const folder = join(onto, path)
  const stat = lstatSync(folder, { throwIfNoEntry: false })
  if (stat?.isDirectory()) return
  rmSync(folder, { force: true })
  mkdirSync(folder)
}
