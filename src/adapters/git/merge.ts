/** Merges two lines of work without touching index and work tree. Only the run writes `.ralph/`, so it is never merged. */
import { plainMerge } from './objects/plain-merge.ts'
import { entriesOf, FOLDER, type GitTree, type TreeEntry, treeBody } from './objects/trees.ts'
import { commitOf, ownCommitOf, type RescueRepo } from './rescue/trees.ts'

/** `isSame`: its content is that of `theirs`, so check results for that stay valid. */
export type Joined = { commit: string; isSame: boolean } | { conflict: string }

type JoinHow = { own: 'ours' | 'theirs'; message: string; fork?: string | null | undefined; isGrafted?: boolean }

export type Joining = {
  /** Where two lines of work split. */
  forkOf(one: string, other: string): Promise<string | null>
  /**
   * A commit with both, and `.ralph/` as `own` has it. null: ours already has all of theirs. `fork`: where they split, if known. `isGrafted`:
   * theirs counts as work after the fork, whatever git knows of its history. Commits are ids.
   */
  joined(ours: string, theirs: string, how: JoinHow): Promise<Joined | null>
  /** The commit's tree with the `.ralph/` of another commit. */
  withOwnOf(commit: string, from: string): Promise<string>
}

export function joiningOf(repo: RescueRepo, statePath: string): Joining {
  const { run, objects, store, contentOf } = repo
  const way = statePath.split('/').map((name) => Buffer.from(name).toString('latin1')) // as trees have them

  async function forkOf(one: string, other: string): Promise<string | null> {
    const { code, out } = await run(['merge-base', one, other])
    return code === 0 ? out.toString().trim() : null
  }

  /** The tree with another folder, or none, at this path. */
  async function replaced(tree: string | null, [name = '', ...below]: string[], folder: string | null): Promise<GitTree> {
    const entries: GitTree = new Map(tree === null ? [] : await entriesOf(objects, tree))
    const there = entries.get(name)
    const inside = below.length === 0 ? null : await replaced(there?.mode === FOLDER ? there.id : null, below, folder)
    const child = inside === null ? folder : inside.size === 0 ? null : store.write('tree', treeBody(inside))
    if (child === null) entries.delete(name)
    else entries.set(name, { mode: FOLDER, id: child })
    return entries
  }

  /** The id of `.ralph/` in a commit; null: it has none. */
  async function ownOf(commit: string): Promise<string | null> {
    let at: string | null = commit
    for (const name of way) {
      const entry: TreeEntry | undefined = at === null ? undefined : (await entriesOf(objects, at))?.get(name)
      at = entry?.mode === FOLDER ? entry.id : null
    }
    return at
  }

  const withOwnOf = async (commit: string, from: string): Promise<string> =>
    store.write('tree', treeBody(await replaced(commit, way, await ownOf(from))))

  /** The same work without its changes to `.ralph/`. */
  async function withoutOwn(commit: string, fork: string, isGrafted = false): Promise<string> {
    if (!isGrafted && (await ownOf(fork)) === (await ownOf(commit))) return commit
    return ownCommitOf(repo, { tree: await withOwnOf(commit, fork), parents: [fork], message: 'ralph: the work alone\n' })
  }

  /** Both changed the same file, or added and removed the same folder. */
  async function mergedByGit(base: string, work: string): Promise<string | { conflict: string }> {
    const { code, out, words } = await run(['merge-tree', '--write-tree', '--name-only', base, work], { kind: 'write' })
    if (code !== 0) return { conflict: code === 1 ? conflictWords(out.toString()) : words }
    return out.toString().replace(/\n.*/s, '')
  }

  return {
    forkOf,
    withOwnOf,
    async joined(ours, theirs, { own, message, fork: known, isGrafted }) {
      const fork = known ?? (await forkOf(ours, theirs))
      if (fork === theirs) return null
      if (fork === null) return { conflict: 'the histories have no commit in common' }
      const work = own === 'ours' ? await withoutOwn(theirs, fork, isGrafted) : theirs
      const base = own === 'ours' ? ours : await withoutOwn(ours, fork)
      if (fork === ours && work === theirs) return { commit: theirs, isSame: true }
      const tree =
        (await plainMerge(repo, { fork, ours: base, theirs: work }, { path: way, side: own })) ?? (await mergedByGit(base, work))
      if (typeof tree !== 'string') return tree
      const commit = await commitOf(repo, { tree, parents: [ours, theirs], message })
      return { commit, isSame: (await contentOf(commit)) === (await contentOf(theirs)) }
    },
  }
}

/** Without the tree's id in the first line: the files, and git's message about each. */
function conflictWords(said: string): string {
  const [, ...lines] = said.split('\n')
  const end = lines.indexOf('')
  const files = lines.slice(0, end === -1 ? undefined : end)
  const messages = end === -1 ? [] : lines.slice(end + 1).filter((line) => line.startsWith('CONFLICT'))
  return [...(messages.length > 0 ? messages : files)].join('\n')
}
