/** The run's branch: after each agent HEAD is on it again, nothing is committed elsewhere, and all passed work is on it at the end. */
import type { Homecoming } from '../../adapters/git/rescue/come-home.ts'
import { EXIT, Failure, sure } from '../../core/failure.ts'
import { listed } from '../../core/plan/stories.ts'
import type { State } from '../../core/state.ts'
import type { BranchAnswered } from '../../core/types/results.ts'
import { scopeNumber } from '../../core/types/words.ts'
import type { Reporter, Scope } from '../../core/types.ts'
import { type Noticed, noticed, toldNext } from '../noticed.ts'
import type { Work } from '../parts.ts'
import { repoOf } from '../repo-now.ts'
import type { GitTrace } from './git-trace.ts'

/** A run on its branch; in a story's worktree, on that story's branch. */
type OnBranch = Pick<Work, 'feature' | 'git' | 'branch' | 'place' | 'main'>

/** The ref that keeps the commits of passed stories from being pruned until the run is complete. */
export const passedKey = ({ feature }: Pick<Work, 'feature'>): string => `${feature}/.passed`

const leftKey = ({ feature }: Pick<Work, 'feature'>, iteration: Scope): string => `${feature}/left-${scopeNumber(iteration)}`

/** Stops the run if the user checked out something else while the agent worked: their commits there are theirs. */
export async function mustBeUnmoved(world: OnBranch, trace: GitTrace | null): Promise<void> {
  if (trace !== null && !trace.names.some((name) => movesHead.has(name))) await mustBeHome(world)
}

const movesHead = new Set(
  'switch checkout branch symbolic-ref update-ref worktree rebase bisect stash pull am fast-import'.split(' '),
)

/** After an agent: corrects what it did to HEAD and the branch. `from`: the branch before. */
export async function comeHome(world: OnBranch, iteration: number, from: string | null): Promise<Homecoming> {
  const { git, place, branch } = world
  if (git === null || from === null) return { did: [], astray: null }
  return git.comeHome(place === undefined ? branch : place.branch, from, leftKey(world, iteration))
}

/** Commits that an agent left on other branches or on none: nobody would look for them there. `trace`: null means that nobody knows what it did. */
export async function commitsElsewhere(world: OnBranch, iteration: number, trace: GitTrace | null): Promise<Noticed[]> {
  const { git, branch, place } = world
  const own = place === undefined ? branch : place.branch
  if (git === null || trace === null || !trace.names.some((name) => movesHead.has(name))) return []
  const found = await git.branchesSince(trace.startedMs, own)
  const unnamed = await git.detachedSince(trace.startedMs, own)
  // Kept from being pruned, and named, so that the next iteration is not blamed for them.
  for (const commit of unnamed) await git.keep(`${leftKey(world, iteration)}-${commit.slice(0, 10)}`, commit)
  const detached = unnamed.map((commit) => commit.slice(0, 10))
  const names = found.slice(0, mostBranches).map(({ name, commit }) => `${name} (${commit.slice(0, 10)})`)
  const tell = (where: string, first = ''): Noticed =>
    toldNext(
      'commits-elsewhere',
      `iteration ${iteration} left commits ${where} that are not on ${own ?? 'the detached HEAD'}: git log ${own ?? 'HEAD'}..${first} shows them, git merge ${first} takes them.`,
    )
  return [
    ...(names.length === 0 ? [] : [tell(`on ${listed(names)}`, found[0]?.name)]),
    ...(detached.length === 0 ? [] : [tell(`without a branch (${listed(detached.slice(0, mostBranches))})`, detached[0])]),
  ]
}

const mostBranches = 5

/** Moves the branch back if somebody moved or redirected it from elsewhere. Returns whether it was. */
export async function holdBranch(world: OnBranch, iteration: Scope, report: Reporter, isUsersOnly = false): Promise<boolean> {
  const branch = world.place === undefined ? world.branch : world.place.branch
  if (world.git === null || branch === null) return false
  const done = await world.git.holdBranch(branch, leftKey(world, iteration), isUsersOnly)
  for (const did of done) report(toldNext('branch-changed', `${sayWhen(iteration)} ${did}.`))
  return done.length > 0
}

/** If all agents work in worktrees, only the user works in the project itself. */
export function isUsersOnly({ place, state }: Pick<Work, 'place' | 'state'>): boolean {
  const { flights } = state()
  return place === undefined && flights.length > 0 && flights.every(({ worker }) => worker !== undefined)
}

