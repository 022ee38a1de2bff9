/** Which tests, fixtures and settings of test runners changed since a story began, from ids in the log. */
import type { Git } from '../../adapters/git/git.ts'
import { maxStoryFiles } from '../../core/evolve/judged.ts'
import { hasMore, hasSameChecks, isCheckFile, isOwnTest } from '../../core/proof/check-files.ts'
import type { State, StoryState } from '../../core/state.ts'
import { isCode } from '../../core/tamper/code/files.ts'
import type { Ended, StoryId } from '../../core/types.ts'
import { knownFork } from '../parallel/worktree.ts'
import type { Work } from '../parts.ts'
import { gateFilesOf } from './gate-files-of.ts'

type InPlace = Pick<Work, 'git' | 'place' | 'root'>
type InGit = InPlace & { git: Git }

/** At most this many are named in an event. */
const maxChecks = 200

/** For an iteration with a flip. */
export async function changedChecks(
  world: InPlace,
  { flips, uncommitted, story }: Pick<Ended, 'flips' | 'uncommitted'> & { story: StoryId | null },
  state: State,
): Promise<Pick<Ended, 'checks'>> {
  const { git } = world
  if (git === null || flips.length === 0) return {}
  const from = await beginningOfWork({ ...world, git }, story ?? flips[0] ?? null, state)
  if (from === null) return {}
  const now = await git.commitWith(uncommitted)
  const found = await checksBetween({ ...world, git }, { from, to: now }, state)
  const ofOthers = await checksOfOthers({ ...world, git }, flips, now, state)
  const checks = [...new Set([...found, ...ofOthers.map(({ path }) => path)])].slice(0, maxChecks)
  return checks.length === 0 ? {} : { checks }
}

/** The commit where the story began; in a worktree, where it left the run's branch. null: before the first commit. */
export async function beginningOfWork({ git, place }: InGit, story: StoryId | null, state: State): Promise<string | null> {
  if (place !== undefined) return (await knownFork({ git, place })) ?? git.forkOf('HEAD', state.repo.head ?? 'HEAD')
  const begun = story === null ? undefined : state.stories[story]?.begun
  return begun === undefined ? state.repo.head : begun.commit
}

export async function checksBetween(world: InGit, { from, to }: { from: string; to: string }, state: State): Promise<string[]> {
  const { git } = world
  const files = (await git.diffFiles(from, to)).filter((path) => !path.startsWith('.ralph/'))
  const gates = gateFilesOf(world, git.top, files, state).map(({ path }) => path)
  const isCheck = (path: string): boolean => isCheckFile(path) || gates.includes(path)
  const used = await usedAmong(git, { from, gates, others: files.filter((path) => !isCheck(path)) })
  const isSame = async (path: string): Promise<boolean> => {
    if (!hasMore(path)) return false
    const [before, after] = await Promise.all([git.textAt(from, path), git.textAt(to, path)])
    return before !== null && after !== null && hasSameChecks(path, before, after)
  }
  const found = files.filter((path) => isCheck(path) || used.includes(path))
  const same = await Promise.all(found.map(isSame))
  return found.filter((_, index) => !same[index])
}

/** Files of the beginning that are changed now, and that only checks use. */
async function usedAmong(
  git: Git,
  { from, gates, others }: { from: string; gates: string[]; others: string[] },
): Promise<string[]> {
  const { mayBeUsed, usedByChecks } = await import('../../core/proof/used-by-checks.ts') // with the rules, which a run starts without
  const candidates = others.filter(mayBeUsed)
  const texts = await Promise.all(candidates.map((path) => git.textAt(from, path)))
  const older = candidates.flatMap((path, index) => {
    const text = texts[index] ?? null
    return text === null ? [] : [{ path, text }]
  })
  if (older.length === 0) return []
  const checks = await git.committedFiles((path) => isOwnTest(path) || gates.includes(path))
  return usedByChecks(older, {
    checks,
    gates: checks.filter(({ path }) => gates.includes(path)),
    sources: () => git.committedFiles((path) => isCode(path) && !isOwnTest(path) && !gates.includes(path)),
  })
}

/**
 * What other stories of this feature changed before, and nobody was told about: a check can be weakened one story earlier, while the code is still right.
 * Tests that they added stay.
 */
export async function checksOfOthers(
  world: InGit,
  flips: StoryId[],
  now: string,
  state: State,
): Promise<{ path: string; from: string }[]> {
  const { git } = world
  const from = state.begun?.commit ?? null
  const others = Object.entries(state.stories).filter(([id, { receipt }]) => receipt !== undefined && !flips.includes(id))
  const touched = new Set((await Promise.all(others.map(([, story]) => touchedBy(git, story)))).flat())
  if (from === null || touched.size === 0) return []
  const told = new Set(others.flatMap(([, { receipt }]) => receipt?.proof?.reservations.flatMap(({ file }) => file ?? []) ?? []))
  const changed = (await checksBetween(world, { from, to: now }, state)).filter((path) => touched.has(path) && !told.has(path))
  const texts = await Promise.all(changed.map((path) => git.textAt(from, path)))
  return changed.filter((path, index) => texts[index] !== null || !isOwnTest(path)).map((path) => ({ path, from }))
}

/** The log names only so many files of a story; its commits have them all. */
async function touchedBy(git: Git, { files, receipt }: StoryState): Promise<string[]> {
  if (files.length < maxStoryFiles) return files
  const changed = await Promise.all((receipt?.commits ?? []).map((commit) => git.diffFiles(`${commit}^`, commit)))
  return [...files, ...changed.flat()]
}
