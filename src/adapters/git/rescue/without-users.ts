/** Takes the user's uncommitted files out of the commits that an agent made. */
import type { RepositoryState } from './capture-state.ts'
import { type FileEntry, filesOf, git, gitId, type RescueRepo, type TreeChanges, treeWith } from './trees.ts'

/** `from`: HEAD before the agent. `isOthers`: a commit that the agent did not make, which stays as it is. */
export type AgentCommits = { from: string; isOthers(commit: string, committedMs: number): boolean }

/** The files that were taken out, and where each of the user's files had been moved. */
export type TakenOut = { paths: string[]; moved: Map<string, string> }

const nothing: TakenOut = { paths: [], moved: new Map() }

/**
 * Makes the commits since `from` again without any change to these files of the user, and HEAD's branch points to the new ones. Author, time and
 * message stay; a commit with nothing else in it is left out.
 */
export async function takeOut(
  repo: RescueRepo,
  saved: RepositoryState,
  files: string[],
  { from, isOthers }: AgentCommits,
): Promise<TakenOut> {
  const now = (await repo.objects.read('HEAD'))?.id ?? null
  const own = new Set(files.filter((path) => saved.work.has(path)))
  if (now === null || now === from || own.size === 0) return nothing
  const commits = await commitsBetween(repo, from, now)
  if (commits.length === 0) return nothing
  const moves = await movesOf(repo, saved, own, now)
  const isUsers = ({ path, to }: Changed): boolean =>
    own.has(path) || (to !== null && moves.get(to.id) !== undefined && path !== moves.get(to.id))
  const [atStart, start] = await Promise.all([filesOf(repo, from), repo.objects.read(from)])
  const done = new Map<string, NewCommitOf>()
  const paths = new Set<string>()
  const moved = new Map<string, string>()
  for (const commit of commits) {
    const isAgents = !isOthers(commit.id, commit.committedMs)
    // An amended commit is compared with the one that it replaces.
    const isAmended = isAgents && start !== null && sameParents(start.body, commit.parents)
    const fixes: TreeChanges = new Map(isAmended ? [...own].map((path) => [path, atStart.get(path) ?? null]) : [])
    for (const [path, sides] of candidates(commit, done)) {
      const changed = sides.every((side) => side !== undefined) ? sides[0] : undefined
      const isTaken = isAgents && changed !== undefined && isUsers(changed)
      if (!isTaken && changed !== undefined) continue // somebody else's change of it
      const at = isTaken ? 0 : sides.indexOf(undefined)
      const parent = commit.parents[at]
      const before = parent === undefined ? (atStart.get(path) ?? null) : valueAt(done.get(parent), path, sides[at]?.from)
      if (before !== undefined && !fixes.has(path)) fixes.set(path, before)
      if (!isTaken) continue
      const source = changed.to === null || own.has(path) ? path : (moves.get(changed.to.id) ?? path)
      paths.add(source)
      if (source !== path) moved.set(source, path)
    }
    done.set(commit.id, await madeAgain(repo, commit, fixes, { done, replaced: isAmended ? from : null }))
  }
  const head = done.get(now)?.id ?? now
  if (head === now) return nothing
  await git(repo, ['update-ref', '-m', "ralph: without the user's uncommitted files", 'HEAD', head, now], { kind: 'write' })
  return { paths: [...paths], moved }
}

/** A commit's change of a file against one parent. */
type Changed = { path: string; from: FileEntry | null; to: FileEntry | null }
type OldCommit = { id: string; tree: string; parents: string[]; committedMs: number; changes: Map<string, Changed>[] }
/** The new commit, and what differs in it from the old one. */
type NewCommitOf = { id: string; tree: string; fixes: TreeChanges }

/** Oldest first. */
async function commitsBetween(repo: RescueRepo, from: string, to: string): Promise<OldCommit[]> {
  const how = ['--raw', '-r', '-z', '--root', ...RAW, '--topo-order', '--no-show-signature']
  const text = await git(repo, ['log', '--format=%x00%x01%H %T %ct %P%x00', ...how, to, `^${from}`, '--'])
  const [, ...pieces] = text.split(/\0\x01(?=[0-9a-f]{40,64} )/)
  const commits: OldCommit[] = []
  for (const piece of pieces.reverse()) {
    const end = piece.indexOf('\0')
    const [id = '', tree = '', seconds = '', ...parents] = piece.slice(0, end).trimEnd().split(' ')
    const changes = parents.length < 2 ? [changesIn(piece.slice(end))] : await changesOfMerge(repo, id, parents)
    commits.push({ id, tree, parents, committedMs: Number(seconds) * 1000, changes })
  }
  return commits
}

const RAW = ['--no-renames', '--no-abbrev', '--ignore-submodules=none']