export const sayWhen = (iteration: Scope): string =>
  iteration === 'whole' ? 'while the gates ran' : `during iteration ${iteration}`

/** Before anything runs. A killed run knows whether it pointed to another branch then. Returns its name among the user's links. */
export async function noteBranch({ git, branch }: OnBranch, { links }: State, isUnfinished: boolean): Promise<string[]> {
  if (git === null || branch === null) return []
  const ref = `refs/heads/${branch}`
  return (await git.noteBranch(branch, !isUnfinished || links?.includes(ref) === true)) ? [ref] : []
}

/** In the repository itself, where the user works too. Whoever checks out something else there has a reason: HEAD is left alone. */
export async function whyElsewhere({ git, branch, main }: OnBranch): Promise<string | null> {
  if (git === null || branch === null || git.inProgress() !== null) return null
  const current = await git.currentBranch()
  if (current === branch) return null
  return `${git.top} is on ${current ?? 'a detached HEAD'}, but this run works on ${branch}. Switch back (git${main === undefined ? '' : ` -C ${git.top}`} switch ${branch})`
}

export async function mustBeHome(world: OnBranch): Promise<void> {
  const elsewhere = world.place === undefined ? await whyElsewhere(world) : null
  if (elsewhere !== null) throw new Failure(EXIT.data, `${elsewhere}, then run again to continue.`)
}

export const homeNotices = (iteration: number, { did, astray }: Homecoming): Noticed[] => [
  ...did.map((words) => toldNext('branch-changed', `iteration ${iteration} ${words}`)),
  ...(astray === null ? [] : [toldNext('work-astray', `iteration ${iteration}: ${astray}.`)]),
]

/** Before the run is complete. A story whose work is gone is reopened, in the plan file too. */
export async function answerForBranch(world: OnBranch & Pick<Work, 'plan'>, { plan, stories }: State): Promise<BranchAnswered> {
  await mustBeHome(world)
  const git = sure(world.git, 'repository with the branch')
  const open = git.inProgress()
  if (open !== null && open !== 'bisect')
    throw new Failure(
      EXIT.data,
      `Every story passes, but a ${open} is open in ${git.top}. Finish it (git ${open} --continue) or abort it (git ${open} --abort), then run again to continue.`,
    )
  const passed = (plan?.stories ?? []).flatMap(({ id, passes }) => {
    const receipt = stories[id]?.receipt
    return passes && receipt !== undefined && !receipt.given ? [{ story: id, ...receipt }] : []
  })
  passed.sort((one, other) => one.iteration - other.iteration)
  const [gone, snapshot] = await Promise.all([git.missing(passed.flatMap(({ commits }) => commits)), git.snapshot()])
  const isKept = new Map(await Promise.all(gone.map(async (commit) => [commit, await git.has(commit)] as const)))
  const missing = passed.flatMap(({ story, commits }) => {
    const lacking = commits.filter((commit) => gone.includes(commit))
    const own = lacking.map((commit) => commit.slice(0, 10))
    const where = lacking.every((commit) => isKept.get(commit))
      ? `${git.refOf(passedKey(world))} still has it: merge it, or do the work again.`
      : 'The repository does not have it: do the work again.'
    const because = `${own.join(', ')} is no longer on ${world.branch ?? 'the detached HEAD'}. ${where}`
    return own.length === 0 ? [] : [{ story, because }]
  })
  if (missing.length > 0) await world.plan.setPasses(missing.map(({ story }) => ({ id: story, passes: false })))
  return { missing, repo: repoOf(snapshot) }
}

/** Time has passed since gates and reviewers: is the checked work still on the branch? */
export async function whyGone({ git, branch }: OnBranch, head: string | null): Promise<string | null> {
  if (git === null || head === null || (await git.isStraight(head)) || (await git.missing([head])).length === 0) return null
  return `${head.slice(0, 10)}, which was checked, is no longer on ${branch ?? 'the detached HEAD'}: something removed it (see git reflog).`
}

/** Protects passed work from being pruned, whatever happens to the branch. Not worth stopping for. */
export async function keepPassed(world: Pick<Work, 'git' | 'feature'>, head: string | null, report: Reporter): Promise<void> {
  if (world.git === null || head === null) return
  await world.git
    .keep(passedKey(world), head)
    .catch((error: Error) =>
      report(noticed('passed-unkept', `could not keep the commits of passed stories under refs/ralph/: ${error.message}`)),
    )
}
