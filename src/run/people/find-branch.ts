/** When another branch than that of a feature's last run is checked out: which one has its plan and work, and the command that gets there. */

import { existsSync } from 'node:fs'
import type { Git } from '../../adapters/git/git.ts'
import { currentBranch, gitDir } from '../../adapters/project/find.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import { listed } from '../../core/plan/stories.ts'
import type { State } from '../../core/state.ts'
import { inShell } from '../../core/text/escape.ts'
import { type Noticed, noticed } from '../noticed.ts'
import type { Project } from '../project.ts'

/** `branch`: the one of the last run; `here`: the one that is checked out, null: a detached HEAD. */
export type OtherBranch = { branch: string; here: string | null }

/** null: it is checked out, or there is no such branch to go to. */
export const otherBranch = (project: Pick<Project, 'root'>, { home }: State): OtherBranch | null =>
  differsFrom(project, home?.branch ?? null)

function differsFrom({ root }: Pick<Project, 'root'>, branch: string | null): OtherBranch | null {
  if (branch === null || gitDir(root) === null) return null
  const here = currentBranch(root)
  return here === branch ? null : { branch, here }
}

export const nameOf = (branch: string | null): string => branch ?? 'a detached HEAD'

/** `words`: what is in the way; `command`: one line to paste, empty if nothing can help. */
type Way = { words: string; command: string }

/** `head`: the last commit of the branch that is known. */
async function wayTo(git: Git, branch: string, head: string | null, place = ''): Promise<Way> {
  const switching = `git${place === '' ? '' : ` -C ${inShell(place)}`} switch`
  if ((await git.branchTip(branch)) !== null) {
    const other = await worktreeOn(git, branch)
    if (other === null) return { words: '', command: `${switching} ${branch}` }
    return {
      words: `${branch} is checked out in ${other}, and git checks out a branch in one worktree only.`,
      command: `git -C ${inShell(other)} switch --detach && ${switching} ${branch}`,
    }
  }
  if (await git.isAtRemote(branch)) return { words: `${branch} exists only on the remote.`, command: `${switching} ${branch}` }
  const short = head?.slice(0, 10) ?? 'unknown'
  if (head === null || !(await git.has(head)))
    return { words: `${branch} was deleted, and its last commit is no longer in the repository (${short}).`, command: '' }
  return {
    words: `${branch} was deleted. Its last commit is still here: ${short}.`,
    command: `${switching} -c ${branch} ${short}`,
  }
}

/** The other worktree that has it checked out. */
export async function worktreeOn(git: Pick<Git, 'listWorktrees' | 'top'>, branch: string): Promise<string | null> {
  const others = (await git.listWorktrees()).filter(({ path }) => path !== git.top && existsSync(path))
  return others.find((each) => each.branch === branch)?.path ?? null
}

/** Where the branch of the last run is, if another one is checked out. null: that one is. */
export async function wayBack(
  project: Project,
  { branch, head }: { branch: string | null; head: string | null },
  env: NodeJS.ProcessEnv,
): Promise<Way | null> {
  const other = differsFrom(project, branch)
  if (other === null) return null
  const { openGit } = await import('../../adapters/git/git.ts') // not on the path of commands that only look
  const git = await openGit(project.root, env)
  if (git === null) return null
  try {
    const place = project.main === undefined ? '' : project.root
    const { words, command } = await wayTo(git, other.branch, head, place)
    const where = `The last run worked on ${other.branch}; ${place === '' ? 'this checkout' : place} is on ${nameOf(other.here)}.`
    return { words: words === '' ? where : `${where} ${words}`, command }
  } finally {
    git.close()
  }
}

export const lastOn = ({ home, repo }: State): { branch: string | null; head: string | null } => ({
  branch: home?.branch ?? null,
  head: repo.head,
})

/** What a person does next, after a request that no live run took. */
export async function howToContinue(project: Project, state: State, env: NodeJS.ProcessEnv): Promise<string> {
  const way = await wayBack(project, lastOn(state), env)
  if (way === null) return 'Continue with: ralph run'
  return way.command === '' ? way.words : `${way.words} Continue with: ${way.command} && ralph run`
}

/** Before anything is written: a run without its plan would be another one. */
export async function mustHavePlan(project: Project, git: Git | null, state: State, hasPlan: boolean): Promise<void> {
  const other = otherBranch(project, state)
  if (git === null || other === null || hasPlan || state.plan === null) return
  const place = project.main === undefined ? '' : project.root
  const { words, command } = await wayTo(git, other.branch, state.repo.head, place)
  throw new Failure(
    EXIT.data,
    [
      `${project.label} has no plan on ${nameOf(other.here)}: the last run worked on ${other.branch}.`,
      words,
      command === '' ? '' : `Run: ${command} && ralph run`,
    ]
      .filter((text) => text !== '')
      .join(' '),
  )
}

/** A branch that somebody deleted would be created anew from HEAD, and paid work would be done again. */
export async function mustNotBeDeleted(git: Git | null, branch: string, state: State): Promise<void> {
  if (git === null || state.home?.branch !== branch || (await git.branchTip(branch)) !== null) return
  const lost = await lostStories(git, state)
  if (lost.length === 0) return
  const { words, command } = await wayTo(git, branch, state.repo.head)
  const here = nameOf(await git.currentBranch())
  if (command !== '')
    throw new Failure(
      EXIT.data,
      `${words} ${here} does not have the work of ${listed(lost)}. To get it back: ${command} && ralph run. To start over from ${here}: ralph run --fresh`,
    )
}

/** Passed stories whose work the checked out branch lacks. */
async function lostStories(git: Git, { plan, stories }: State): Promise<string[]> {
  const passed = (plan?.stories ?? []).flatMap(({ id }) => {
    const receipt = stories[id]?.receipt
    return receipt === undefined || receipt.given ? [] : [{ id, commits: receipt.commits }]
  })
  const missing = await git.missing(passed.flatMap(({ commits }) => commits))
  return passed.filter(({ commits }) => commits.some((commit) => missing.includes(commit))).map(({ id }) => id)
}

/** At the end of a process that stopped because somebody checked out another branch. */
export function leftBranch(project: Pick<Project, 'root'>, state: State): Noticed[] {
  const other = otherBranch(project, state)
  if (other === null) return []
  const [flight] = state.flights
  const when = flight === undefined ? '' : ` during iteration ${flight.iteration}`
  return [
    noticed('branch-left', `${nameOf(other.here)} was checked out${when}: the run stopped. Its work is on ${other.branch}.`),
  ]
}

/** A plan without a branch runs where HEAD is. If that is not where the last run was, its work may be missing here. */
export async function movedSince(git: Git | null, state: State): Promise<Noticed[]> {
  const before = state.home?.branch ?? null
  if (git === null || before === null) return []
  const here = await git.currentBranch()
  const lost = here === before ? [] : await lostStories(git, state)
  if (lost.length === 0) return []
  const { words, command } = await wayTo(git, before, state.repo.head)
  const back = command === '' ? words : `To continue there: ${command} && ralph run.`
  return [
    noticed(
      'branch-left',
      `The last run worked on ${before}, this one works on ${nameOf(here)}, which does not have the work of ${listed(lost)}. ${back}`,
    ),
  ]
}
