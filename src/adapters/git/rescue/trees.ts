/** Makes trees and commits without touching the user's index, HEAD, branches or files. */
import { join } from 'node:path'
import { EXIT, Failure } from '../../../core/failure.ts'
import { dropFile } from '../../files/files.ts'
import { turns } from '../../process/one-at-a-time.ts'
import type { Objects } from '../objects/read.ts'
import type { NewCommit, Writer } from '../objects/write.ts'
import { type How, type RunGit, verbOf } from '../run.ts'
import type { GitStatus } from '../status.ts'

/** What the rescue knows of a repository. */
export type RescueRepo = {
  top: string
  dir: string
  run: RunGit
  objects: Objects
  writer: Writer
  /** With ignored files; one that was asked for a moment ago, if only Ralph has done something since. */
  statusNow(): Promise<GitStatus>
  /** The path of `.ralph/`, which stays as it is whatever is restored. */
  isOwn(path: string): boolean
  /** Pathspecs for everything else. */
  others: string[]
  /** A hash of a commit's content without `.ralph/`. */
  contentOf(commit: string): Promise<string>
  inProgress(): string | null
  /** Git's null id. */
  noId: string
}

/** A file of a tree. `raw` is its content on disk, before git's filters (line ends, large files); `permissions` are those on disk, if known. */
export type FileEntry = { mode: string; id: string; raw?: string; permissions?: number }
/** Paths relative to the top. null: it does not exist. */
export type TreeChanges = Map<string, FileEntry | null>

export const SUBMODULE = '160000'
export const WITHOUT_HOOKS = ['-c', 'core.hooksPath=/dev/null']

/** Returns git's output; throws git's message on failure. Hooks are for the user's actions, not Ralph's. */
export async function git(repo: RescueRepo, args: string[], how: How = {}): Promise<string> {
  const { code, out, words } = await repo.run([...WITHOUT_HOOKS, ...args], how)
  if (code !== 0) throw new Failure(EXIT.data, `git ${verbOf(args)} failed in ${repo.top}: ${words}`)
  return out.toString()
}

export const gitId = async (repo: RescueRepo, args: string[], how: How = {}): Promise<string> =>
  (await git(repo, args, { kind: 'write', ...how })).trim()

/** A temporary index that starts as this tree. Several workers take turns. */
export function withIndex<T>(repo: RescueRepo, base: string, use: (env: Record<string, string>) => Promise<T>): Promise<T> {
  const index = join(repo.dir, 'ralph-rescue-index')
  const inTurn = waiting.get(index) ?? turns()
  waiting.set(index, inTurn)
  return inTurn(() => usedIndex(repo, index, base, use))
}

const waiting = new Map<string, ReturnType<typeof turns>>()

async function usedIndex<T>(
  repo: RescueRepo,
  index: string,
  base: string,
  use: (env: Record<string, string>) => Promise<T>,
): Promise<T> {
  const remove = () => {
    for (const path of [index, `${index}.lock`]) dropFile(path)
  }
  remove()
  const env = { GIT_INDEX_FILE: index }
  try {
    await git(repo, ['read-tree', base], { kind: 'write', env })
    return await use(env)
  } finally {
    remove()
  }
}

/** The tree after these changes to another. */
export async function treeWith(repo: RescueRepo, base: string, changes: TreeChanges): Promise<string> {
  return withIndex(repo, base, async (env) => {
    const entries = [...changes].map(([path, entry]) => [path, entry === null ? [] : [indexLine(entry)]] as const)
    await setIndex(repo, entries, env)
    return gitId(repo, ['write-tree'], { env })
  })
}

/** `<mode> <id> <stage>`, as git lists an index. */
export const indexLine = ({ mode, id }: FileEntry): string => `${mode} ${id} 0`

/** Sets index paths to these lines; none: removes the path. What is in the way goes first. */
export async function setIndex(
  repo: RescueRepo,
  entries: (readonly [path: string, lines: string[]])[],
  env: Record<string, string> = {},
): Promise<void> {
  if (entries.length === 0) return
  const gone = entries.map(([path]) => `0 ${repo.noId}\t${path}\0`)
  const set = entries.flatMap(([path, lines]) => lines.map((line) => `${line}\t${path}\0`))
  await git(repo, ['update-index', '-z', '--index-info'], { kind: 'write', input: [...gone, ...set].join(''), env })
}

/** Every file of a tree or commit. Skips names that are not UTF-8, because they lost bytes on their way here. */
export async function filesOf(repo: RescueRepo, tree: string): Promise<Map<string, FileEntry>> {
  const lines = (await git(repo, ['ls-tree', '-r', '-z', '--full-tree', tree])).split('\0')
  const files = new Map<string, FileEntry>()
  for (const line of lines) {
    const [, mode = '', id = '', path] = /^(\d+) \w+ (\w+)\t(.*)$/s.exec(line) ?? []
    if (path !== undefined && isNamed(path)) files.set(path, { mode, id })
  }
  return files
}

export const isNamed = (path: string): boolean => !path.includes('\uFFFD')

/** Two files are the same if their bytes are, where known. */
export function isSame(a: FileEntry | null | undefined, b: FileEntry | null | undefined): boolean {
  if (!a || !b) return !a && !b
  return a.mode === b.mode && a.id === b.id && (a.raw === undefined || b.raw === undefined || a.raw === b.raw)
}

export const isSubmodule = (entry: FileEntry | null | undefined): boolean => entry?.mode === SUBMODULE

export const blobOf = (repo: RescueRepo, text: string): Promise<string> =>
  gitId(repo, ['hash-object', '-w', '--stdin'], { input: text })

/** By the user, if git knows one. Unsigned, and without hooks. */
export const commitOf = ({ writer }: RescueRepo, commit: NewCommit): Promise<string> => writer.commit(commit, { isUsers: true })

/** By us. `date`: as git keeps it; absent: now. */
export const ownCommitOf = ({ writer }: RescueRepo, commit: NewCommit, date?: string): Promise<string> =>
  writer.commit(commit, date === undefined ? {} : { date })

/** The folders of a path, outermost first. */
export function foldersOf(path: string): string[] {
  const parts = path.split('/')
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
}
