/** Reverts a story's commits when others' commits are in between, without touching the index, so that a conflict changes nothing. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { dropFile } from '../../files/files.ts'
import type { Aside } from './put-aside-request.ts'
import { commitOf, git, gitId, type RescueRepo, withIndex } from './trees.ts'

export type WayBack = { head: string; how: 'reset' | 'reverted' } | { problem: string }

/** Where the branch goes: to `from`, to before the story's older commits, or to a new commit on `head` that reverts the story's commits. */
export async function wayBack(
  repo: RescueRepo,
  { head: from }: { head: string },
  head: string,
  { ownCommits: own, branch, isForked }: Pick<Aside, 'ownCommits' | 'branch' | 'isForked'>,
): Promise<WayBack> {
  const start = await firstStart(repo, from, own)
  const range = (await git(repo, ['rev-list', '--topo-order', '--parents', head, `^${start}`, '--'])).split('\n').filter(Boolean)
  const commits = range.map((line) => line.split(' ')).map(([id = '', ...parents]) => ({ id, parents }))
  const isOwn = new Set(own)
  const others: string[] = []
  for (const { id, parents } of commits) if (!isOwn.has(id) && (await hasContent(repo, id, parents))) others.push(id)
  if (others.length === 0 && isForked !== true) return { head: start, how: 'reset' }
  const merge = commits.find(({ parents }) => parents.length !== 1)
  if (merge) return { problem: `${short(merge.id)} merges its commits with others': ${BY_HAND}` }
  const toRevert = commits.map(({ id }) => id).filter((id) => isOwn.has(id))
  const tree = await treeWithout(repo, head, toRevert)
  if (typeof tree !== 'string') return { problem: `reverting ${short(tree.conflict)} conflicts with later commits: ${BY_HAND}` }
  const isUnchanged = tree === (await gitId(repo, ['rev-parse', '--verify', `${head}^{tree}`]))
  if (isUnchanged) return { head, how: 'reverted' }
  const message = `revert: what is now on ${branch}\n\n${toRevert.map((id) => `This reverts commit ${id}.\n`).join('')}`
  return { head: await commitOf(repo, { tree, parents: [head], message }), how: 'reverted' }
}

const BY_HAND = "revert the story's commits by hand."

const short = (commit: string): string => commit.slice(0, 10)

/** If the state was saved again, because somebody changed the repository in between, the story has older commits. */
async function firstStart(repo: RescueRepo, from: string, own: string[]): Promise<string> {
  const older: string[] = []
  for (const id of own) {
    const isOlder = (await repo.run(['merge-base', '--is-ancestor', id, from])).code === 0
    if (isOlder) older.push(`${id}^`)
  }
  return older.length === 0 ? from : gitId(repo, ['merge-base', '--octopus', from, ...older])
}

/** Whether a commit changes anything outside `.ralph/`. */
async function hasContent(repo: RescueRepo, commit: string, [parent]: string[]): Promise<boolean> {
  return parent === undefined || (await repo.contentOf(commit)) !== (await repo.contentOf(parent))
}

/** Newest first. Their changes to `.ralph/` stay. */
async function treeWithout(repo: RescueRepo, head: string, commits: string[]): Promise<string | { conflict: string }> {
  const patch = join(repo.dir, 'ralph-rescue.patch')
  try {
    return await withIndex(repo, head, async (env) => {
      for (const commit of commits) {
        await git(repo, ['diff-tree', ...PATCH, `--output=${patch}`, commit, `${commit}^`, '--', ...repo.others])
        if (statSync(patch).size === 0) continue
        const { code } = await repo.run([...APPLY, patch], { kind: 'write', env })
        if (code !== 0) return { conflict: commit }
      }
      return gitId(repo, ['write-tree'], { env })
    })
  } finally {
    dropFile(patch)
  }
}

const PATCH = ['-r', '-p', '--binary', '--full-index', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-color']
const APPLY = [
  '-c',
  'rerere.enabled=false',
  '-c',
  'apply.ignoreWhitespace=no',
  'apply',
  '--cached',
  '--3way',
  '--whitespace=nowarn',
]
