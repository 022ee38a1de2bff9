/** What the index says and no commit shows: files that git is told to ignore, and nested repositories. */
import { lstatSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ifThere, readIfThere } from '../files/files.ts'
import { readRegular } from '../files/open.ts'
import { marksIn, readIndex } from './objects/index-file.ts'
import type { TreeEntry } from './objects/trees.ts'
import { git, type RescueRepo, SUBMODULE } from './rescue/trees.ts'

export type IndexBits = {
  /** With assume-unchanged or skip-worktree. Read from the index itself; git is asked for names only if there are any. */
  unwatched(): Promise<string[]>
  /** What would be committed at a path and below it; paths as trees have them. null: git has to be asked. */
  stagedBelow(path: string): Map<string, TreeEntry> | null
  /** Folders that the index has as a commit of a nested repository that is not a submodule: a clone gets nothing in them. */
  embedded(): Promise<string[]>
  /** Makes git look at these files again; missing ones are restored from the index. */
  watch(paths: string[]): Promise<void>
}

export function indexBitsOf(repo: RescueRepo, algorithm: string): IndexBits {
  const path = join(repo.dir, 'index')
  let last = { looks: '', unwatched: [] as string[], repos: [] as string[] }
  const idBytes = algorithm === 'sha256' ? 32 : 20
  async function look(): Promise<typeof last> {
    const looks = looksOf(path)
    if (looks === last.looks) return last
    const { hasBits, hasRepos } = marksIn(bytesOf(path), idBytes)
    const lines = async (flag: string): Promise<string[]> => (await git(repo, ['ls-files', flag, '-z'])).split('\0')
    const unwatched = hasBits ? (await lines('-v')).filter((line) => /^[a-zS] /.test(line)).map((line) => line.slice(2)) : []
    const repos = hasRepos ? (await lines('-s')).filter((line) => line.startsWith(SUBMODULE)) : []
    last = { looks, unwatched, repos: repos.map((line) => `${line.slice(line.indexOf('\t') + 1)}/`) }
    return last
  }
  return {
    unwatched: async () => (await look()).unwatched,
    stagedBelow(folder) {
      const looks = looksOf(path)
      const { marks, staged } = readIndex(bytesOf(path), idBytes, folder)
      // The next question about the same index need not read it again.
      if (!marks.hasBits && !marks.hasRepos) last = { looks, unwatched: [], repos: [] }
      return staged
    },
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
