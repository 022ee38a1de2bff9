/** Saves the repository's state before a story, and restores it after the story failed, with its work kept on a branch. */
import { createHash } from 'node:crypto'
import { basename, dirname } from 'node:path'
import { EXIT, Failure, sure } from '../../../core/failure.ts'
import { hasTexts, jsonIn } from '../../../core/text/json.ts'
import { whyLocked } from '../index-lock.ts'
import { type Brought, bringBack, type Hands } from './bring-back.ts'
import {
  isLeftAlone,
  presentState,
  type RepositoryState,
  readState,
  stateToSave,
  storeState,
  treeOf,
  withoutFiles,
} from './capture-state.ts'
import { carryOut, inTheWay, planMove } from './move-to-state.ts'
import type { Aside } from './put-aside-request.ts'
import { wayBack } from './revert.ts'
import { blobOf, commitOf, filesOf, git, isSame, ownCommitOf, type RescueRepo, type TreeChanges, treeWith } from './trees.ts'
import { type AgentCommits, type TakenOut, takeOut } from './without-users.ts'

/** `isLocked`: it works once the index lock is gone. */
export type PutAsideResult = { branch: string; how: 'reset' | 'reverted' } | { problem: string; isLocked?: true }

type Diff = { text: string; files: string[]; isCut: boolean }

export type Rescue = {
  /**
   * Saves HEAD, branch, index, tracked and untracked files under `refs/ralph/`, and changes none of them. The key is any text. `without`: uncommitted
   * files that must not be restored. Returns all uncommitted files.
   */
  save(key: string, without?: string[]): Promise<string[]>
  /** Adds uncommitted files that appeared or changed later to the saved state. */
  saveMore(key: string, files: string[]): Promise<void>
  /** Files in the state saved under the other key that this state lacks are added from there. */
  saveOlder(key: string, other: string, files: string[]): Promise<void>
  isSaved(key: string): Promise<boolean>
  /** The commit of the saved state; null: none. */
  savedAt(key: string): Promise<string | null>
  /** Names this commit as the saved state again, after somebody moved the ref. */
  saveAgain(key: string, commit: string): Promise<void>
  /** Copies the state saved under one key to another, if it exists. */
  keepAs(key: string, other: string): Promise<void>
  /** The ref of the saved state. */
  refOf(key: string): string
  /** Forgets the saved state; copies made by `restore` and `putAside` stay. */
  forget(...keys: string[]): Promise<void>
  /** Moves all work of the failed story to a branch, and the repository back to the saved state. A problem: nothing was moved. */
  putAside(aside: Aside): Promise<PutAsideResult>
  /** Back to the saved state; a copy of what was there is kept under `refs/ralph/…before-restore`. Returns whether anything differed. */
  restore(key: string): Promise<boolean>
  /** Makes these saved uncommitted files as they were, with their state in the index, unless it only looks. */
  bringBack(key: string, files: string[], hands?: Hands): Promise<Brought>
  /** Takes these saved uncommitted files out of the commits that an agent made. */
  takeOut(key: string, files: string[], commits: AgentCommits): Promise<TakenOut>
  /** The diff from the saved HEAD to the current work tree, without unchanged uncommitted files of the user. */
  diffSince(key: string, maxBytes: number): Promise<Diff>
  /** The diff from a commit to the current work tree. */
  diffFrom(commit: string, maxBytes: number): Promise<Diff>
}

