/** Worktrees, where stories run in parallel, and how their work gets onto the branch. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { sure } from '../../core/failure.ts'
import { replaceFile } from '../files/files.ts'
import { removeFolders } from '../files/remove-folders.ts'
import { turns } from '../process/one-at-a-time.ts'
import type { CommitRefused } from './commit.ts'
import { whyLocked } from './index-lock.ts'
import { type Joining, joiningOf } from './merge.ts'
import { undoHalf } from './rescue/half-landing.ts'
import { commitOf, git, gitId, ownCommitOf, type RescueRepo, WITHOUT_HOOKS, withIndex } from './rescue/trees.ts'
import { gitDirsFor, isFilled } from './worktree-folders.ts'

export type Worktrees = Omit<Joining, 'withOwnOf'> & {
  /** Whether this git can merge without a work tree (2.38 and newer). */
  canMergeAside(): Promise<boolean>
  /** On the branch, which starts at `from` if it is new. An existing worktree on that branch is used as it is. null: done. */
  addWorktree(path: string, branch: string, from: string): Promise<CommitRefused | null>
  /** With their whole content; their branches stay. null: done. */
  removeWorktrees(paths: string[]): Promise<CommitRefused | null>
  /** Those that exist, whatever is on them. null: done. */
  deleteBranches(branches: string[]): Promise<CommitRefused | null>
  /** Worktrees and their branches. */
  listWorktrees(): Promise<{ path: string; branch: string }[]>
  /** null: there is no such branch. */
  branchTip(branch: string): Promise<string | null>
  /** The current branch takes `.ralph/` from a commit, so that a merge with it does not conflict there. */
  takeOwn(from: string): Promise<void>
  /** Moves the current branch and its files forward to a commit that contains it, also after a kill halfway. null: done. */
  advance(commit: string): Promise<CommitRefused | null>
  /** Everything uncommitted, and notes that git would ignore, as one commit on the branch; null: nothing to commit. */
  commitAll(message: string, notes: { path: string; text: string }[]): Promise<string | null>
  /** Resets the current branch, its index and its tracked files to the commit. null: done. */
  resetTo(commit: string): Promise<CommitRefused | null>
}

export function worktreesOf(repo: RescueRepo, statePath: string): Worktrees {
  const { run, objects } = repo
  const { forkOf, joined, withOwnOf } = joiningOf(repo, statePath)
  const idOf = async (name: string): Promise<string | null> => (await objects.read(name))?.id ?? null
  const write = async (args: string[]): Promise<CommitRefused | null> => {
    const { code, words } = await run([...WITHOUT_HOOKS, ...args], { kind: 'write' })
    return code === 0 ? null : { error: words }
  }

  /** git fails on a worktree that another git is creating or removing. */
  const inTurn = turns()
  /** Files are written in parallel, but too many at once slow each other down, and the first is ready as late as the last. */
  const lanes = [turns(), turns()]
  let filled = 0

  async function added(path: string, branch: string, from: string): Promise<CommitRefused | null> {
    if (existsSync(join(path, '.git'))) {
      const { out } = await run(['-C', path, 'symbolic-ref', '--quiet', '--short', 'HEAD'])
      const there = out.toString().trim()
      const isOurs = there === branch || (there === '' && !isFilled(path))
      return isOurs ? null : { error: `${path} is in use${there === '' ? '' : ` by the branch ${there}`}` }
    }
    // Forced, because git still lists a worktree that was removed by hand.
    return write(['worktree', 'add', '--quiet', '--force', '--no-checkout', '--detach', path, from])
  }

  return {
    canMergeAside: async () => (await run(['merge-tree', '--write-tree', 'HEAD', 'HEAD'], { kind: 'write' })).code === 0,
    branchTip: (branch) => idOf(`refs/heads/${branch}`),
    forkOf,
    joined,
    async addWorktree(path, branch, from) {
      const refused = await inTurn(() => added(path, branch, from))
      if (refused !== null || isFilled(path)) return refused
      // Branch and files are created outside of the lock, because many files take long. One that was killed halfway gets the rest now.
      const on = (await idOf(`refs/heads/${branch}`)) === null ? ['-b', branch] : [branch]
      const lane = sure(lanes[filled++ % lanes.length], 'lane')
      return lane(() => write(['-C', path, 'checkout', '--quiet', '--force', '--no-recurse-submodules', ...on, '--']))
    },
    removeWorktrees: (paths) =>
      inTurn(async () => {
        const error = await removeFolders([...paths, ...gitDirsFor(repo.dir, paths)])
        return error === null ? null : { error }
      }),
    deleteBranches: (branches) =>
      inTurn(async () => {
        const there = []
        for (const branch of branches) if ((await idOf(`refs/heads/${branch}`)) !== null) there.push(branch)
        return there.length === 0 ? null : write(['branch', '--quiet', '-D', '--', ...there])
      }),
    async listWorktrees() {
      const { out } = await run(['worktree', 'list', '--porcelain', '-z'])
      return out
        .toString()
        .split('\0\0')
        .map((part) => part.split('\0'))
        .flatMap((lines) => {
          const after = (key: string) => lines.find((line) => line.startsWith(`${key} `))?.slice(key.length + 1)
          const path = after('worktree')
          return path === undefined ? [] : [{ path, branch: (after('branch') ?? '').replace(/^refs\/heads\//, '') }]
        })
    },
    async takeOwn(from) {
      const head = sure(await idOf('HEAD'), 'commit in the worktree')
      const wanted = await idOf(`${from}:${statePath}`)
      if (wanted === (await idOf(`${head}:${statePath}`))) return
      const commit = await ownCommitOf(repo, {
        tree: await withOwnOf(head, from),
        parents: [head],
        message: 'chore(ralph): files of the run\n',
      })
      await git(repo, ['reset', '--hard', '--quiet', commit], { kind: 'write' })
    },
    async advance(commit) {
      // Ignored files may be all that is left of it: settings, keys, a cache that took a night.
      const move = () => write(['merge', '--ff-only', '--quiet', '--no-overwrite-ignore', commit])
      const first = await move()
      // An editor that looks at the repository, or another git of ours, has the lock for a moment.
      const isFree = first !== null && /index\.lock/.test(first.error) && (await whyLocked(repo.dir)) === null
      const refused = isFree ? await move() : first
      const isUndone = refused !== null && (await undoHalf(repo, commit).catch(() => false))
      return isUndone ? move() : refused
    },
    async commitAll(message, notes) {
      const head = sure(await idOf('HEAD'), 'commit in the worktree')
      const tree = await withIndex(repo, head, async (env) => {
        await git(repo, ['add', '--all', '--', ...repo.others], { kind: 'write', env })
        for (const { path, text } of notes) {
          replaceFile(join(repo.top, path), text)
          const blob = await gitId(repo, ['hash-object', '-w', '--stdin'], { input: text })
          await git(repo, ['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`], { kind: 'write', env })
        }
        return gitId(repo, ['write-tree'], { env })
      })
      if (tree === (await idOf(`${head}^{tree}`))) return null
      const commit = await commitOf(repo, { tree, parents: [head], message })
      await git(repo, ['update-ref', '-m', 'ralph', 'HEAD', commit, head], { kind: 'write' })
      await git(repo, ['read-tree', commit], { kind: 'write' })
      return commit
    },
    resetTo: (commit) => write(['reset', '--hard', '--quiet', commit]),
  }
}
