/** The user's uncommitted files after an iteration: as they were before it, whatever the agent did to them. */
import { whyLocked } from '../index-lock.ts'
import { INTENT, presentState, type RepositoryState, storeState } from './capture-state.ts'
import { carryOut, inTheWay, type Move } from './move-to-state.ts'
import { type FileEntry, filesOf, git, indexLine, isSame, type RescueRepo } from './trees.ts'
import { isEmpty, type TakenOut } from './without-users.ts'

/** Who had a hand in it. */
export type Hands = {
  /** Restores nothing. */
  isLooking?: boolean
  /** Whether the agent changed this file; unknown, its content may be the user's newest, and stays. */
  isAgents?(path: string): boolean
  /** The agent ran a git that may have changed the index. Otherwise what is staged now, the user has staged. */
  hasStaged?: boolean
  /** What was taken out of its commits. */
  out?: TakenOut
}

/**
 * `back`: discarded, moved or unstaged, and restored. `overwritten`: changed by the agent, and restored; `patch` has its changes. `changed`: changed
 * by somebody unknown, and left as they are now.
 */
export type Brought = { back: string[]; overwritten: string[]; changed: string[]; patch: string }

const unchanged: Brought = { back: [], overwritten: [], changed: [], patch: '' }

/** `ref`: what the agent has overwritten is kept beside it. */
export async function bringBack(
  repo: RescueRepo,
  saved: RepositoryState,
  files: string[],
  hands: Hands & { ref: string },
): Promise<Brought> {
  const own = files.filter((path) => saved.work.has(path))
  const present = await presentState(repo, own)
  const [known, there] = await Promise.all([filesOf(repo, saved.head), filesOf(repo, present.head)])
  const found: BothStates = { saved, present, known, there }
  const differing = own.filter((path) => !isAsSaved(found, path))
  const isOld = (path: string): boolean => isSame(there.get(path), known.get(path))
  const isDiscarded = (path: string): boolean => isOld(path) && (isThrownAway(found, path) || isLessReadable(found, path, hands))
  const discarded = differing.filter(isDiscarded)
  const isTaken = (path: string): boolean => hands.isAgents?.(path) === true || hands.out?.paths.includes(path) === true
  const overwritten = differing.filter((path) => !isDiscarded(path) && isOld(path) && isTaken(path))
  const changed = differing.filter((path) => !discarded.includes(path) && !overwritten.includes(path))
  const restored = [...discarded, ...overwritten]
  const move = moveOf(found, {
    restored,
    copies: await copiesOf(repo, found, discarded),
    staged: hands.hasStaged ? own : restored,
  })
  if (hands.isLooking || inTheWay(repo, move) !== null) return { ...unchanged, changed: differing }
  if (move.files.length + move.index.length === 0) return { ...unchanged, changed }
  const patch = overwritten.length === 0 ? '' : await patchOf(repo, saved.tree, present.tree, overwritten)
  if (patch !== '') {
    const kept = await storeState(repo, present, "ralph: kept before the user's files were restored\n")
    await git(repo, ['update-ref', '-m', 'ralph', `${hands.ref}.before-restore`, kept], { kind: 'write' })
  }
  const isLocked = move.index.length > 0 && (await whyLocked(repo.dir)) !== null
  await carryOut(repo, isLocked ? { ...move, index: [] } : move)
  const unstaged = isLocked ? [] : move.index.map(([path]) => path).filter((path) => own.includes(path))
  const back = [...new Set([...discarded, ...unstaged.filter((path) => !overwritten.includes(path))])]
  return { back, overwritten, changed, patch }
}

/** The saved state, the present one, and the files of both commits. */
type BothStates = {
  saved: RepositoryState
  present: RepositoryState
  known: Map<string, FileEntry>
  there: Map<string, FileEntry>
}

function isAsSaved({ saved, present }: BothStates, path: string): boolean {
  const [was, is] = [saved.work.get(path), present.work.get(path)]
  return isSame(is, was) && (!was || !is || was.mode === '120000' || (was.permissions ?? is.permissions) === is.permissions)
}

/** It is as in the commit or the index, or gone. */
function isThrownAway({ saved, present, there }: BothStates, path: string): boolean {
  const is = present.work.get(path)
  if (is == null || isSame(there.get(path), is)) return true
  const [staged] = saved.index.get(path) ?? []
  return staged === indexLine(is) || (staged === INTENT && emptyBlobs.includes(is.id))
}

/** What git writes for an intent to add, by both of its hashes. */
const emptyBlobs = [
  'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',
  '473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813',
]

/** Its bytes are the same: git wrote them again, and knows only whether a file is executable. */
function isLessReadable({ saved, present }: BothStates, path: string, { hasStaged }: Hands): boolean {
  return hasStaged === true && isSame(present.work.get(path), saved.work.get(path))
}

/** What was moved to another name, which nobody has committed. */
async function copiesOf(repo: RescueRepo, { saved, present, known }: BothStates, gone: string[]): Promise<string[]> {
  const committed = new Set([...known.values()].map(({ id }) => id))
  const ids = new Set<string>()
  for (const path of gone) {
    const entry = saved.work.get(path)
    if (entry && present.work.get(path) == null && !committed.has(entry.id) && !(await isEmpty(repo, entry.id))) ids.add(entry.id)
  }
  const isCopy = ([path, entry]: [string, FileEntry | null]): boolean =>
    !saved.work.has(path) && entry !== null && ids.has(entry.id)
  return [...present.work].filter(isCopy).map(([path]) => path)
}

function moveOf(
  { saved, present, known, there }: BothStates,
  { restored, copies, staged }: { restored: string[]; copies: string[]; staged: string[] },
): Move {
  const linesOf = (entry: FileEntry | undefined): string[] => (entry === undefined ? [] : [indexLine(entry)])
  const wanted = (path: string): string[] => saved.index.get(path) ?? linesOf(known.get(path))
  const now = (path: string): string[] => present.index.get(path) ?? linesOf(there.get(path))
  const isFree = (path: string): boolean => isSame(there.get(path), known.get(path))
  const index = staged.filter((path) => isFree(path) && wanted(path).join() !== now(path).join())
  return {
    head: present.head,
    files: [
      ...restored.map((path) => ({ path, to: saved.work.get(path) ?? null, isCommitted: false })),
      ...copies.map((path) => ({ path, to: there.get(path) ?? null, isCommitted: true })),
    ],
    index: [
      ...index.map((path): Move['index'][number] => [path, wanted(path)]),
      ...copies.filter((path) => present.index.has(path)).map((path): Move['index'][number] => [path, linesOf(there.get(path))]),
    ],
  }
}

const patchOf = (repo: RescueRepo, from: string, to: string, paths: string[]): Promise<string> =>
  git(
    repo,
    [
      'diff-tree',
      '-r',
      '-p',
      '--binary',
      '--full-index',
      '--no-ext-diff',
      '--no-textconv',
      '--no-color',
      from,
      to,
      '--',
      ...paths,
    ],
    {
      env: { GIT_LITERAL_PATHSPECS: '1' },
    },
  )
