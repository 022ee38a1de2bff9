/** Whether the repository is fit for a run: still there, nothing of somebody else's in the middle, no lock that would stop us. */
import { type Git, openGit } from '../../adapters/git/git.ts'
import { mendRepository, reviveHead } from '../../adapters/git/rescue/damage.ts'
import { historyGone } from '../../adapters/git/rescue/own-branch.ts'
import { gitDir } from '../../adapters/project/find.ts'
import { EXIT, Failure, sure } from '../../core/failure.ts'
import type { State } from '../../core/state.ts'
import { epochMs } from '../../core/text/time.ts'
import type { Io } from '../../io.ts'
import { type Noticed, toldNext } from '../noticed.ts'
import type { Screen } from '../outputs/screen.ts'
import type { Project } from '../project.ts'
import { repoOf } from '../repo-now.ts'
import { isUnfinished } from './resume.ts'

/**
 * A power cut may leave what git wrote last empty. Looked for where a run did not come to its end, and where HEAD cannot be read: what can be
 * made good is, with all files of the work tree as they are. null: nothing was wrong.
 */
export async function mendDamage(
  git: Git | null,
  state: State,
  { root }: Project,
  io: Io,
): Promise<{ git: Git; fact: Noticed } | null> {
  const { branch = null } = state.home ?? {}
  const dir = gitDir(root)
  const isRevived = git === null && dir !== null && branch !== null && reviveHead(dir, branch)
  const there = isRevived ? await openGit(root, io.env) : git
  if (there === null || !(isRevived || isUnfinished(state) || (await there.head()) === null)) return null
  const mended = await mendRepository(
    { top: there.top, dir: there.dir, env: io.env },
    { branch: branch ?? (await there.currentBranch()), heads: headsOf(state) },
  )
  if (mended === null && !isRevived) return null
  if (mended !== null && 'problem' in mended) throw new Failure(EXIT.data, mended.problem)
  there.close()
  const fresh = sure(await openGit(root, io.env), `repository in ${root} any more`)
  const what = [...(isRevived ? ['HEAD was empty'] : []), ...(mended?.did ?? [])].join('; ')
  const lost = mended?.head ? ' What later commits had is in the files still, uncommitted.' : ''
  const detail = `The git repository was damaged, as after a power cut, and was made good: ${what}.${lost} What could not be read is in ${there.dir}/ralph-damaged.`
  return { git: fresh, fact: { ...toldNext('repository-mended', detail), repo: repoOf(await fresh.snapshot()) } }
}

/** Commits that the log knows of, the newest first. */
function headsOf({ repo, stories }: State): string[] {
  const receipts = Object.values(stories).flatMap(({ receipt, commits }) => [
    { iteration: receipt?.iteration ?? 0, commits: [...commits, ...(receipt?.commits ?? [])] },
  ])
  const newest = receipts.toSorted((one, other) => other.iteration - one.iteration)
  return [repo.head, ...newest.flatMap(({ commits }) => commits.toReversed())].filter((id) => id !== null)
}

/**
 * A project that had a repository and lost it is not one without: branches, commits and the way back were part of the deal. One that only
 * lacks the commit where the run was (rebased, pruned, cloned anew by a person) is gone on with from its HEAD: gives that fact.
 */
export async function checkStillGit(git: Git | null, state: State, { root, label }: Project): Promise<Noticed | null> {
  const { head } = state.repo
  const anew = `move ${label}/events.jsonl away: Ralph then begins anew.`
  if (git === null && head !== null)
    throw new Failure(
      EXIT.data,
      `${root} was in a git repository when the last run began, and is not any more. Restore its .git from a backup or a clone, then run again. To go on without git, ${anew}`,
    )
  if (git === null) return null
  const isUnborn = (await git.head()) === null && (await git.snapshot()).isUnborn
  const isLacking = head !== null && (isUnborn || isUnfinished(state)) && !(await git.has(head))
  if (isLacking && (isUnborn || (await isAnother(git, state))))
    throw new Failure(EXIT.data, `${historyGone(git.top, head)} To go on with it as it is, ${anew}`)
  if (isUnborn)
    throw new Failure(EXIT.data, `The repository in ${git.top} has no commit yet. Make a first one (git commit), then run again.`)
  if (!isLacking) return null
  const repo = repoOf(await git.snapshot())
  const detail = `The repository does not have ${head.slice(0, 10)} any more, where this run was: it was rebased, pruned or cloned anew. The run goes on from ${repo.head?.slice(0, 10)}. A story whose work is not there will be open again.`
  return { ...toldNext('history-changed', detail), repo }
}

/** It has nothing of what the log knows, not even what the run began with. Logs of before that was written cannot say so. */
async function isAnother(git: Git, state: State): Promise<boolean> {
  if (state.home === undefined) return false
  const known = [state.home.from, ...headsOf(state)].filter((id) => id !== null)
  for (const id of known) if (await git.has(id)) return false
  return true
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
      `A ${open} is open in ${git?.top}: what an agent commits would become part of it. ${ways}, then run again.`,
    )
  }
  if (git === null) return
  const isLanding = isResumed && state.flights.some(({ phase }) => phase === 'landing')
  const own = isLanding ? await git.clearLockOf(epochMs(state.at)) : null
  const { cleared, stuck } = await git.clearRefLocks()
  for (const path of [...(own === null ? [] : [own]), ...cleared])
    screen.say('warn', `! removed ${path}: a git of the run that was killed had left it`)
  const locked = stuck ?? (await git.whyLocked())
  if (locked !== null) throw new Failure(EXIT.data, `${locked} Then run again.`)
}
