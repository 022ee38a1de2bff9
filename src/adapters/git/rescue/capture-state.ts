/** Captures the repository's state without touching it: HEAD, branch, index, tracked and untracked files, stored as a commit. */
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { EXIT, Failure, sure } from '../../../core/failure.ts'
import { hasTexts, isListOf, isText, jsonIn } from '../../../core/text/json.ts'
import { submodulesOf, treeNamed } from '../objects/trees.ts'
import { readStatus } from '../status.ts'
import {
  filesOf,
  foldersOf,
  git,
  gitId,
  isNamed,
  ownCommitOf,
  type RescueRepo,
  SUBMODULE,
  setIndex,
  type TreeChanges,
  withIndex,
} from './trees.ts'

export type RepositoryState = {
  head: string
  /** null: detached. */
  branch: string | null
  /** The work tree's content as git would commit it. */
  tree: string
  /** What differs from HEAD in the work tree, and other paths that were asked for. */
  work: TreeChanges
  /** What differs from HEAD in the index: `<mode> <id> <stage>` each; none: removed; INTENT: `git add -N`. */
  index: Map<string, string[]>
  /** Ignored files, submodules and nested repositories; folders end with a slash. Complete only in a saved state. */
  leftAlone: Set<string>
  inProgress: string | null
  /** If the state was saved again: files of the earlier one that somebody committed since, and its commit. */
  older?: { head: string; paths: string[] }
}

export const INTENT = 'intent'

/** The current state. `also`: paths to check even if git does not report them, such as ones ignored since. */
export async function presentState(
  repo: RescueRepo,
  also: Iterable<string> = [],
  status = readStatus(repo.run),
): Promise<RepositoryState> {
  const { head, branch, changes } = await status
  if (head === null)
    throw new Failure(EXIT.data, `${repo.top} has no commit to return to. Create a first commit, then run again.`)
  const dirty = changes.filter(({ isRepo, path }) => !isRepo && isNamed(path) && !repo.isOwn(path)).map(({ path }) => path)
  const paths = [...new Set([...dirty, ...also])]
  const hasChanges = changes.some(({ path }) => !repo.isOwn(path))
  const [tree, raw, index] = await Promise.all([
    workTree(repo, head, paths),
    rawIds(repo, paths),
    hasChanges ? indexChanges(repo, head) : new Map<string, string[]>(), // staged changes are changes too
  ])
  const files = paths.length === 0 ? new Map<string, never>() : await filesOf(repo, tree)
  const work: TreeChanges = new Map()
  for (const path of paths) {
    const [file, rawId] = [files.get(path), raw.get(path)]
    const onDisk = rawId === undefined ? {} : { raw: rawId, ...permissionsOf(repo.top, path) }
    work.set(path, file === undefined ? null : { ...file, ...onDisk })
  }
  const nested = changes.filter(({ isRepo }) => isRepo).map(({ path }) => `${path.replace(/\/$/, '')}/`)
  return {
    head,
    branch,
    tree,
    work,
    index,
    leftAlone: new Set(nested),
    inProgress: repo.inProgress(),
  }
}

/** The current state, with everything that must be unchanged after a restore. */
export async function stateToSave(repo: RescueRepo): Promise<RepositoryState> {
  const status = repo.statusNow()
  const [state, { ignored }] = await Promise.all([presentState(repo, [], status), status])
  const submodules = await submodulesOf(repo.objects, await treeOf(repo, state.head))
  return { ...state, leftAlone: new Set([...state.leftAlone, ...submodules.map((path) => `${path}/`), ...ignored]) }
}

export function withoutFiles(state: RepositoryState, files: string[]): RepositoryState {
  const left = new Set(files)
  const isWanted = ([path]: [string, unknown]) => !left.has(path)
  return { ...state, work: new Map([...state.work].filter(isWanted)), index: new Map([...state.index].filter(isWanted)) }
}

/** Whether a path was ignored, or in a submodule, when the state was saved: it was not saved, so Ralph must not change it. */
export const isLeftAlone = ({ leftAlone }: RepositoryState, path: string): boolean =>
  leftAlone.has(path) || leftAlone.has(`${path}/`) || foldersOf(path).some((folder) => leftAlone.has(`${folder}/`))

/**
 * The commit has the work tree's content, and the rest of the state in the last line of its message. Its parents are HEAD, a commit with content that
 * no other commit has, and other commits to keep. It runs before each story: usually it starts one program.
 */
export async function storeState(
  repo: RescueRepo,
  state: RepositoryState,
  message: string,
  alsoKept: string[] = [],
): Promise<string> {
  const raw = [...state.work.values()].map((entry) => entry?.raw)
  const staged = [...state.index.values()].flat().filter((line) => line !== INTENT && !line.startsWith(SUBMODULE))
  const blobs = [...new Set([...raw, ...staged.map((line) => line.split(' ')[1])].filter((id) => id !== undefined))]
  const rest = blobs.length === 0 ? [] : [await keptCommit(repo, await keepingTree(repo, blobs))]
  return ownCommitOf(repo, {
    tree: state.tree,
    parents: [state.head, ...rest, ...alsoKept],
    message: `${message}\n${jsonOf(state)}\n`,
  })
}

/** Each under its own name. `git mktree` would not flush it: it reads no settings. */
function keepingTree(repo: RescueRepo, blobs: string[]): Promise<string> {
  const entries = blobs.toSorted().flatMap((id) => [Buffer.from(`100644 ${id}\0`), Buffer.from(id, 'hex')])
  return gitId(repo, ['hash-object', '-w', '-t', 'tree', '--stdin'], { input: Buffer.concat(entries) })
}

