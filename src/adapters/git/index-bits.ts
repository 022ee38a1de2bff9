/** Files that the index tells git not to look at (assume-unchanged, skip-worktree): which they are, and how git sees them again. */
import { lstatSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isMissing } from '../files.ts'
import { must, type Repo } from './rescue-trees.ts'

export type IndexBits = {
  /** Read from the index itself: git is asked for their names only where there are any. */
  unwatched(): Promise<string[]>
  /** Git looks at these files again; those that are not there come back as the index has them. */
  watch(paths: string[]): Promise<void>
}

export function indexBitsOf(repo: Repo, algorithm: string): IndexBits {
  const path = join(repo.dir, 'index')
  let last = { looks: '', paths: [] as string[] }
  async function found(): Promise<string[]> {
    if (!hasBits(bytesOf(path), algorithm === 'sha256' ? 32 : 20)) return []
    const lines = (await must(repo, ['ls-files', '-v', '-z'])).split('\0')
    return lines.filter((line) => /^[a-zS] /.test(line)).map((line) => line.slice(2))
  }
  return {
    async unwatched() {
      const looks = looksOf(path)
      if (looks !== last.looks) last = { looks, paths: await found() }
      return last.paths
    },
    async watch(paths) {
      const given = (some: string[]) => ({ kind: 'write', input: some.map((each) => `${each}\0`).join('') }) as const
      await must(repo, ['update-index', '--no-assume-unchanged', '-z', '--stdin'], given(paths))
      await must(repo, ['update-index', '--no-skip-worktree', '-z', '--stdin'], given(paths))
      const gone = paths.filter((each) => lstatSync(join(repo.top, each), { throwIfNoEntry: false }) === undefined)
      if (gone.length > 0) await must(repo, ['checkout-index', '-z', '--stdin'], given(gone))
    },
  }
}

function looksOf(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? '' : `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`
}

function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    if (isMissing(error)) return Buffer.alloc(0)
    throw error
  }
}

const statBytes = 40
const ASSUME_UNCHANGED = 0x8000
const EXTENDED = 0x4000
const SKIP_WORKTREE = 0x4000

/** By gitformat-index. What cannot be told from this file alone, or not read at all, may have some. */
export function hasBits(index: Buffer, idBytes: number): boolean {
  if (index.length === 0) return false
  if (index.length < 12 || index.toString('latin1', 0, 4) !== 'DIRC') return true
  const [version, count] = [index.readUInt32BE(4), index.readUInt32BE(8)]
  if (version < 2 || version > 4) return true
  let at = 12
  for (let entry = 0; entry < count; entry++) {
    const flagsAt = at + statBytes + idBytes
    if (flagsAt + 4 > index.length) return true
    const flags = index.readUInt16BE(flagsAt)
    const isExtended = (flags & EXTENDED) !== 0
    if ((flags & ASSUME_UNCHANGED) !== 0) return true
    if (isExtended && (index.readUInt16BE(flagsAt + 2) & SKIP_WORKTREE) !== 0) return true
    let nameAt = flagsAt + (isExtended ? 4 : 2)
    // How much of the name before is left out, seven bits to a byte: the last one may be a zero.
    if (version === 4) {
      while ((index[nameAt] ?? 0) >= 0x80) nameAt += 1
      nameAt += 1
    }
    const end = index.indexOf(0, nameAt)
    if (end === -1) return true
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7)
  }
  return index.toString('latin1', at, at + 4) === 'link' // the rest is in another file
}
