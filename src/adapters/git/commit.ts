/** Commits exactly the named paths: everything else that the user staged stays staged, and other dirty files stay dirty. */
import { statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '../../core/failure.ts'
import { dropFile, errorCode, isMissing } from '../files/files.ts'
import { copyRegular } from '../files/open.ts'
import type { IndexBits } from './hidden-by-index.ts'
import { whyLocked } from './index-lock.ts'
import type { Objects } from './objects/read.ts'
import { filesBelow, keyOf, namesIn, type TreeEntry, withFiles } from './objects/trees.ts'
import type { Writer } from './objects/write.ts'
import { isOfTheWorld, type RunGit, type Said } from './run.ts'
import type { DirtyPath } from './status.ts'

/** `isPassing`: a temporary problem, not a hook's refusal: no space, a killed git, a lock. The same commit works later. */
export type CommitRefused = { error: string; isPassing?: true }

/** `isOther`: a hook changed the commit, or removed it from the branch. `leftOut`: uncommitted files that a hook had added. */
export type Made = { commit: string; isOther?: true; leftOut?: string[] }

/** What is checked out: the commit, and its content. */
export type CommitHead = { id: string; tree: string }

/** Where a commit is made. `isOwn`: a path of Ralph's own files. */
type CommitsIn = { run: RunGit; dir: string; readHead: () => Promise<CommitHead>; isOwn: (path: string) => boolean }

/**
 * null: nothing to commit. Refusals (a hook, a signature, a full disk) come back in git's own words. The commit is made from a copy of the index, so
 * that a refusal leaves the user's index as it was. (`git commit --only` would restore files that were removed from the index but kept on disk.)
 */
export async function commitChanges(
  { run, dir, readHead, isOwn }: CommitsIn,
  message: string,
  changes: { wanted: DirtyPath[]; others: DirtyPath[] },
  hooks: boolean | { from: string },
): Promise<Made | CommitRefused | null> {
  const wanted = changes.wanted.filter(isCommittable)
  if (wanted.length === 0) return null
  // Ralph could commit despite the lock, but not update the index, and the user's next commit would undo ours.
  const locked = await whyLocked(dir)
  if (locked !== null) return { error: locked, isPassing: true }
  const index = join(dir, 'ralph-index')
  const env = { ...LITERAL, GIT_INDEX_FILE: index }
  const toAdd = pathList(wanted.filter((change) => change.isUnstaged).map(({ path }) => path))
  const toLeaveOut = pathList(changes.others.filter((change) => change.isStaged).map(({ path }) => path))
  try {
    copyIndex(join(dir, 'index'), index)
    if (toLeaveOut !== '') assertDone(await run(['reset', '--quiet', ...FROM_INPUT], { kind: 'write', input: toLeaveOut, env }))
    if (toAdd !== '') assertDone(await run(['add', '--all', ...FROM_INPUT], { kind: 'write', input: toAdd, env }))
    // Only files that were staged and then changed again can come out unchanged.
    const mayBeSame = wanted.some((change) => change.isStaged && change.isUnstaged)
    const isSame = mayBeSame && (await run(['diff', '--cached', '--quiet'], { env })).code === 0
    const planned =
      isSame || hooks === false
        ? null
        : assertDone(await run(['write-tree'], { kind: 'write', env }))
            .out.toString()
            .trim()
    if (!isSame) await commit(run, { message, hooks, env })
    const added = planned === null ? [] : await changedByHooks(run, planned, (await readHead()).tree)
    const others = new Set(changes.others.map(({ path }) => path))
    const leftOut = added.filter(({ path }) => others.has(path))
    if (leftOut.length > 0) await commitWithout(run, leftOut, env)
    // Otherwise the user's next commit would undo ours.
    const ours = [...wanted, ...added].map(({ path }) => path).filter((path) => !others.has(path))
    const brought = await run(['reset', '--quiet', ...FROM_INPUT], { kind: 'write', input: pathList(ours), env: LITERAL })
    if (brought.code !== 0 && isOfTheWorld(brought.words)) return refusedIn(brought.words)
    if (isSame) return null
    const { id, tree } = await readHead()
    const told = leftOut.map(({ path }) => path).filter((path) => !isOwn(path))
    return {
      commit: id,
      ...(planned !== null && planned !== tree ? { isOther: true as const } : {}),
      ...(told.length === 0 ? {} : { leftOut: told }),
    }
  } catch (error) {
    const isOfFiles = error instanceof Failure || errorCode(error) !== ''
    return isOfFiles ? { error: (error as Error).message, isPassing: true } : refusedIn((error as Error).message)
  } finally {
    removeIndex(index)
  }
}

type FolderIn = Omit<CommitsIn, 'isOwn'> &
  Pick<IndexBits, 'stagedBelow'> & { objects: Objects; writer: Writer; emptyTree: string; noId: string }

/**
 * Commits Ralph's own folder, except some folders in it: HEAD's tree with what the index has there, so that neither git looks at all other files
 * nor the rest of the index changes. It runs between two iterations, so it starts one program; the careful way above, which protects what an agent
 * or a person did to the index, needs five.
 */
export async function commitFolder(
  repo: FolderIn,
  message: string,
  folder: string,
  except: string[] = [],
): Promise<{ commit: string; from: string | null } | CommitRefused | null> {
  const { run, dir, readHead, writer } = repo
  const locked = await whyLocked(dir)
  if (locked !== null) return { error: locked, isPassing: true }
  try {
    const what = ['--', `:(top,literal)${folder}`, ...except.map((path) => `:(top,exclude,literal)${path}`)]
    const added = await run(['add', '--all', ...what], { kind: 'write' })
    if (added.code !== 0) return /\bignored by\b|did not match any files/.test(added.words) ? null : { error: added.words }
    for (let isAgain = false; ; isAgain = true) {
      const head = await readHead().catch(() => null) // ours may be the first commit
      const from = head?.id ?? null
      const changes =
        (await changedInIndex(repo, head?.tree ?? null, { folder, except })) ??
        rawChanges(assertDone(await run([...RAW, from ?? repo.emptyTree, ...what])).out)
      if (changes.size === 0) return null
      const tree = (await withFiles(repo.objects, head?.tree ?? null, changes, writer.tree)) ?? (await writer.tree(nothing))
      const parents = from === null ? [] : [from]
      const commit = await writer.commit({ tree, parents, message: `${message}\n` }, { isUsers: true })
      const problem = await writer.setRef('HEAD', commit, from ?? repo.noId).then(
        () => null,
        (error: Error) => error,
      )
      const now =
        problem === null
          ? commit
          : await readHead().then(
              ({ id }) => id,
              () => null,
            )
      if (now === commit) return { commit, from }
      if (isAgain || now === from) throw problem // else somebody has committed meanwhile
    }
  } catch (error) {
    return { error: (error as Error).message }
  }
}

const nothing = Buffer.alloc(0)

const RAW = ['diff-index', '--cached', '-z', '--no-renames', '--no-abbrev', '--ignore-submodules=none']

/** The same from the index itself; null: git has to be asked. */
async function changedInIndex(
  { objects, stagedBelow }: FolderIn,
  tree: string | null,
  { folder, except }: { folder: string; except: string[] },
): Promise<Map<string, TreeEntry | null> | null> {
  const staged = stagedBelow(folder)
  if (staged === null) return null
  const changes = new Map<string, TreeEntry | null>(staged)
  for (const [path, entry] of await filesBelow(objects, tree, folder)) {
    const now = changes.get(path)
    if (now === undefined) changes.set(path, null)
    else if (keyOf(now ?? undefined) === keyOf(entry)) changes.delete(path)
  }
  const left = except.map((path) => namesIn(path).join('/'))
  for (const path of changes.keys()) if (left.some((one) => path === one || path.startsWith(`${one}/`))) changes.delete(path)
  return changes
}

/** By path, one character per byte, as `git diff-index` lists them. */
function rawChanges(out: Buffer): Map<string, TreeEntry | null> {
  const lines = out.toString('latin1').matchAll(/:\d+ (\d+) \w+ (\w+) \w+\0([^\0]*)\0/g)
  return new Map(Array.from(lines, ([, mode = '', id = '', path = '']) => [path, mode === '000000' ? null : { mode, id }]))
}

const refusedIn = (words: string): CommitRefused => ({
  error: words,
  ...(isOfTheWorld(words) ? { isPassing: true as const } : {}),
})

const FROM_INPUT = ['--pathspec-from-file=-', '--pathspec-file-nul']
const LITERAL = { GIT_LITERAL_PATHSPECS: '1' }
const OURSELVES = ['-c', 'user.name=ralph', '-c', 'user.email=ralph@localhost']

/** Not a nested repository; and a name that is not UTF-8 has lost bytes on its way here. */
const isCommittable = ({ path }: DirtyPath): boolean => !path.endsWith('/') && !path.includes('\uFFFD')

const pathList = (paths: string[]): string => paths.map((path) => `${path}\0`).join('')

/** What a hook changed in the commit. `line`: the intended entry, for an index. */
type ByHook = { path: string; line: string }

async function changedByHooks(run: RunGit, planned: string, tree: string): Promise<ByHook[]> {
  if (planned === tree) return []
  const { out } = assertDone(await run(['diff-tree', '-r', '-z', '--no-renames', '--no-abbrev', planned, tree]))
  const changes = out.toString().matchAll(/:(\d+) \d+ (\w+) \w+ \w+\0([^\0]*)\0/g)
  return Array.from(changes, ([, mode, id, path = '']) => ({ path, line: mode === '000000' ? `0 ${id}` : `${mode} ${id} 0` }))
}

/** A hook that adds everything takes files that are not part of this commit: commit again without them. */
async function commitWithout(run: RunGit, files: ByHook[], env: Record<string, string>): Promise<void> {
  const input = files.map(({ path, line }) => `${line}\t${path}\0`).join('')
  assertDone(await run(['update-index', '-z', '--index-info'], { kind: 'write', input, env }))
  const what = ['--amend', '--allow-empty', '--no-verify']
  await commit(run, { message: null, hooks: { from: '/dev/null' }, env, what })
}

function copyIndex(from: string, to: string): void {
  removeIndex(to)
  try {
    copyRegular(from, to)
    // git rereads files that are as young as the index itself: a younger copy would miss a file that changed in the same second.
    const { atimeMs, mtimeMs } = statSync(from)
    utimesSync(to, Math.floor(atimeMs / 1000), Math.floor(mtimeMs / 1000))
  } catch (error) {
    if (!isMissing(error)) throw error // nothing was ever staged: git starts an empty one
  }
}

/** With the lock that a killed git may have left. */
function removeIndex(index: string): void {
  for (const path of [index, `${index}.lock`]) dropFile(path)
}

type CommitHow = { message: string | null; hooks: boolean | { from: string }; env: Record<string, string>; what?: string[] }

async function commit(run: RunGit, { message, hooks, env, what = [] }: CommitHow): Promise<void> {
  const from = typeof hooks === 'object' ? hooks.from : hooks ? null : '/dev/null'
  const whichHooks = from === null ? [] : ['-c', `core.hooksPath=${from}`]
  // Ralph's bookkeeping needs no signature, and must not ask for one between two iterations.
  const unasked = hooks ? [] : ['--no-verify', '--no-gpg-sign']
  const args = [...whichHooks, 'commit', '--quiet', ...unasked, ...(message === null ? ['--no-edit'] : ['-m', message]), ...what]
  const how = { kind: hooks ? 'hooks' : 'write', env } as const
  const first = await run(args, how)
  if (first.code !== 0) assertDone((await knowsWhoWeAre(run)) ? first : await run([...OURSELVES, ...args], how))
}

async function knowsWhoWeAre(run: RunGit): Promise<boolean> {
  const author = await run(['var', 'GIT_AUTHOR_IDENT'])
  const committer = await run(['var', 'GIT_COMMITTER_IDENT'])
  return author.code === 0 && committer.code === 0
}

function assertDone(said: Said): Said {
  if (said.code !== 0) throw new Error(said.words)
  return said
}