/** Without a time, so that the same content saved all night is one object. */
const keptCommit = (repo: RescueRepo, tree: string): Promise<string> =>
  ownCommitOf(repo, { tree, parents: [], message: 'ralph: uncommitted content that a saved state has\n' }, '0 +0000')

/** null: no such state. */
export async function readState(repo: RescueRepo, commit: string): Promise<RepositoryState | null> {
  const stored = await repo.objects.read(commit)
  const line = stored?.body.toString().trimEnd().split('\n').at(-1)
  const json = jsonIn(line ?? '')
  if (!isStored(json)) return null
  return { ...json, work: new Map(json.work), index: new Map(json.index), leftAlone: new Set(json.leftAlone) }
}

const isStored = (value: unknown): value is Stored =>
  hasTexts(value, 'head', 'tree') &&
  [value['branch'], value['inProgress']].every((each) => each === null || isText(each)) &&
  isListOf(value['work'], isWork) &&
  isListOf(value['index'], isStaged) &&
  isListOf(value['leftAlone'], isText) &&
  (value['older'] === undefined || (hasTexts(value['older'], 'head') && isListOf(value['older']['paths'], isText)))

const isWork = (item: unknown): item is Stored['work'][number] =>
  Array.isArray(item) && isText(item[0]) && (item[1] === null || hasTexts(item[1], 'mode', 'id'))

const isStaged = (item: unknown): item is Stored['index'][number] =>
  Array.isArray(item) && isText(item[0]) && isListOf(item[1], isText)

type Stored = Omit<RepositoryState, 'work' | 'index' | 'leftAlone'> & {
  work: [string, { mode: string; id: string } | null][]
  index: [string, string[]][]
  leftAlone: string[]
}

const jsonOf = (state: RepositoryState): string =>
  JSON.stringify({ ...state, work: [...state.work], index: [...state.index], leftAlone: [...state.leftAlone] } satisfies Stored)

async function workTree(repo: RescueRepo, head: string, paths: string[]): Promise<string> {
  if (paths.length === 0) return treeOf(repo, head)
  return withIndex(repo, head, async (env) => {
    const isThere = (path: string) => kindOf(repo.top, path) !== null
    const gone = paths.filter((path) => !isThere(path))
    await setIndex(
      repo,
      gone.map((path) => [path, []]),
      env,
    )
    const input = paths
      .filter(isThere)
      .map((path) => `${path}\0`)
      .join('')
    await git(repo, ['update-index', '--add', '--remove', '--replace', '-z', '--stdin'], { kind: 'write', input, env })
    return gitId(repo, ['write-tree'], { env })
  })
}

export async function treeOf(repo: RescueRepo, commit: string): Promise<string> {
  const tree = await treeNamed(repo.objects, commit)
  return tree?.id ?? gitId(repo, ['rev-parse', '--verify', `${commit}^{tree}`])
}

/** null: nothing there that git could store; nor is anything behind a symbolic link. */
function kindOf(top: string, path: string): 'file' | 'link' | null {
  const isFolder = (folder: string) => lstatSync(join(top, folder), { throwIfNoEntry: false })?.isDirectory() === true
  if (!foldersOf(path).every(isFolder)) return null
  const stat = lstatSync(join(top, path), { throwIfNoEntry: false })
  if (stat?.isFile()) return 'file'
  return stat?.isSymbolicLink() ? 'link' : null
}

/** git only knows whether a file is executable. Nothing if it is gone. */
function permissionsOf(top: string, path: string): { permissions?: number } {
  const stat = lstatSync(join(top, path), { throwIfNoEntry: false })
  return stat === undefined ? {} : { permissions: stat.mode & 0o777 }
}

/** A hash of each file's raw bytes: with line-end conversion and large files, git would restore other bytes. */
async function rawIds(repo: RescueRepo, paths: string[]): Promise<Map<string, string>> {
  const files = paths.filter((path) => kindOf(repo.top, path) === 'file')
  if (files.length === 0) return new Map()
  const input = files.map((path) => `${quoted(path)}\n`).join('')
  const ids = (await gitId(repo, ['hash-object', '-w', '--no-filters', '--stdin-paths'], { input })).split('\n')
  return new Map(files.map((path, index) => [path, sure(ids[index], `id of ${path}`)]))
}

const quoted = (path: string): string => `"${path.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r')}"`

async function indexChanges(repo: RescueRepo, head: string): Promise<Map<string, string[]>> {
  const index = new Map<string, string[]>()
  const isOurs = (path: string) => isNamed(path) && !repo.isOwn(path)
  const staged = await git(repo, ['diff-index', '--cached', ...STAGED, head])
  for (const [, mode, id, path = ''] of staged.matchAll(/:\d+ (\d+) \w+ (\w+) \w+\0([^\0]*)\0/g))
    if (isOurs(path)) index.set(path, mode === '000000' ? [] : [`${mode} ${id} 0`])
  const unmerged = new Map<string, string[]>()
  for (const line of (await git(repo, ['ls-files', '--unmerged', '-z'])).split('\0').filter(Boolean)) {
    const tab = line.indexOf('\t')
    const path = line.slice(tab + 1)
    if (isOurs(path)) unmerged.set(path, [...(unmerged.get(path) ?? []), line.slice(0, tab)])
  }
  for (const [path, lines] of unmerged) index.set(path, lines)
  const added = await git(repo, ['diff-files', '--name-only', '--diff-filter=A', '--ita-invisible-in-index', '-z'])
  for (const path of added.split('\0').filter(Boolean)) if (isOurs(path)) index.set(path, [INTENT])
  return index
}

const STAGED = ['--raw', '-z', '--no-renames', '--no-abbrev', '--ignore-submodules=none', '--ita-invisible-in-index']
