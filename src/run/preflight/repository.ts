/** Whether the repository is ready for a run: it still exists, no operation of somebody else is open, and no lock would stop Ralph. */
import { type Git, openGit } from '../../adapters/git/git.ts'
import { historyGone } from '../../adapters/git/rescue/come-home.ts'
import { repairRepository, reviveHead } from '../../adapters/git/rescue/damage.ts'
import { gitDir } from '../../adapters/project/find.ts'
import { EXIT, Failure, sure } from '../../core/failure.ts'
import type { State } from '../../core/state.ts'
import { epochMs } from '../../core/text/time.ts'
import type { Io } from '../../io.ts'
import { type Noticed, toldNext } from '../noticed.ts'
import type { Screen } from '../outputs/screen.ts'
import type { Project } from '../project.ts'
import { repoOf } from '../repo-now.ts'
import { isUnfinished } from './left-by-kill.ts'

/**
 * A power cut may leave git's last writes empty. Checked if a run did not end, or HEAD cannot be read: repairs what is possible, and leaves all files
 * of the work tree as they are. null: nothing was wrong.
 */
export async function repairDamage(
  git: Git | null,
  state: State,
  { root }: Project,
  io: Io,
): Promise<{ git: Git; fact: Noticed } | null> {
  const { branch = null } = state.home ?? {}
  const dir = gitDir(root)
  const isRevived = dir !== null && branch !== null && reviveHead(dir, branch)
  if (isRevived) git?.close()
  const there = isRevived ? await openGit(root, io.env) : git
  if (there === null || !(isRevived || isUnfinished(state) || (await there.head()) === null)) return null
  const repaired = await repairRepository(
    { top: there.top, dir: there.dir, env: io.env },
    { branch: branch ?? (await there.currentBranch()), heads: headsOf(state) },
  )
  if (repaired === null && !isRevived) return null
  if (repaired !== null && 'problem' in repaired) throw new Failure(EXIT.data, repaired.problem)
  there.close()
  const fresh = sure(await openGit(root, io.env), `repository in ${root} any more`)
  const what = [...(isRevived ? ['HEAD was empty or torn'] : []), ...(repaired?.did ?? [])].join('; ')
  const lost = repaired?.head ? ' The changes of later commits are still in your files, uncommitted.' : ''
  const detail = `The git repository was damaged, as after a power cut, and was repaired: ${what}.${lost} Unreadable files are in ${there.dir}/ralph-damaged.`
  return { git: fresh, fact: { ...toldNext('repository-repaired', detail), repo: repoOf(await fresh.snapshot()) } }
}

/** Commits in the log, newest first. */
function headsOf({ repo, stories }: State): string[] {
  const receipts = Object.values(stories).flatMap(({ receipt, commits }) => [
    { iteration: receipt?.iteration ?? 0, commits: [...commits, ...(receipt?.commits ?? [])] },
  ])
  const newest = receipts.toSorted((one, other) => other.iteration - one.iteration)
  return [repo.head, ...newest.flatMap(({ commits }) => commits.toReversed())].filter((id) => id !== null)
}

/**
 * A project that lost its repository does not run without one: branches, commits and rollback were part of the deal. If only the run's last commit is
 * missing (rebased, pruned, a new clone), the run continues from HEAD: returns that fact.
 */
export async function checkStillGit(git: Git | null, state: State, { root, label }: Project): Promise<Noticed | null> {
  const { head } = state.repo
  const anew = `move ${label}/events.jsonl away: Ralph then starts a new history.`
  if (git === null && head !== null)
    throw new Failure(
      EXIT.data,
      `${root} was in a git repository when the last run began, but no longer is. Restore .git from a backup or a clone, then run again. To continue without git, ${anew}`,
    )
  if (git === null) return null
  const isUnborn = (await git.head()) === null && (await git.snapshot()).isUnborn
  const isLacking = head !== null && (isUnborn || isUnfinished(state)) && !(await git.has(head))
  if (isLacking && (isUnborn || (await isAnother(git, state))))
    throw new Failure(EXIT.data, `${historyGone(git.top, head)} To continue anyway, ${anew}`)
  if (isUnborn)
    throw new Failure(
      EXIT.data,
      `The repository in ${git.top} has no commit yet. Create the first one (git commit), then run again.`,
    )
  if (!isLacking) return null
  const repo = repoOf(await git.snapshot())
  const detail = `${head.slice(0, 10)}, the last commit of this run, is no longer in the repository: it was rebased, pruned or cloned again. The run continues from ${repo.head?.slice(0, 10)}. Stories whose work is missing will be reopened.`
  return { ...toldNext('history-changed', detail), repo }
}

/** It has none of the commits in the log, not even the run's first. Older logs cannot tell. */
async function isAnother(git: Git, state: State): Promise<boolean> {
  if (state.home === undefined) return false
  const known = [state.home.from, ...headsOf(state)].filter((id) => id !== null)
  for (const id of known) if (await git.has(id)) return false
  return true
}

/** An agent must not work in the middle of the user's open operation; it may continue what its own run left open. */
export function checkNothingOpen(git: Git | null, state: State): void {
  const open = isUnfinished(state) ? null : (git?.inProgress() ?? null)
  if (open === null) return
  const ways =
    open === 'bisect' ? 'End it (git bisect reset)' : `Finish it (git ${open} --continue) or abort it (git ${open} --abort)`
  throw new Failure(
    EXIT.data,
    `A ${open} is open in ${git?.top}: commits of an agent would become part of it. ${ways}, then run again.`,
  )
}

/** Nothing is open, and no lock would stop Ralph: those of a killed run are removed. */
export async function checkRepository(git: Git | null, state: State, screen: Screen): Promise<void> {
  checkNothingOpen(git, state)
  if (git === null) return
  const isLanding = isUnfinished(state) && state.flights.some(({ phase }) => phase === 'landing')
  const own = isLanding ? await git.clearLocksOf(epochMs(state.at)) : []
  const { cleared, stuck } = await git.clearRefLocks()
  for (const path of [...own, ...cleared]) screen.say('warn', `! removed ${path}: left by a git of the killed run`)
  const locked = stuck ?? (await git.whyLocked())
  if (locked !== null) throw new Failure(EXIT.data, `${locked} Then run again.`)
}
