/** The repository: its content, what changed, and Ralph's commits. `.ralph/` never counts as work. */
import { existsSync, realpathSync, statSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { EXIT, Failure } from '../../core/failure.ts'
import type { FileChange } from '../../core/tamper/code/change.ts'
import { readIfThere } from '../files/files.ts'
import type { Snapshot } from '../files/tree-hash.ts'
import { stateFolder } from '../project/layout.ts'
import { type ChangesSince, changesBetween, filesAt } from './changes.ts'
import { type Checkouts, checkoutsOf } from './checkout.ts'
import { type CommitHead, type CommitRefused, commitChanges, commitFolder, type Made } from './commit.ts'
import { type IndexBits, indexBitsOf } from './hidden-by-index.ts'
import { historyOf, type Since } from './history.ts'
import { clearLocksOf, clearOwnLocks, clearRefLocks, whyLocked } from './index-lock.ts'
import { diffFiles } from './objects/diff.ts'
import { type Objects, objectsFrom, openObjects } from './objects/read.ts'
import { treeNamed } from './objects/trees.ts'
import { type Verified, verifiedIn } from './objects/verify.ts'
import { type Writer, writerFrom, writerIn } from './objects/write.ts'
import { keepProjectHooks, type ProjectHooks } from './project-hooks.ts'
import { type Branches, branchesOf } from './rescue/branches.ts'
import { type Home, homeOf } from './rescue/come-home.ts'
import { type HeldBranch, heldBranchOf } from './rescue/held-branch.ts'
import { readWhileThere, whileThere } from './rescue/lost-repository.ts'
import { type Rescue, rescueOf } from './rescue/rescue.ts'
import { gitIn, type RunGit } from './run.ts'
import { type DirtyPath, dirtReader, type GitStatus, looksOf, marksIn, readStatus } from './status.ts'
import { gitDirOf, objectsDirOf } from './worktree-folders.ts'
import { type Worktrees, worktreesOf } from './worktrees.ts'

export type Git = {
  /** The top folder of the work tree; all paths are relative to it. */
  top: string
  /** The git directory of this worktree. */
  dir: string
  snapshot(): Promise<Snapshot>
  /** Files with uncommitted changes, by the last look if nothing has run since. */
  uncommitted(): Promise<string[]>
  /**
   * The same, plus what no commit will contain outside `.ralph/`: ignored files and nested repositories. A folder stands for its whole
   * content, and ends with a slash.
   */
  snapshotWithIgnored(): Promise<Snapshot & { ignored: string[] }>
  /** The same, by the last look if nothing has run since. */
  latestSnapshot(): Promise<Snapshot & { ignored: string[] }>
  /** The commit that is checked out; null: none yet. */
  head(): Promise<string | null>
  /** The identity of a commit's content. */
  contentOf(commit: string): Promise<string>
  /** What HEAD has and `head` does not, oldest first, and a hash of each one's content. */
  commitsSince(head: string | null): Promise<Since>
  /** When a commit was written here, in milliseconds; null: it is in a pack. */
  madeAt(commit: string): number | null
  /** Whether HEAD descends from `head` through single parents. */
  isStraight(head: string): Promise<boolean>
  /** Files that differ between two commits; empty if one of them is missing. null: before the first commit. */
  diffFiles(from: string | null, to: string): Promise<string[]>
  /** A folder stands for its whole content. `hooks`: whether hooks run, or the folder to take them from. null: nothing to commit. */
  commitPaths(
    message: string,
    paths: string[],
    options: { hooks: boolean | { from: string } },
  ): Promise<Made | CommitRefused | null>
  /** Commits only Ralph's own files. `except`: folders of `.ralph/` to leave alone. */
  commitState(message: string, except?: string[]): Promise<{ commit: string } | CommitRefused | null>
  /** What changed since a commit, with content; outside `.ralph/`. */
  changesSince(since: ChangesSince): Promise<FileChange[]>
  /** Committed files that are wanted, with their content. */
  committedFiles(isWanted: (path: string) => boolean): Promise<{ path: string; text: string }[]>
  currentBranch(): Promise<string | null>
  branchExists(name: string): Promise<boolean>
  /** From HEAD, with the uncommitted work. null: done. */
  createBranch(name: string): Promise<CommitRefused | null>
  switchTo(name: string): Promise<CommitRefused | null>
  isClean(): Promise<boolean>
  inProgress(): InProgress | null
  /** Why the index is locked, after waiting for it. null: it is free. */
  whyLocked(): Promise<string | null>
  /** Locks that a killed git of ours left: in a worktree that only Ralph uses; since a time at which one was running; of refs. */
  clearOwnLocks(): Promise<string[]>
  clearLocksOf(sinceMs: number): Promise<string[]>
  clearRefLocks(): ReturnType<typeof clearRefLocks>
  /** Hooks that are files of the project, as they are now; null: they are not. */
  keepHooks(): Promise<ProjectHooks | null>
  /** Lets git pack when there is time. Failures do not matter: it is asked again. */
  tidy(): Promise<void>
  /** A worktree of this repository, opened without starting git; `root`: the project's folder in it. */
  worktreeAt(path: string, root: string): Git
  close(): void
} & Rescue &
  Checkouts &
  IndexBits &
  Branches &
  Worktrees &
  Verified &
  Omit<HeldBranch, 'hasMovedTo'> &
  Home
export type InProgress = 'merge' | 'rebase' | 'cherry-pick' | 'revert' | 'bisect'

/** null: the project is not in a repository. */
export async function openGit(root: string, env: NodeJS.ProcessEnv = process.env): Promise<Git | null> {
  const place = await findRepository(root, env)
  if (place === null) return null
  const verified = verifiedIn(objectsDirOf(place.dir, env), gitIn(place.top, env))
  const objects = readWhileThere(openObjects(place.top, env), place.top, place.dir)
  const run = whileThere(gitIn(place.top, env), place.top, place.dir)
  return gitAt({ ...place, root, env, verified }, { objects, writer: writerIn({ ...place, run }, env) })
}

type Where = { top: string; dir: string; algorithm: string; root: string; env: NodeJS.ProcessEnv; verified: Verified }
type Store = { objects: Objects; writer: Writer }

function gitAt({ top, dir, algorithm, root, env, verified }: Where, { objects, writer }: Store): Git {
  const statePath = stateFolder(relative(top, realpathSync(root))).replaceAll('\\', '/')
  const run = whileThere(gitIn(top, env), top, dir)
  const history = historyOf(run, objects, algorithm, statePath)
  const dirtOf = dirtReader(top, env)

  const looks = looksOf(
    run,
    async () => (await objects.read('HEAD'))?.id ?? null,
    () => marksIn(dir),
  )

  const counting = ({ changes }: GitStatus): DirtyPath[] => changes.filter(({ path }) => !isWithin(path, statePath))

  async function snapshotOf(status: GitStatus, withIgnored: boolean): Promise<Snapshot & { ignored: string[] }> {
    const { head, branch, ignored } = status
    const dirty = counting(status)
    const repos = withIgnored
      ? [...dirty.map(({ path }) => path).filter((path) => path.endsWith('/')), ...(await bits.embedded())]
      : []
    const tree = head === null ? history.emptyTree : await history.contentOf(head)
    return {
      head,
      tree,
      dirt: await dirtOf(dirty),
      uncommitted: dirty.map(({ path }) => path),
      branch,
      isUnborn: head === null,
      ignored: [...ignored, ...repos].filter((path) => !isWithin(path.replace(/\/$/, ''), statePath)),
    }
  }

  const inState = (names: string[]): string[] => names.map((name) => `${statePath}/${name}`)
  const inProgress = () => MARKS.find(([, mark]) => existsSync(join(dir, mark)))?.[0] ?? null

  const readHead = async (): Promise<CommitHead> => {
    const head = await objects.read('HEAD')
    if (head === null) throw new Error('the commit was created, but HEAD is missing')
    return { id: head.id, tree: (await treeNamed(objects, head.id))?.id ?? '' }
  }

  const whyNoCommit = (): CommitRefused | null => {
    const open = inProgress()
    return open === null || open === 'bisect'
      ? null
      : { error: `a ${open} is open in ${top}: Ralph's commit would become part of it` }
  }

  async function commitPaths(message: string, paths: string[], { hooks }: { hooks: boolean | { from: string } }) {
    const open = whyNoCommit()
    if (open !== null) return open
    const { changes } = await readStatus(run)
    return commitChanges({ ...repo, readHead }, message, splitByPaths(changes, paths), hooks)
  }

  const change = async (...args: string[]): Promise<CommitRefused | null> => {
    const { code, words } = await run(args, { kind: 'hooks' })
    return code === 0 ? null : { error: words }
  }

  const repo = {
    top,
    dir,
    run,
    objects,
    writer,
    statusNow: looks.lately,
    isOwn: (path: string) => isWithin(path, statePath),
    others: [':/', `:(top,exclude,literal)${statePath}`],
    contentOf: history.contentOf,
    inProgress,
    noId: '0'.repeat(algorithm === 'sha256' ? 64 : 40),
  }
  async function currentBranch(): Promise<string | null> {
    const written = branchIn(dir)
    if (written !== null) return written
    const { code, out } = await run(['symbolic-ref', '--quiet', '--short', 'HEAD'])
    return code === 0 ? out.toString().trim() : null
  }
  const worktrees = worktreesOf(repo, statePath)
  const home = homeOf(repo, { joined: worktrees.joined, isStraight: history.isStraight, currentBranch })
  const bits = indexBitsOf(repo, algorithm)

  const held = heldBranchOf(repo, { currentBranch, keep: home.keep })

  return {
    ...rescueOf(repo),
    ...checkoutsOf(repo, env, algorithm),
    ...bits,
    ...branchesOf(run, env),
    ...worktrees,
    ...home,
    ...held,
    ...verified,
    async advance(commit) {
      const refused = await worktrees.advance(commit)
      if (refused === null) held.hasMovedTo(commit)
      return refused
    },
    top,
    dir,
    async snapshot() {
      const { ignored: _ignored, ...snapshot } = await snapshotOf(await readStatus(run), false)
      return snapshot
    },
    uncommitted: async () => counting(await looks.lately()).map(({ path }) => path),
    snapshotWithIgnored: async () => snapshotOf(await looks.look(), true),
    latestSnapshot: async () => snapshotOf(await looks.lately(), true),
    head: async () => (await objects.read('HEAD'))?.id ?? null,
    madeAt: (commit) =>
      statSync(join(objectsDirOf(dir, env), commit.slice(0, 2), commit.slice(2)), { throwIfNoEntry: false })?.mtimeMs ?? null,
    contentOf: history.contentOf,
    commitsSince: history.commitsSince,
    isStraight: history.isStraight,
    diffFiles: async (from, to) => (await diffFiles(objects, from, to)).filter((path) => !isWithin(path, statePath)),
    changesSince: (since) => changesBetween(objects, top, since),
    committedFiles: (isWanted) => filesAt(objects, 'HEAD', isWanted),
    commitPaths,
    async commitState(message, except = []) {
      const where = { ...repo, readHead, emptyTree: history.emptyTree, stagedBelow: bits.stagedBelow }
      const done = whyNoCommit() ?? (await commitFolder(where, message, statePath, inState(except)))
      if (done === null || !('commit' in done)) return done
      held.hasMovedTo(done.commit)
      looks.moved(done.from, done.commit)
      return { commit: done.commit }
    },
    currentBranch,
    branchExists: async (name) => (await run(['show-ref', '--verify', '--quiet', `refs/heads/${name}`])).code === 0,
    createBranch: (name) => change('switch', '--create', name),
    switchTo: async (name) =>
      name.startsWith('-') ? { error: `${name} is not a branch` } : change('switch', '--no-guess', '--no-overwrite-ignore', name),
    isClean: async () => counting(await readStatus(run)).length === 0,
    inProgress,
    whyLocked: () => whyLocked(dir),
    clearOwnLocks: () => clearOwnLocks(dir),
    clearLocksOf: (sinceMs) => clearLocksOf(dir, sinceMs),
    clearRefLocks: () => clearRefLocks(dir),
    keepHooks: () => keepProjectHooks(run, top, dir),
    async tidy() {
      await run(['maintenance', 'run', '--auto', '--quiet'], { kind: 'upkeep' }).catch(() => {})
    },
    worktreeAt(path, inside) {
      const where = { top: realpathSync(path), dir: gitDirOf(path), algorithm, root: inside, env, verified }
      const run = whileThere(gitIn(where.top, env), where.top, where.dir)
      return gitAt(where, { objects: objectsFrom(objects, basename(where.dir)), writer: writerFrom(writer, run) })
    },
    close() {
      objects.close()
      writer.close()
    },
  }
}

/** Read from git's own files; null: git must be asked. */
function branchIn(dir: string): string | null {
  const name = /^ref: refs\/heads\/([^\s]+)\n$/.exec(readIfThere(join(dir, 'HEAD')) ?? '')?.[1]
  return name === undefined || name.startsWith('.') ? null : name
}

/** A stopped rebase also looks like a cherry-pick, so it is checked first. */
const MARKS: [InProgress, string][] = [
  ['rebase', 'rebase-merge'],
  ['rebase', 'rebase-apply'],
  ['merge', 'MERGE_HEAD'],
  ['cherry-pick', 'CHERRY_PICK_HEAD'],
  ['revert', 'REVERT_HEAD'],
  ['bisect', 'BISECT_LOG'],
]

async function findRepository(root: string, env: NodeJS.ProcessEnv): Promise<Omit<Where, 'root' | 'env' | 'verified'> | null> {
  const run = gitIn(root, env)
  const questions = ['--show-object-format', '--show-toplevel', '--absolute-git-dir']
  const { code, out, words } = await run(['rev-parse', ...questions])
  if (code !== 0) {
    if (/not a git repository|must be run in a work tree/.test(words)) return null
    throw new Failure(EXIT.data, `git cannot open the repository of ${root}: ${words}`)
  }
  const lines = linesOf(out)
  // A path with a line feed: one question at a time.
  const answers = lines.length === questions.length ? lines : await Promise.all(questions.map((one) => answerTo(run, one)))
  const [algorithm = '', top = '', dir = ''] = answers
  return { top, dir, algorithm }
}

const linesOf = (out: Buffer): string[] => out.toString().replace(/\n$/, '').split('\n')

const answerTo = async (run: RunGit, question: string): Promise<string> =>
  linesOf((await run(['rev-parse', question])).out).join('\n')

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`)

function splitByPaths(changes: DirtyPath[], paths: string[]): { wanted: DirtyPath[]; others: DirtyPath[] } {
  const named = new Set(paths.map((path) => path.replace(/\/$/, '')))
  const isNamed = ({ path }: DirtyPath) => ancestors(path).some((folder) => named.has(folder))
  return { wanted: changes.filter(isNamed), others: changes.filter((change) => !isNamed(change)) }
}

/** The path itself and each folder that it is in. */
function ancestors(path: string): string[] {
  const parts = path.split('/')
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}
