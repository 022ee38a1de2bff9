/** Commits and hashes of their content, as if `.ralph/` had never been committed. */
import { createHash } from 'node:crypto'
import type { GitObject } from './objects/object.ts'
import type { Objects } from './objects/read.ts'
import type { RunGit } from './run.ts'

export type CommitHistory = {
  /** The id that git would give the commit's tree without `.ralph/`. */
  contentOf(commit: string): Promise<string>
  /** What HEAD has and `head` does not, oldest first: the newest 500. null: there was no commit. */
  commitsSince(head: string | null): Promise<Since>
  isStraight(head: string): Promise<boolean>
  emptyTree: string
}

/** `isRewound`: HEAD lost commits that `head` had. */
export type Since = { commits: string[]; trees: string[]; isRewound: boolean }

/** `leftOut` is the path of `.ralph` from the top of the repository. */
export function historyOf(run: RunGit, objects: Objects, algorithm: string, leftOut: string[]): CommitHistory {
  const contents = new Map<string, string>()
  const emptyTree = treeId(algorithm, Buffer.alloc(0))

  async function contentOf(commit: string): Promise<string> {
    const known = contents.get(commit)
    if (known !== undefined) return known
    const tree = treeOf(await objects.read(commit))
    const content = tree === undefined ? commit : ((await treeWithout(objects, algorithm, tree, leftOut)) ?? emptyTree)
    if (contents.size >= MAX_COMMITS * 2) contents.clear()
    contents.set(commit, content)
    return content
  }

  async function commitsSince(head: string | null): Promise<Since> {
    const straight = await straightLine(objects, head)
    const commits = straight ?? (await listed(run, objects, head))
    const trees: string[] = []
    for (const commit of commits) trees.push(await contentOf(commit))
    const isRewound = straight === null && head !== null && !(await isAncestor(run, head))
    return { commits, trees, isRewound }
  }

  const isStraight = async (head: string): Promise<boolean> => (await straightLine(objects, head)) !== null

  return { contentOf, commitsSince, isStraight, emptyTree }
}

const isAncestor = async (run: RunGit, head: string): Promise<boolean> =>
  (await run(['merge-base', '--is-ancestor', head, 'HEAD'])).code === 0

const MAX_COMMITS = 500

/** The usual case, without starting git: from HEAD back to `head` through single parents. null: it is not that simple. */
async function straightLine(objects: Objects, head: string | null): Promise<string[] | null> {
  if (head === null) return null
  const commits: string[] = []
  let at = await objects.read('HEAD')
  while (at && at.id !== head) {
    const [parent, ...others] = parentsOf(at)
    if (parent === undefined || others.length > 0 || commits.length === MAX_COMMITS) return null
    commits.push(at.id)
    at = await objects.read(parent)
  }
  return at && commits.reverse()
}

async function listed(run: RunGit, objects: Objects, head: string | null): Promise<string[]> {
  const now = await objects.read('HEAD')
  if (!now) return []
  const without = head === null ? [] : [`^${head}`]
  const { code, out } = await run(['rev-list', '--topo-order', `--max-count=${MAX_COMMITS}`, now.id, ...without, '--'])
  // The old commit itself is gone: the only commit that is certainly new is the current one.
  return code === 0 ? out.toString('latin1').split('\n').filter(Boolean).reverse() : [now.id]
}

const headerOf = (commit: GitObject): string[] => {
  const end = commit.body.indexOf('\n\n')
  return commit.body.toString('latin1', 0, end === -1 ? undefined : end).split('\n')
}

const parentsOf = (commit: GitObject): string[] =>
  headerOf(commit).flatMap((line) => (line.startsWith('parent ') ? [line.slice(7)] : []))

const treeOf = (commit: GitObject | null): string | undefined =>
  commit === null
    ? undefined
    : headerOf(commit)
        .find((line) => line.startsWith('tree '))
        ?.slice(5)

/** null: nothing is left. */
async function treeWithout(objects: Objects, algorithm: string, id: string, [name, ...below]: string[]): Promise<string | null> {
  const tree = await objects.read(id)
  if (!tree || name === undefined) return id
  const entry = findEntry(tree.body, name, id.length / 2)
  if (!entry) return id
  const before = tree.body.subarray(0, entry.from)
  const after = tree.body.subarray(entry.to)
  const child = below.length > 0 && entry.isTree ? await treeWithout(objects, algorithm, entry.id, below) : null
  if (below.length > 0 && !entry.isTree) return id
  const kept = child === null ? [] : [tree.body.subarray(entry.from, entry.idFrom), Buffer.from(child, 'hex')]
  const body = Buffer.concat([before, ...kept, after])
  return body.length === 0 ? null : treeId(algorithm, body)
}

/** Entries of a tree are `<mode> <name>`, a zero byte, and the raw id. */
function findEntry(body: Buffer, name: string, idBytes: number) {
  const wanted = Buffer.from(name)
  for (let from = 0; from < body.length; ) {
    const nameFrom = body.indexOf(0x20, from) + 1
    const idFrom = body.indexOf(0, nameFrom) + 1
    const to = idFrom + idBytes
    if (body.subarray(nameFrom, idFrom - 1).equals(wanted)) {
      return { from, idFrom, to, isTree: body[from] === 0x34 /* 40000 */, id: body.toString('hex', idFrom, to) }
    }
    from = to
  }
  return null
}

const treeId = (algorithm: string, body: Buffer): string =>
  createHash(algorithm).update(`tree ${body.length}\0`).update(body).digest('hex')
