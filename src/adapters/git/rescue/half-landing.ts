/** Undoes a landing that was killed between its files and the branch, without touching the user's changes, so that it can be repeated. */
import { join } from 'node:path'
import { readRegular } from '../../files/open.ts'
import { presentState, type RepositoryState } from './capture-state.ts'
import { carryOut, inTheWay, planMove } from './move-to-state.ts'
import { type FileEntry, filesOf, isSame, type RescueRepo } from './trees.ts'

/**
 * Resets files that match the commit, or are partly written, to HEAD. If the user wrote the same content, nothing is lost: the commit brings
 * it back. Returns whether there were any.
 */
export async function undoHalf(repo: RescueRepo, commit: string): Promise<boolean> {
  const [here, there] = await Promise.all([filesOf(repo, 'HEAD'), filesOf(repo, commit)])
  // git does not report new files that are ignored here.
  const present = await presentState(
    repo,
    [...there.keys()].filter((path) => !here.has(path) && !repo.isOwn(path)),
  )
  const half = new Set<string>()
  for (const [path, entry] of present.work) {
    const [was, aim] = [here.get(path), there.get(path)]
    if (!isSame(was, aim) && (isSame(entry, aim) || (await isOnTheWay(repo, path, { now: entry, was, aim })))) half.add(path)
  }
  if (half.size === 0) return false
  const without = <T>(map: Map<string, T>): Map<string, T> => new Map([...map].filter(([path]) => !half.has(path)))
  const users: RepositoryState = { ...present, work: without(present.work), index: without(present.index) }
  const move = await planMove(repo, present, { head: present.head, saved: users })
  if (inTheWay(repo, move) !== null) return false
  await carryOut(repo, move)
  return true
}

/** git removes a file before it writes the new one, and writes that in pieces. */
async function isOnTheWay(
  repo: RescueRepo,
  path: string,
  { now, was, aim }: { now: FileEntry | null; was: FileEntry | undefined; aim: FileEntry | undefined },
): Promise<boolean> {
  if (aim === undefined) return false
  if (now === null) return was !== undefined
  const wanted = await repo.objects.read(aim.id)
  const written = readRegular(join(repo.top, path), Number.POSITIVE_INFINITY)
  return wanted !== null && written.length < wanted.body.length && wanted.body.subarray(0, written.length).equals(written)
}
