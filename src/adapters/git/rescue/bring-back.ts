/** The user's uncommitted files after an iteration: restores discarded ones, and sorts the rest. */
import { whyLocked } from '../index-lock.ts'
import { carryOut, inTheWay, type Move } from './move.ts'
import { presentState, type RepositoryState } from './state.ts'
import { type FileEntry, filesOf, indexLine, isSame, type RescueRepo } from './trees.ts'

/** `back`: discarded and restored; `committed`: committed unchanged; `changed`: changed, and left as they are now. */
export type Brought = { back: string[]; committed: string[]; changed: string[] }

/**
 * Restores these saved files byte for byte, if no commit touched them since and they are as in the commit or the index: any other content was
 * written on purpose. `isLooking`: restores nothing.
 */
export async function bringBack(repo: RescueRepo, saved: RepositoryState, files: string[], isLooking: boolean): Promise<Brought> {
  const own = files.filter((path) => saved.work.has(path))
  const present = await presentState(repo, own)
  const differing = own.filter((path) => !isSame(present.work.get(path), saved.work.get(path)))
  if (differing.length === 0 && present.head === saved.head) return { back: [], committed: [], changed: [] }
  const [known, there] = await Promise.all([filesOf(repo, saved.head), filesOf(repo, present.head)])
  const isCommitted = (path: string) =>
    isSame(there.get(path), saved.work.get(path)) && !isSame(known.get(path), saved.work.get(path))
  const isThrownAway = (path: string) =>
    isSame(there.get(path), known.get(path)) &&
    (isSame(there.get(path), present.work.get(path)) || isAsStaged(saved, path, present.work.get(path)))
  const committed = own.filter(isCommitted)
  const thrownAway = differing.filter((path) => !isCommitted(path) && isThrownAway(path))
  const changed = differing.filter((path) => !isCommitted(path) && !isThrownAway(path))
  const move = moveOf(saved, present, thrownAway)
  if (isLooking || inTheWay(repo, move) !== null) return { back: [], committed, changed: [...thrownAway, ...changed] }
  const isLocked = move.index.length > 0 && (await whyLocked(repo.dir)) !== null
  await carryOut(repo, isLocked ? { ...move, index: [] } : move)
  return { back: thrownAway, committed, changed }
}

/** `git checkout .` resets to what the user had staged; `git clean` removes what was staged as deleted (`git rm --cached`). */
const isAsStaged = ({ index }: RepositoryState, path: string, entry: FileEntry | null | undefined): boolean =>
  entry == null ? index.get(path)?.length === 0 : index.get(path)?.[0] === indexLine(entry)

const moveOf = (saved: RepositoryState, present: RepositoryState, paths: string[]): Move => ({
  head: present.head,
  files: paths.map((path) => ({ path, to: saved.work.get(path) ?? null, isCommitted: false })),
  index: paths.flatMap((path): Move['index'] => {
    const lines = saved.index.get(path)
    return lines === undefined || present.index.has(path) ? [] : [[path, lines]]
  }),
})