export function rescueOf(repo: RescueRepo): Rescue {
  const refOf = (key: string) => refName(repo, key)
  const idOf = async (ref: string): Promise<string | null> => (await repo.objects.read(ref))?.id ?? null

  async function savedState(key: string): Promise<RepositoryState> {
    const state = await readState(repo, refOf(key))
    if (state === null) throw new Error(`no saved state for ${key}`)
    return state
  }

  return {
    async save(key, without = []) {
      const once = async () => {
        const state = await stateToSave(repo)
        await setRef(repo, refOf(key), await storeState(repo, withoutFiles(state, without), savedFor(key)))
        return [...state.work.keys()]
      }
      return once().catch(once)
    },
    async saveMore(key, files) {
      const [saved, present] = await Promise.all([readState(repo, refOf(key)), presentState(repo)])
      if (saved === null) return
      const isMeant = (path: string): boolean => files.includes(path) && present.work.has(path)
      const more = { work: withMore(saved.work, present.work, isMeant), index: withMore(saved.index, present.index, isMeant) }
      const kept = [sure(await idOf(refOf(key)), refOf(key)), await storeState(repo, present, KEPT)]
      await setRef(repo, refOf(key), await storeState(repo, { ...saved, ...more }, savedFor(key), kept))
    },
    async saveOlder(key, other, files) {
      const [saved, older] = await Promise.all([readState(repo, refOf(key)), readState(repo, refOf(other))])
      if (saved === null || older === null) return
      const isNew = (path: string): boolean => files.includes(path) && !saved.work.has(path)
      const paths = [...older.work.keys()].filter(isNew)
      if (paths.length === 0) return
      const both: RepositoryState = {
        ...saved,
        work: withMore(saved.work, older.work, isNew),
        older: { head: older.head, paths },
      }
      const kept = [sure(await idOf(refOf(other)), refOf(other))]
      await setRef(repo, refOf(key), await storeState(repo, both, savedFor(key), kept))
    },
    refOf,
    isSaved: async (key) => (await idOf(refOf(key))) !== null,
    savedAt: (key) => idOf(refOf(key)),
    async saveAgain(key, commit) {
      await setRef(repo, refOf(key), commit)
    },
    async keepAs(key, other) {
      const saved = await idOf(refOf(key))
      if (saved !== null) await setRef(repo, refOf(other), saved)
    },
    async forget(...keys) {
      const refs = keys.map(refOf)
      const saved = await Promise.all(refs.map(idOf))
      const input = refs.flatMap((ref, index) => (saved[index] === null ? [] : [`delete ${ref}\0\0`])).join('')
      if (input !== '') await git(repo, ['update-ref', '-z', '--stdin'], { kind: 'write', input })
    },
    putAside: (aside) => putAside(repo, refOf(aside.key), aside),
    restore: async (key) => restore(repo, refOf(key), await savedState(key)),
    bringBack: async (key, files, hands = {}) => bringBack(repo, await savedState(key), files, { ...hands, ref: refOf(key) }),
    takeOut: async (key, files, commits) => takeOut(repo, await savedState(key), files, commits),
    diffSince: async (key, maxBytes) => diffSince(repo, await savedState(key), maxBytes),
    diffFrom: async (commit, maxBytes) =>
      diffSince(repo, { ...(await presentState(repo, [])), head: commit, work: new Map() }, maxBytes),
  }
}

const savedFor = (key: string): string => `ralph: the state saved for ${key}\n`

function withMore<T>(saved: Map<string, T>, other: Map<string, T>, isWanted: (path: string) => boolean): Map<string, T> {
  return new Map([...saved, ...[...other].filter(([path]) => isWanted(path))])
}

/** A legal ref name for any text. Worktrees share refs, and some file systems do not distinguish S-1 from s-1: the hash does. */
export function refName(repo: RescueRepo, key: string): string {
  const worktree = basename(dirname(repo.dir)) === 'worktrees' ? basename(repo.dir) : ''
  const hash = createHash('sha1').update(`${worktree}\0${key}`).digest('hex').slice(0, 12)
  const readable = key.replace(/[^A-Za-z0-9]+/g, '-').slice(0, 60)
  return `refs/ralph/${readable}-${hash}`.replace('/-', '/')
}

/** `old`: only where it is there now. */
export async function setRef(repo: RescueRepo, ref: string, commit: string, how: { old?: string; why?: string } = {}) {
  const { old, why } = how
  if (why === undefined) return repo.writer.setRef(ref, commit, old)
  await git(repo, ['update-ref', '-m', why, ref, commit, ...(old === undefined ? [] : [old])], { kind: 'write' })
}

/** What was started, to continue after a kill: HEAD is at `before` or `head`, files and index in between. */
type Begun = { branch: string; commit: string; before: string; head: string; how: 'reset' | 'reverted' }

/** A git that was killed or had no space may succeed the second time: repeating it is safe. */
async function putAside(repo: RescueRepo, ref: string, aside: Aside): Promise<PutAsideResult> {
  const way = { isMoving: false }
  const once = () => moveAside(repo, ref, aside, way)
  try {
    return await once().catch(once)
  } catch (error) {
    if (way.isMoving) throw halfway(error as Error, aside.branch)
    if (!(error instanceof Failure)) throw error
    return { problem: error.message }
  }
}

