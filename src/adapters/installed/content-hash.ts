/** The beginning of a hash of a file or a folder; a file is read again only where somebody wrote. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { tried } from '../../core/failure.ts'

/** By its identity: the time of the last change cannot be set. */
const known = new Map<string, { identity: string; hash: string }>()

export function fileHash(path: string): string {
  const { size, ino, ctimeMs } = statSync(path)
  const identity = `${size} ${ino} ${ctimeMs}`
  const before = known.get(path)
  if (before?.identity === identity) return before.hash
  const hash = createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 16)
  known.set(path, { identity, hash })
  return hash
}

/** Empty where something goes away while we look. `isWanted`: by its name. */
export function contentHash(path: string, isWanted: (name: string) => boolean): string {
  const hash = createHash('sha256')
  const look = (one: string): void => {
    if (!statSync(one).isDirectory()) hash.update(`${basename(one)} ${fileHash(one)}\n`)
    else for (const name of readdirSync(one).sort()) if (isWanted(name)) look(join(one, name))
  }
  return tried(() => {
    look(path)
    return hash.digest('hex').slice(0, 16)
  }, '')
}
