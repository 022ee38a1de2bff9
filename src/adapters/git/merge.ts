/** Merges two lines of work without touching index and work tree. Only the run writes `.ralph/`, so it is never merged. */
import { entriesOf, FOLDER, namesIn, type TreeEntry, withFolder } from './objects/trees.ts'
import { treeOf } from './rescue/capture-state.ts'
import { commitOf, git, ownCommitOf, type RescueRepo, withIndex } from './rescue/trees.ts'

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
  const { run, objects, writer, contentOf } = repo

  async function forkOf(one: string, other: string): Promise<string | null> {
    const { code, out } = await run(['merge-base', one, other])
    return code === 0 ? out.toString().trim() : null
  }

  /** The id of `.ralph/` in a commit; null: it has none. */
  async function ownOf(commit: string): Promise<string | null> {
    let at: string | null = commit
    for (const name of namesIn(statePath)) {
      const entry: TreeEntry | undefined = at === null ? undefined : (await entriesOf(objects, at))?.get(name)
      at = entry?.mode === FOLDER ? entry.id : null
    }
    return at
  }

  async function withOwnOf(commit: string, from: string): Promise<string> {
    const wanted = { tree: await treeOf(repo, commit), at: namesIn(statePath), folder: await ownOf(from) }
    return (await withFolder(objects, wanted, writer.tree)) ?? writer.tree(Buffer.alloc(0))
  }

  /** The same work without its changes to `.ralph/`. */
  async function withoutOwn(commit: string, fork: string, isGrafted = false): Promise<string> {
    if (!isGrafted && (await ownOf(fork)) === (await ownOf(commit))) return commit
    return ownCommitOf(repo, { tree: await withOwnOf(commit, fork), parents: [fork], message: 'ralph: the work alone\n' })
  }

  /** The tree of both. A new file stays in the folder where it was added, though the other side moved that folder. */
  async function merged(fork: string, base: string, work: string): Promise<string | { conflict: string }> {
    const command = ['-c', 'merge.directoryRenames=false', 'merge-tree', '--write-tree', '--name-only', base, work]
    const { code, out } = await run(command, { kind: 'write' })
    if (code === 1) return { conflict: conflictWords(out.toString()) }
    return code === 0 ? out.toString().replace(/\n.*/s, '') : mergedByFiles(fork, base, work)
  }

  /** By a git older than 2.38: what both changed is a conflict. */
  const mergedByFiles = (fork: string, base: string, work: string): Promise<string | { conflict: string }> =>
    withIndex(repo, base, async (env) => {
      await git(repo, ['read-tree', '-i', '-m', '--aggressive', fork, base, work], { kind: 'write', env })
      const { code, out, words } = await run(['write-tree'], { kind: 'write', env })
      return code === 0 ? out.toString().trim() : { conflict: words }
    })

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
      const tree = await merged(fork, base, work)
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
