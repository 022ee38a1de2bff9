/** Worktrees: places beside the work tree where stories are worked on at the same time, and how their work comes onto the branch. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readIfThere, replaceFile } from '../files.ts'
import type { Refused } from './commit.ts'
import { commitOf, must, mustId, type Repo, WITHOUT_HOOKS, withIndex } from './rescue-trees.ts'

export type Worktrees = {
  /** Whether this git can merge without a work tree (2.38 and newer). */
  canMergeAside(): Promise<boolean>
  /** On the branch, which begins at `from` if it is new. What lies there on that branch already is taken as it is. null: done. */
  addWorktree(path: string, branch: string, from: string): Promise<Refused | null>
  /** With all that is in it; its branch stays. null: done. */
  removeWorktree(path: string): Promise<Refused | null>
  /** Those that are there, whatever is on them. null: done. */
  deleteBranches(branches: string[]): Promise<Refused | null>
  /** Worktrees and the branches in them. */
  listWorktrees(): Promise<{ path: string; branch: string }[]>
  /** null: there is no such branch. */
  branchTip(branch: string): Promise<string | null>
  /** Where two lines of work were last the same. */
  forkOf(one: string, other: string): Promise<string | null>
  /**
   * A commit with both, and `.ralph/` as `own` has it. null: ours has all of theirs. `fork`: where they parted, if that is known.
   * Commits are given by their ids. Asked once more for the last merge, it has it.
   */
  joined(ours: string, theirs: string, own: 'ours' | 'theirs', message: string, fork?: string | null): Promise<Joined | null>
  /** The branch that is checked out takes `.ralph/` from a commit, so that a merge with it will not stumble over that. */
  takeOwn(from: string): Promise<void>
  /** The branch that is checked out goes on to a commit that has all it has, and the files with it. null: done. */
  advance(commit: string): Promise<Refused | null>
  /** Everything that is uncommitted, and notes that git would ignore, as one commit on the branch; null: there is nothing. */
  commitAll(message: string, notes: { path: string; text: string }[]): Promise<string | null>
  /** The branch that is checked out, its index and its tracked files are as the commit has them. null: done. */
  resetTo(commit: string): Promise<Refused | null>
}

/** `isSame`: its content is that of `theirs`, so what was found out about that holds. */
export type Joined = { commit: string; isSame: boolean } | { conflict: string }

