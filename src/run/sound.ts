/** Whether the repository is fit for a run: still there, nothing of somebody else's in the middle, no lock that would stop us. */
import { historyGone } from '../adapters/git/home.ts'
import type { Git } from '../adapters/git.ts'
import { EXIT, Failure } from '../core/failure.ts'
import type { State } from '../core/state.ts'
import { epochMs } from '../core/time.ts'
import type { Project } from './project.ts'
import { isUnfinished } from './resume.ts'
import type { Screen } from './screen.ts'

/** A project that had a repository and lost it is not one without: branches, commits and the way back were part of the deal. */
export async function checkStillGit(git: Git | null, state: State, { root, label }: Project): Promise<void> {
  const { head } = state.repo
  if (git === null && head !== null)
    throw new Failure(
      EXIT.data,
      `${root} was in a git repository when the last run began, and is not any more. Restore its .git from a backup or a clone, then run again. To go on without git, move ${label}/events.jsonl away: Ralph then begins anew.`,
    )
  if (git === null) return
  const isUnborn = (await git.head()) === null && (await git.snapshot()).isUnborn
  if (head !== null && (isUnborn || isUnfinished(state)) && !(await git.has(head)))
    throw new Failure(EXIT.data, historyGone(git.top, head))
  if (isUnborn)
    throw new Failure(EXIT.data, `The repository in ${git.top} has no commit yet. Make a first one (git commit), then run again.`)
}

/** An agent must not work in the middle of something of the user's; what its own run left so is its own to go on with. */
export async function checkRepository(git: Git | null, state: State, screen: Screen): Promise<void> {
  const isResumed = isUnfinished(state)
  const open = isResumed ? null : (git?.inProgress() ?? null)
  if (open !== null) {
    const ways =
      open === 'bisect' ? 'End it (git bisect reset)' : `Finish it (git ${open} --continue) or give it up (git ${open} --abort)`
    throw new Failure(
      EXIT.data,
      `A ${open} is open in ${git!.top}: what an agent commits would become part of it. ${ways}, then run again.`,
    )
  }
  if (git === null) return
  const isLanding = isResumed && state.flights.some(({ landing }) => landing === 'running')
  const own = isLanding ? await git.clearLockOf(epochMs(state.at)) : null
  const { cleared, stuck } = await git.clearRefLocks()
  for (const path of [...(own === null ? [] : [own]), ...cleared])
    screen.say('warn', `! removed ${path}: a git of the run that was killed had left it`)
  const locked = stuck ?? (await git.whyLocked())
  if (locked !== null) throw new Failure(EXIT.data, `${locked} Then run again.`)
}