async function moveAside(repo: RescueRepo, ref: string, aside: Aside, way: { isMoving: boolean }): Promise<PutAsideResult> {
  const saved = await readState(repo, ref)
  if (saved === null) return { problem: `no saved state to restore for ${aside.key}` }
  const present = await presentState(repo, saved.work.keys())
  const refusal = await whyNot(repo, saved, present)
  if (refusal !== null) return { problem: refusal }
  const locked = await whyLocked(repo.dir)
  if (locked !== null) return { problem: locked, isLocked: true }
  const earlier = await readBegun(repo, `${ref}.aside`)
  const begun = earlier?.branch === aside.branch ? earlier : await begin(repo, saved, present, aside)
  if ('problem' in begun) return begun
  const before = await readState(repo, begun.before)
  if (before === null) return { problem: `the state before the move, ${begun.before}, cannot be read. Nothing more was moved.` }
  const isBack =
    present.head === begun.head || (present.head !== before.head && (await isSameSince(repo, begun.head, present.head)))
  if (!isBack && present.head !== before.head)
    return { problem: `${saved.branch} was moved to ${present.head} after ${begun.branch} was created. Nothing else was moved.` }
  const head = isBack ? present.head : begun.head
  const move = await planMove(repo, present, { head, saved, before })
  const blocked = inTheWay(repo, move)
  if (blocked !== null) return { problem: `${blocked} is in the way of a file that must be restored.` }
  const savedCommit = sure(await repo.objects.read(ref), ref).id
  await record(repo, `${ref}.aside`, begun, [savedCommit, ...(earlier ? [await storeState(repo, present, KEPT)] : [])])
  const branch = `refs/heads/${begun.branch}`
  if ((await repo.objects.read(branch)) === null) await setRef(repo, branch, begun.commit, { old: repo.noId })
  way.isMoving = true
  await carryOut(repo, move)
  if (!isBack)
    await setRef(repo, `refs/heads/${saved.branch}`, begun.head, { old: present.head, why: `ralph: ${begun.branch} put aside` })
  return { branch: begun.branch, how: begun.how }
}

/** Half a story in the tree is useless to everyone: the run stops here, and the next one continues the move. */
const halfway = (error: Error, branch: string): Failure =>
  new Failure(
    EXIT.data,
    `Restoring the state before the story stopped halfway: ${error.message}\nAll its work is safe on ${branch} and under refs/ralph/. Fix the problem, then run again to continue.`,
  )

const KEPT = 'ralph: kept before anything was moved\n'

/** `.ralph/` may have been committed after the branch was back, and before a kill. */
async function isSameSince(repo: RescueRepo, from: string, head: string): Promise<boolean> {
  if ((await repo.run(['merge-base', '--is-ancestor', from, head])).code !== 0) return false
  return (await repo.contentOf(from)) === (await repo.contentOf(head))
}

async function whyNot(repo: RescueRepo, saved: RepositoryState, present: RepositoryState): Promise<string | null> {
  const open = repo.inProgress()
  if (open !== null) return `a ${open} is open in ${repo.top}.`
  if (present.branch === null && saved.branch === null)
    return `HEAD of ${repo.top} is not on a branch, so no branch can be reset to where the story began.`
  if (present.branch === null || present.branch !== saved.branch)
    return `${repo.top} is on ${branchText(present)}, and was on ${branchText(saved)} when the story began.`
  const isAncestor = (await repo.run(['merge-base', '--is-ancestor', saved.head, present.head])).code === 0
  return isAncestor
    ? null
    : `the history of ${present.branch} was rewritten: ${saved.head}, where the story began, is no longer in it. Fix it by hand.`
}

const branchText = ({ branch, head }: RepositoryState): string =>
  branch === null ? `no branch (${head.slice(0, 10)})` : `branch ${branch}`

async function begin(
  repo: RescueRepo,
  saved: RepositoryState,
  present: RepositoryState,
  aside: Aside,
): Promise<Begun | { problem: string }> {
  const changes = storyChanges(present, saved)
  for (const { path, text } of aside.notes) changes.set(path, { mode: '100644', id: await blobOf(repo, text) })
  const tree = await treeWith(repo, present.head, changes)
  const there = await repo.objects.read(`refs/heads/${aside.branch}`)
  const isOurs = there !== null && (await isCommitOf(repo, there.id, tree, present.head))
  if (there !== null && !isOurs) return { problem: `branch ${aside.branch} exists with other content.` }
  const way = await wayBack(repo, saved, present.head, aside)
  if ('problem' in way) return way
  const commit = there?.id ?? (await commitOf(repo, { tree, parents: [present.head], message: aside.message }))
  return { branch: aside.branch, commit, before: await storeState(repo, present, KEPT), ...way }
}

/** Uncommitted changes of the story: not unchanged ones of the user, nor what was ignored then. */
function storyChanges(present: RepositoryState, saved: RepositoryState): TreeChanges {
  const isUsers = (path: string) => saved.work.has(path) && isSame(present.work.get(path), saved.work.get(path))
  return new Map([...present.work].filter(([path]) => !isUsers(path) && (saved.work.has(path) || !isLeftAlone(saved, path))))
}

