/** The repository: what it holds, what changed, what is committed by us. `.ralph/` never counts. */
import { existsSync, realpathSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { EXIT, Failure } from '../../core/failure.ts'
import type { FileChange } from '../../core/tamper/tamper.ts'
import { readIfThere } from '../files/files.ts'
import type { Snapshot } from '../files/tree-hash.ts'
import { stateFolder } from '../project/layout.ts'
import { changesBetween } from './changes.ts'
import { type Checkouts, checkoutsOf } from './checkout.ts'
import { type CommitHead, type CommitRefused, commitChanges, commitFolder, type Made } from './commit.ts'
import { historyOf, type Since } from './history.ts'
import { type IndexBits, indexBitsOf } from './index-bits.ts'
import { clearLockOf, clearOwnLocks, clearRefLocks, whyLocked } from './index-lock.ts'
import { diffFiles } from './objects/diff.ts'
import { looseSince } from './objects/loose.ts'
import { type Objects, objectsFrom, openObjects } from './objects/read.ts'
import { type Store, storeIn } from './objects/write.ts'
import { keepProjectHooks, type ProjectHooks } from './project-hooks.ts'
import { type Branches, branchesOf } from './rescue/branches.ts'
import { type HeldBranch, heldBranchOf } from './rescue/held-branch.ts'
import { readWhileThere, whileThere } from './rescue/lost-repository.ts'
import { type Home, homeOf } from './rescue/own-branch.ts'
import { type Rescue, rescueOf } from './rescue/rescue.ts'
import { gitIn, type RunGit } from './run.ts'
import { type DirtyPath, dirtReader, readStatus } from './status.ts'
import { gitDirOf, objectsDirOf } from './worktree-folders.ts'
import { type Worktrees, worktreesOf } from './worktrees.ts'

export type Git = {
  /** The folder of the work tree; all paths given and taken are from here. */
  top: string
  /** The git directory of this worktree. */
  dir: string
  snapshot(): Promise<Snapshot>
  /** Files with uncommitted changes. */
  uncommitted(): Promise<string[]>
  /** The same, and what no commit will have outside `.ralph/`: what git ignores, and repositories inside this one. Folders stand for all that is in them, and end in a slash. */
  snapshotWithIgnored(): Promise<Snapshot & { ignored: string[] }>
  /** The commit that is checked out; null: there is none yet. */
  head(): Promise<string | null>
  /** The identity of a commit's content. */
  contentOf(commit: string): Promise<string>
  /** What HEAD has and `head` has not, oldest first, and the identity of each one's content. */
  commitsSince(head: string | null): Promise<Since>
  /** When a commit was written here, in milliseconds; null: it was packed since, or came in a pack. */
  madeAt(commit: string): number | null
  /** Whether HEAD goes back to `head` over single parents. */
  isStraight(head: string): Promise<boolean>
  /** Files that differ between two commits; none where one of the two is gone. null: before the first commit. */
  diffFiles(from: string | null, to: string): Promise<string[]>
  /** Folders stand for all that is in them; `hooks`: whether they run, or the folder that they are taken from. null: nothing to commit. */
  commitPaths(
    message: string,
    paths: string[],
    options: { hooks: boolean | { from: string } },
  ): Promise<Made | CommitRefused | null>
  /** Commits Ralph's own files and nothing else. `except`: folders of `.ralph/` that are left as they are. */
  commitState(message: string, except?: string[]): Promise<{ commit: string } | CommitRefused | null>
  /** What differs, with its lines, from a commit to the present work tree, in which `isClean` says that nothing is uncommitted. */
  changesSince(commit: string, isClean: boolean): Promise<FileChange[]>
  currentBranch(): Promise<string | null>
  branchExists(name: string): Promise<boolean>
  /** From HEAD, with the uncommitted work. null: done. */
  createBranch(name: string): Promise<CommitRefused | null>
  switchTo(name: string): Promise<CommitRefused | null>
  isClean(): Promise<boolean>
  inProgress(): InProgress | null
  /** Why the index cannot be changed now; it was waited for. null: it can. */
  whyLocked(): Promise<string | null>
  /** Locks that a killed git of ours left: in a worktree that is ours alone; since a moment at which one was at work; of refs. */
  clearOwnLocks(): Promise<string[]>
  clearLockOf(sinceMs: number): Promise<string | null>
  clearRefLocks(): ReturnType<typeof clearRefLocks>
  /** Of hooks that are files of the project, as they are now; null: they are not. */
  keepHooks(): Promise<ProjectHooks | null>
  /** Git packs what it finds worth it, where we are told that there is time. What keeps it from that is no one's concern: it is asked again. */
  tidy(): Promise<void>
  /** A worktree of this repository, of which nothing needs to be asked; `root`: the project's folder in it. */
  worktreeAt(path: string, root: string): Git
  close(): void
} & Rescue &
  Checkouts &
  IndexBits &
  Branches &
  Worktrees &
  Omit<HeldBranch, 'hasMovedTo'> &
  Home
export type InProgress = 'merge' | 'rebase' | 'cherry-pick' | 'revert' | 'bisect'

/** null: the project is in no repository. */
export async function openGit(root: string, env: NodeJS.ProcessEnv = process.env): Promise<Git | null> {
  const place = await findRepository(root, env)
  if (place === null) return null
  const objects = readWhileThere(openObjects(place, env), place.top, place.dir)
  return gitAt({ ...place, root, env }, objects, storeIn(place, gitIn(place.top, env), objects, env))
}

type Where = { top: string; dir: string; algorithm: string; root: string; env: NodeJS.ProcessEnv }

function gitAt({ top, dir, algorithm, root, env }: Where, objects: Objects, store: Store): Git {
  const state = stateFolder(relative(top, realpathSync(root))).split(/[/\\]/)
  const statePath = state.join('/')
  const run = whileThere(gitIn(top, env), top, dir)
  const history = historyOf(run, objects, algorithm, state)
  const dirtOf = dirtReader(top, env)

  async function currentStatus(withIgnored = false) {
    const status = await readStatus(run, { withIgnored })
    return { ...status, counting: status.changes.filter(({ path }) => !isWithin(path, statePath)) }
  }

  async function snapshotWith(withIgnored: boolean): Promise<Snapshot & { ignored: string[] }> {
    const { head, branch, counting, ignored } = await currentStatus(withIgnored)
    const repos = withIgnored
      ? [...counting.map(({ path }) => path).filter((path) => path.endsWith('/')), ...(await bits.embedded())]
      : []
    const tree = head === null ? history.emptyTree : await history.contentOf(head)
    return {
      head,
      tree,
      dirt: await dirtOf(counting),
      uncommitted: counting.map(({ path }) => path),
      branch,
      isUnborn: head === null,
      ignored: [...ignored, ...repos].filter((path) => !isWithin(path.replace(/\/$/, ''), statePath)),
    }
  }

  const inState = (names: string[]): string[] => names.map((name) => `${statePath}/${name}`)
  const inProgress = () => MARKS.find(([, mark]) => existsSync(join(dir, mark)))?.[0] ?? null

  const readHead = async (): Promise<CommitHead> => {
    const head = await objects.read('HEAD')
    if (head === null) throw new Error('the commit was made, and HEAD is gone')
    return { id: head.id, tree: /^tree ([0-9a-f]+)$/m.exec(head.body.toString('latin1'))?.[1] ?? '' }
  }

  const whyNoCommit = (): CommitRefused | null => {
    const open = inProgress()
    return open === null || open === 'bisect'
      ? null
      : { error: `a ${open} is open in ${top}: our commit would become part of it` }
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
    store,
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
    async advance(commit) {
      const refused = await worktrees.advance(commit)
      if (refused === null) held.hasMovedTo(commit)
      return refused
    },
    top,
    dir,
    async snapshot() {
      const { ignored: _ignored, ...snapshot } = await snapshotWith(false)
      return snapshot
    },
    uncommitted: async () => (await currentStatus()).counting.map(({ path }) => path),
    snapshotWithIgnored: () => snapshotWith(true),
    head: async () => (await objects.read('HEAD'))?.id ?? null,
    madeAt: (commit) => looseSince(objectsDirOf(dir, env), commit),
    contentOf: history.contentOf,
    commitsSince: history.commitsSince,
    isStraight: history.isStraight,
    diffFiles: async (from, to) => (await diffFiles(objects, from, to)).filter((path) => !isWithin(path, statePath)),
    async changesSince(from, isClean) {
      const changes = await changesBetween(run, { dir, from, isClean })
      return Array.isArray(changes) ? changes : []
    },
    commitPaths,
    async commitState(message, except = []) {
      const done = whyNoCommit() ?? (await commitFolder({ run, dir, readHead }, message, statePath, inState(except)))
      if (done !== null && 'commit' in done) held.hasMovedTo(done.commit)
      return done
    },
    currentBranch,
    branchExists: async (name) => (await run(['show-ref', '--verify', '--quiet', `refs/heads/${name}`])).code === 0,
    createBranch: (name) => change('switch', '--create', name),
    switchTo: async (name) =>
      name.startsWith('-') ? { error: `${name} is no branch` } : change('switch', '--no-guess', '--no-overwrite-ignore', name),
    isClean: async () => (await currentStatus()).counting.length === 0,
    inProgress,
    whyLocked: () => whyLocked(dir),
    clearOwnLocks: () => clearOwnLocks(dir),
    clearLockOf: (sinceMs) => clearLockOf(dir, sinceMs),
    clearRefLocks: () => clearRefLocks(dir),
    keepHooks: () => keepProjectHooks(run, top, dir),
    async tidy() {
      await run(['maintenance', 'run', '--auto', '--quiet'], { kind: 'upkeep' }).catch(() => {})
    },
    worktreeAt(path, inside) {
      const where = { top: realpathSync(path), dir: gitDirOf(path), algorithm, root: inside, env }
      return gitAt(where, objectsFrom(objects, basename(where.dir)), store)
    },
    close: objects.close,
  }
}

/** As git wrote it down itself; null: it must be asked. */
function branchIn(dir: string): string | null {
  const name = /^ref: refs\/heads\/([^\s]+)\n$/.exec(readIfThere(join(dir, 'HEAD')) ?? '')?.[1]
  return name === undefined || name.startsWith('.') ? null : name
}

/** A rebase that stopped has the marks of a cherry-pick too: it comes first. */
const MARKS: [InProgress, string][] = [
  ['rebase', 'rebase-merge'],
  ['rebase', 'rebase-apply'],
  ['merge', 'MERGE_HEAD'],
  ['cherry-pick', 'CHERRY_PICK_HEAD'],
  ['revert', 'REVERT_HEAD'],
  ['bisect', 'BISECT_LOG'],
]

async function findRepository(root: string, env: NodeJS.ProcessEnv): Promise<Omit<Where, 'root' | 'env'> | null> {
  const run = gitIn(root, env)
  const questions = ['--show-object-format', '--show-toplevel', '--absolute-git-dir']
  const { code, out, words } = await run(['rev-parse', ...questions])
  if (code !== 0) {
    if (/not a git repository|must be run in a work tree/.test(words)) return null
    throw new Failure(EXIT.data, `git does not open the repository of ${root}: ${words}`)
  }
  const lines = linesOf(out)
  // A line feed in a path: one question at a time.
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