/** A log leaves out a parent that a merge does not differ from. */
const changesOfMerge = (repo: RescueRepo, commit: string, parents: string[]): Promise<Map<string, Changed>[]> =>
  Promise.all(parents.map(async (parent) => changesIn(await git(repo, ['diff-tree', '-r', '-z', ...RAW, parent, commit]))))

function changesIn(raw: string): Map<string, Changed> {
  const found = raw.matchAll(/:(\d+) (\d+) (\w+) (\w+) \w+\0([^\0]*)\0/g)
  const side = (mode = '', id = ''): FileEntry | null => (mode === '000000' ? null : { mode, id })
  return new Map(
    Array.from(found, ([, oldMode, newMode, oldId, newId, path = '']) => [
      path,
      { path, from: side(oldMode, oldId), to: side(newMode, newId) },
    ]),
  )
}

/** Each path that this commit changes, or a parent has otherwise now: its change against each parent; undefined: as in that parent. */
function candidates({ parents, changes }: OldCommit, done: Map<string, NewCommitOf>): [string, (Changed | undefined)[]][] {
  const inherited = parents.flatMap((parent) => [...(done.get(parent)?.fixes.keys() ?? [])])
  const paths = new Set([...changes.flatMap((map) => [...map.keys()]), ...inherited])
  const count = Math.max(1, parents.length)
  return [...paths].map((path) => [path, Array.from({ length: count }, (_, at) => changes[at]?.get(path))])
}

/** Undefined: the parent has it as before, and so has this commit. */
function valueAt(parent: NewCommitOf | undefined, path: string, old: FileEntry | null | undefined): FileEntry | null | undefined {
  const fixed = parent?.fixes.get(path)
  return fixed === undefined ? old : fixed
}

/** Where a user's file is gone in the last commit, its content may be there under another name: by content, the user's path. */
async function movesOf(repo: RescueRepo, saved: RepositoryState, own: Set<string>, now: string): Promise<Map<string, string>> {
  const there = await filesOf(repo, now)
  const known = new Set([...(await filesOf(repo, saved.head)).values()].map(({ id }) => id))
  const moves = new Map<string, string>()
  for (const path of own) {
    const entry = saved.work.get(path)
    if (entry && !there.has(path) && !known.has(entry.id) && !(await isEmpty(repo, entry.id))) moves.set(entry.id, path)
  }
  return moves
}

export const isEmpty = async (repo: RescueRepo, blob: string): Promise<boolean> =>
  (await repo.objects.read(blob))?.body.length === 0

async function madeAgain(
  repo: RescueRepo,
  { id, tree, parents }: OldCommit,
  fixes: TreeChanges,
  { done, replaced }: { done: Map<string, NewCommitOf>; replaced: string | null },
): Promise<NewCommitOf> {
  const mapped = parents.map((parent) => done.get(parent)?.id ?? parent)
  const isSameLine = mapped.every((parent, at) => parent === parents[at])
  if (fixes.size === 0 && isSameLine) return { id, tree, fixes }
  const newTree = fixes.size === 0 ? tree : await treeWith(repo, id, fixes)
  const [parent] = mapped
  const isLine = parents.length === 1 && parent !== undefined
  const wasEmpty = isLine && tree === (await treeAt(repo, parents[0] ?? ''))
  if (isLine && !wasEmpty && newTree === (await treeAt(repo, parent))) return { id: parent, tree: newTree, fixes }
  if (replaced !== null && newTree !== tree && newTree === (await treeAt(repo, replaced)))
    return { id: replaced, tree: newTree, fixes } // nothing but the user's files was in it
  if (newTree === tree && isSameLine) return { id, tree, fixes }
  const commit = await repo.objects.read(id)
  if (commit === null) return { id, tree, fixes }
  const input = withLine(commit.body, newTree, mapped)
  return { id: await gitId(repo, ['hash-object', '-t', 'commit', '-w', '--stdin'], { input }), tree: newTree, fixes }
}

const treeAt = async (repo: RescueRepo, commit: string): Promise<string> =>
  (await repo.objects.read(`${commit}^{tree}`))?.id ?? ''

const sameParents = (body: Buffer, parents: string[]): boolean =>
  [...headerOf(body).matchAll(/^parent (\w+)$/gm)].map(([, id]) => id).join(' ') === parents.join(' ')

const headerOf = (body: Buffer): string => body.toString('latin1', 0, body.indexOf('\n\n'))

/** The same commit with another tree and other parents. A signature would be wrong, so it goes. */
function withLine(body: Buffer, tree: string, parents: string[]): Buffer {
  const rest = headerOf(body)
    .replace(/^(?:tree|parent) .*\n/gm, '')
    .replace(/^gpgsig(?:-sha256)? .*(?:\n .*)*\n?/gm, '')
    .replace(/\n$/, '')
  const header = [`tree ${tree}`, ...parents.map((parent) => `parent ${parent}`), rest].join('\n')
  return Buffer.concat([Buffer.from(header, 'latin1'), body.subarray(body.indexOf('\n\n'))])
}
