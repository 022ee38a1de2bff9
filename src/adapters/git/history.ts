/** Commits and hashes of their content, as if `.ralph/` had never been committed. */
import { createHash } from 'node:crypto'
import type { GitObject, Objects } from './objects/read.ts'
import { namesIn, treeNamed, withFolder } from './objects/trees.ts'
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
export function historyOf(run: RunGit, objects: Objects, algorithm: string, leftOut: string): CommitHistory {
  const contents = new Map<string, string>()
  const emptyTree = treeId(algorithm, Buffer.alloc(0))

  async function contentOf(commit: string): Promise<string> {
    const known = contents.get(commit)
    if (known !== undefined) return known
    const tree = (await treeNamed(objects, commit))?.id
    const without = { tree: tree ?? commit, at: namesIn(leftOut), folder: null }
    const content = (await withFolder(objects, without, (body) => treeId(algorithm, body))) ?? emptyTree
    if (contents.size >= MAX_COMMITS * 2) contents.clear()
    contents.set(commit, content)
    return content
  }

  async function commitsSince(head: string | null): Promise<Since> {
    const straight = await straightLine(objects, head, false)
    const commits = straight ?? (await listed(run, objects, head))
    const trees: string[] = []
    for (const commit of commits) trees.push(await contentOf(commit))
    const isRewound = straight === null && head !== null && !(await isAncestor(run, head))
    return { commits, trees, isRewound }
  }

  const isStraight = async (head: string): Promise<boolean> => (await straightLine(objects, head, true)) !== null

  return { contentOf, commitsSince, isStraight, emptyTree }
}

const isAncestor = async (run: RunGit, head: string): Promise<boolean> =>
  (await run(['merge-base', '--is-ancestor', head, 'HEAD'])).code === 0

const MAX_COMMITS = 500

/**
 * The usual case, without starting git: from HEAD back to `head` through single parents. null: it is not that simple. `mustExist`: or `head` itself
 * is gone.
 */
async function straightLine(objects: Objects, head: string | null, mustExist: boolean): Promise<string[] | null> {
  if (head === null) return null
  const commits: string[] = []
  let at = await objects.read('HEAD')
  while (at && at.id !== head) {
    const [parent, ...others] = parentsOf(at)
    if (parent === undefined || others.length > 0 || commits.length === MAX_COMMITS) return null
    commits.push(at.id)
    if (parent === head && !mustExist) return commits.reverse()
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

function parentsOf({ body }: GitObject): string[] {
  const [, lines = ''] = /^tree \w+\n((?:parent \w+\n)*)/.exec(body.toString('latin1')) ?? []
  return [...lines.matchAll(/parent (\w+)/g)].flatMap(([, id]) => id ?? [])
}

const treeId = (algorithm: string, body: Buffer): string =>
  createHash(algorithm).update(`tree ${body.length}\0`).update(body).digest('hex')
