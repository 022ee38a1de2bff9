/** What the index says and no commit shows: files that git is told to ignore, and nested repositories. */
import { lstatSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ifThere, readIfThere } from '../files/files.ts'
import { readRegular } from '../files/open.ts'
import { git, type RescueRepo, SUBMODULE } from './rescue/trees.ts'

export type IndexBits = {
  /** With assume-unchanged or skip-worktree. Read from the index itself; git is asked for names only if there are any. */
  unwatched(): Promise<string[]>
  /** Folders that the index has as a commit of a nested repository that is not a submodule: a clone gets nothing in them. */
  embedded(): Promise<string[]>
  /** Makes git look at these files again; missing ones are restored from the index. */
  watch(paths: string[]): Promise<void>
}

export function indexBitsOf(repo: RescueRepo, algorithm: string): IndexBits {
  const path = join(repo.dir, 'index')
  let last = { looks: '', unwatched: [] as string[], repos: [] as string[] }
  async function look(): Promise<typeof last> {
    const looks = looksOf(path)
    if (looks === last.looks) return last
    const { hasBits, hasRepos } = marksIn(bytesOf(path), algorithm === 'sha256' ? 32 : 20)
    const lines = async (flag: string): Promise<string[]> => (await git(repo, ['ls-files', flag, '-z'])).split('\0')
    const unwatched = hasBits ? (await lines('-v')).filter((line) => /^[a-zS] /.test(line)).map((line) => line.slice(2)) : []
    const repos = hasRepos ? (await lines('-s')).filter((line) => line.startsWith(SUBMODULE)) : []
    last = { looks, unwatched, repos: repos.map((line) => `${line.slice(line.indexOf('\t') + 1)}/`) }
    return last
  }
  return {
    unwatched: async () => (await look()).unwatched,
    async embedded() {
      const { repos } = await look()
      const submodules = repos.length === 0 ? [] : submodulesIn(repo.top)
      return repos.filter((folder) => !submodules.includes(folder))
    },
    async watch(paths) {
      const given = (some: string[]) => ({ kind: 'write', input: some.map((each) => `${each}\0`).join('') }) as const
      await git(repo, ['update-index', '--no-assume-unchanged', '-z', '--stdin'], given(paths))
      await git(repo, ['update-index', '--no-skip-worktree', '-z', '--stdin'], given(paths))
      const gone = paths.filter((each) => lstatSync(join(repo.top, each), { throwIfNoEntry: false }) === undefined)
      if (gone.length > 0) await git(repo, ['checkout-index', '-z', '--stdin'], given(gone))
    },
  }
}

function looksOf(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat === undefined ? '' : `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`
}

const bytesOf = (path: string): Buffer => ifThere(() => readRegular(path, Number.POSITIVE_INFINITY)) ?? Buffer.alloc(0)

/** As the project's .gitmodules say; each ends with a slash. */
export function submodulesIn(top: string): string[] {
  const text = readIfThere(join(top, '.gitmodules')) ?? ''
  return [...text.matchAll(/^\s*path\s*=\s*(\S.*?)\s*$/gm)].map(([, name]) => `${name}/`)
}

const modeAt = 24
const REPOSITORY = 0o160000
const LINK = 0o120000
const statBytes = 40
const ASSUME_UNCHANGED = 0x8000
const EXTENDED = 0x4000
const SKIP_WORKTREE = 0x4000

type IndexMarks = { hasBits: boolean; hasRepos: boolean; hasLinks: boolean }

/** By gitformat-index. If this file alone does not tell, or cannot be read, it may have some. */
export function marksIn(index: Buffer, idBytes: number): IndexMarks {
  const unknown = { hasBits: true, hasRepos: true, hasLinks: true }
  if (index.length === 0) return { hasBits: false, hasRepos: false, hasLinks: false }
  if (index.length < 12 || index.toString('latin1', 0, 4) !== 'DIRC') return unknown
  const [version, count] = [index.readUInt32BE(4), index.readUInt32BE(8)]
  if (version < 2 || version > 4) return unknown
  let [hasBits, hasRepos, hasLinks] = [false, false, false]
  let at = 12
  for (let entry = 0; entry < count; entry++) {
    const flagsAt = at + statBytes + idBytes
    if (flagsAt + 4 > index.length) return unknown
    const flags = index.readUInt16BE(flagsAt)
    const isExtended = (flags & EXTENDED) !== 0
    hasBits ||= (flags & ASSUME_UNCHANGED) !== 0 || (isExtended && (index.readUInt16BE(flagsAt + 2) & SKIP_WORKTREE) !== 0)
    const mode = index.readUInt32BE(at + modeAt)
    hasRepos ||= mode === REPOSITORY
    hasLinks ||= mode === LINK
    let nameAt = flagsAt + (isExtended ? 4 : 2)
    // How much of the previous name is left out, seven bits per byte: the last one may be zero.
    if (version === 4) {
      while ((index[nameAt] ?? 0) >= 0x80) nameAt += 1
      nameAt += 1
    }
    const end = index.indexOf(0, nameAt)
    if (end === -1) return unknown
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7)
  }
  const isRestElsewhere = index.toString('latin1', at, at + 4) === 'link'
  return isRestElsewhere ? unknown : { hasBits, hasRepos, hasLinks }
}