async function isCommitOf(repo: RescueRepo, commit: string, tree: string, parent: string): Promise<boolean> {
  return (await git(repo, ['log', '-1', '--format=%T %P', commit, '--'])).trim() === `${tree} ${parent}`
}

/** The commit keeps everything it names from being pruned, and what was stored under this name before. */
async function record(repo: RescueRepo, ref: string, begun: Begun, kept: string[]): Promise<void> {
  const earlier = await repo.objects.read(ref)
  const parents = [begun.commit, begun.before, begun.head, ...kept, ...(earlier ? [earlier.id] : [])]
  const commit = { tree: await treeOf(repo, begun.commit), parents, message: JSON.stringify(begun) }
  await setRef(repo, ref, await ownCommitOf(repo, commit))
}

async function readBegun(repo: RescueRepo, ref: string): Promise<Begun | null> {
  const commit = await repo.objects.read(ref)
  const begun = commit && jsonIn(commit.body.toString('utf8', commit.body.indexOf('\n\n') + 2))
  return isBegun(begun) ? begun : null
}

const isBegun = (value: unknown): value is Begun =>
  hasTexts(value, 'branch', 'commit', 'before', 'head', 'how') && ['reset', 'reverted'].includes(value.how)

async function restore(repo: RescueRepo, ref: string, saved: RepositoryState): Promise<boolean> {
  const present = await presentState(repo, saved.work.keys())
  const move = await planMove(repo, present, { head: saved.head, saved })
  const branch = saved.branch === null ? null : `refs/heads/${saved.branch}`
  const tip = branch === null ? saved.head : ((await repo.objects.read(branch))?.id ?? null)
  const isElsewhere = present.head !== saved.head || present.branch !== saved.branch || tip !== saved.head
  const { inProgress } = present
  const isOpened = inProgress !== null && inProgress !== saved.inProgress
  if (!isElsewhere && !isOpened && move.files.length === 0 && move.index.length === 0) return false
  const locked = await whyLocked(repo.dir)
  if (locked !== null) throw new Failure(EXIT.data, locked)
  const blocked = inTheWay(repo, move)
  if (blocked !== null) throw new Failure(EXIT.data, `${blocked} is in the way of a file that must be restored. Move it away.`)
  const earlier = await repo.objects.read(`${ref}.before-restore`)
  const kept = [tip, earlier?.id].filter((id) => typeof id === 'string')
  await setRef(repo, `${ref}.before-restore`, await storeState(repo, present, KEPT, kept))
  if (isOpened && inProgress !== 'bisect') await git(repo, [inProgress, '--quit'], { kind: 'write' })
  await carryOut(repo, move)
  if (branch !== null) {
    if (tip !== saved.head) await setRef(repo, branch, saved.head, { why: 'ralph: restored' })
    if (present.branch !== saved.branch) await git(repo, ['symbolic-ref', 'HEAD', branch], { kind: 'write' })
  } else if (isElsewhere) {
    await git(repo, ['update-ref', '--no-deref', '-m', 'ralph: restored', 'HEAD', saved.head], {
      kind: 'write',
    })
  }
  return true
}

async function diffSince(repo: RescueRepo, saved: RepositoryState, maxBytes: number): Promise<Diff> {
  const present = await presentState(repo, saved.work.keys())
  const changes = storyChanges(present, saved)
  const committed = await filesOf(repo, saved.head)
  for (const path of saved.work.keys()) if (!changes.has(path)) changes.set(path, committed.get(path) ?? null)
  const tree = await treeWith(repo, present.head, changes)
  const between = [saved.head, tree, '--', ...repo.others]
  const { code, out, words } = await repo.run(['diff-tree', '-r', '-p', '-M', ...PLAIN, ...between])
  if (code !== 0) throw new Failure(EXIT.data, `git diff-tree failed in ${repo.top}: ${words}`)
  const names = await git(repo, ['diff-tree', '-r', '-z', '--no-renames', '--name-only', ...between])
  return { ...cut(out, maxBytes), files: names.split('\0').filter(Boolean) }
}

const PLAIN = ['--no-ext-diff', '--no-textconv', '--no-color']

/** Whole lines, if one fits. */
function cut(diff: Buffer, maxBytes: number): { text: string; isCut: boolean } {
  if (diff.length <= maxBytes) return { text: diff.toString(), isCut: false }
  const end = diff.lastIndexOf(0x0a, maxBytes - 1) + 1 || maxBytes
  const shown = diff.toString('utf8', 0, end)
  return { text: `${shown}\n[... ${diff.length - end} of ${diff.length} bytes of the diff are not shown ...]\n`, isCut: true }
}