export function worktreesOf(repo: Repo, statePath: string): Worktrees {
  const { run, objects, contentOf } = repo
  const idOf = async (name: string): Promise<string | null> => (await objects.read(name))?.id ?? null
  const write = async (args: string[]): Promise<Refused | null> => {
    const { code, words } = await run([...WITHOUT_HOOKS, ...args], { kind: 'write' })
    return code === 0 ? null : { error: words }
  }

  /** The same work without what it did to `.ralph/`: that is written by the run alone. */
  async function withoutOwn(commit: string, fork: string): Promise<string> {
    const [then, now] = [await idOf(`${fork}:${statePath}`), await idOf(`${commit}:${statePath}`)]
    if (then === now) return commit
    const tree = await replaced(`${commit}^{tree}`, statePath.split('/'), then)
    return commitOf(repo, tree, [fork], 'ralph: the work alone\n', true)
  }

  /** The tree with another folder, or none, at this path. */
  async function replaced(tree: string | null, [name, ...below]: string[], folder: string | null): Promise<string> {
    const listed = tree === null ? '' : await must(repo, ['ls-tree', '-z', tree])
    const lines = listed.split('\0').filter((line) => line !== '')
    const there = lines.find((line) => line.endsWith(`\t${name}`))
    const inside = there === undefined ? null : there.split(/[ \t]/)[2]!
    const child = below.length === 0 ? folder : await replaced(inside, below, folder)
    const others = lines.filter((line) => line !== there)
    const all = child === null ? others : [...others, `040000 tree ${child}\t${name}`]
    return mustId(repo, ['mktree', '-z'], { input: all.map((line) => `${line}\0`).join('') })
  }

  /** git stumbles over a worktree that another git is about to make or remove. */
  const inTurn = turns()
  /** Files are written beside each other, but many at once are in each other's way, and the first one is ready as late as the last. */
  const lanes = [turns(), turns()]
  let filled = 0

  async function added(path: string, branch: string, from: string): Promise<Refused | null> {
    if (existsSync(join(path, '.git'))) {
      const { out } = await run(['-C', path, 'symbolic-ref', '--quiet', '--short', 'HEAD'])
      const there = out.toString().trim()
      const isOurs = there === branch || (there === '' && !isFilled(path))
      return isOurs ? null : { error: `${path} is in use${there === '' ? '' : ` by the branch ${there}`}` }
    }
    // Forced, because a worktree that was removed by hand is still known to git.
    return write(['worktree', 'add', '--quiet', '--force', '--no-checkout', '--detach', path, from])
  }

  let ahead: { key: string; made: Promise<Joined | null> } | undefined
  async function joined(...[ours, theirs, own, message, known]: Parameters<Worktrees['joined']>): Promise<Joined | null> {
    const fork = known ?? (await forkOf(ours, theirs))
    if (fork === theirs) return null
    if (fork === null) return { conflict: 'the two have no commit in common' }
    const work = own === 'ours' ? await withoutOwn(theirs, fork) : theirs
    const base = own === 'ours' ? ours : await withoutOwn(ours, fork)
    if (fork === ours && work === theirs) return { commit: theirs, isSame: true }
    const merged = await run(['merge-tree', '--write-tree', '--name-only', base, work], { kind: 'write' })
    const said = merged.out.toString()
    const [tree] = said.split('\n')
    if (merged.code !== 0) return { conflict: merged.code === 1 ? conflictWords(said) : merged.words }
    const commit = await commitOf(repo, tree!, [ours, theirs], message)
    return { commit, isSame: (await contentOf(commit)) === (await contentOf(theirs)) }
  }

  async function forkOf(one: string, other: string): Promise<string | null> {
    const { code, out } = await run(['merge-base', one, other])
    return code === 0 ? out.toString().trim() : null
  }

  return {
    canMergeAside: async () => (await run(['merge-tree', '--write-tree', 'HEAD', 'HEAD'], { kind: 'write' })).code === 0,
    branchTip: (branch) => idOf(`refs/heads/${branch}`),
    forkOf,
    async addWorktree(path, branch, from) {
      const refused = await inTurn(() => added(path, branch, from))
      if (refused !== null || isFilled(path)) return refused
      // Branch and files come outside of the turn: with many files that takes long. One that was killed before they were all there gets them now.
      const on = (await idOf(`refs/heads/${branch}`)) === null ? ['-b', branch] : ['--ignore-other-worktrees', branch]
      const lane = lanes[filled++ % lanes.length]!
      return lane(() => write(['-C', path, 'checkout', '--quiet', '--force', '--no-recurse-submodules', ...on, '--']))
    },
    removeWorktree: (path) =>
      inTurn(async () => {
        const refused = await write(['worktree', 'remove', '--force', '--force', path])
        if (refused !== null && existsSync(path)) return refused
        if (refused !== null) await write(['worktree', 'prune'])
        return null
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
    joined(...merge) {
      const key = merge.join('\0')
      const made = ahead?.key === key ? ahead.made : joined(...merge)
      const mine = { key, made }
      ahead = mine
      const forget = (): void => {
        if (ahead === mine) ahead = undefined
      }
      // What may have failed for want of something is tried again.
      made.then((merged) => merged !== null && 'conflict' in merged && forget(), forget)
      return made
    },
    async takeOwn(from) {
      const head = (await idOf('HEAD'))!
      const wanted = await idOf(`${from}:${statePath}`)
      if (wanted === (await idOf(`${head}:${statePath}`))) return
      const tree = await replaced(`${head}^{tree}`, statePath.split('/'), wanted)
      const commit = await commitOf(repo, tree, [head], 'chore(ralph): files of the run\n', true)
      await must(repo, ['reset', '--hard', '--quiet', commit], { kind: 'write' })
    },
    advance: (commit) => write(['merge', '--ff-only', '--quiet', commit]),
    async commitAll(message, notes) {
      const head = (await idOf('HEAD'))!
      const tree = await withIndex(repo, head, async (env) => {
        await must(repo, ['add', '--all', '--', ...repo.others], { kind: 'write', env })
        for (const { path, text } of notes) {
          replaceFile(join(repo.top, path), text)
          const blob = await mustId(repo, ['hash-object', '-w', '--stdin'], { input: text })
          await must(repo, ['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`], { kind: 'write', env })
        }
        return mustId(repo, ['write-tree'], { env })
      })
      if (tree === (await idOf(`${head}^{tree}`))) return null
      const commit = await commitOf(repo, tree, [head], message)
      await must(repo, ['update-ref', '-m', 'ralph', 'HEAD', commit, head], { kind: 'write' })
      await must(repo, ['read-tree', commit], { kind: 'write' })
      return commit
    },
    resetTo: (commit) => write(['reset', '--hard', '--quiet', commit]),
  }
}

function turns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = last.then(work)
    last = done.catch(() => {}) // whoever asked is told
    return done
  }
}

/** git writes the index when all files are there: before that, nobody can have worked there. */
const isFilled = (path: string): boolean => existsSync(join(gitDirOf(path), 'index'))

/** A worktree's own is named in a file. */
export const gitDirOf = (path: string): string =>
  resolve(path, (readIfThere(join(path, '.git')) ?? '').replace(/^gitdir: /, '').trimEnd())

/** Without the tree's id in the first line: the files, and what git says of each. */
function conflictWords(said: string): string {
  const [, ...lines] = said.split('\n')
  const end = lines.indexOf('')
  const files = lines.slice(0, end === -1 ? undefined : end)
  const messages = end === -1 ? [] : lines.slice(end + 1).filter((line) => line.startsWith('CONFLICT'))
  return [...(messages.length > 0 ? messages : files)].join('\n')
}
