/** Lands a parallel story's work on the run's branch: merged, checked again if others' work is in it, or sent back. */
import { gatesFor, isHeldOut, isRed, redResult, withTolerance } from '../../core/decide/gates.ts'
import { endedFlight, placeOfFlight } from '../../core/evolve/flights.ts'
import { Failure } from '../../core/failure.ts'
import { storyNamed } from '../../core/plan/stories.ts'
import type { EndedFlight, State } from '../../core/state.ts'
import type { LandingEnded } from '../../core/types/results.ts'
import type { Decision, GateResult } from '../../core/types.ts'
import { runGates } from '../iteration/gates.ts'
import { type Committed, commitSeen } from '../iteration/judge-commit.ts'
import { holdBranch, isUsersOnly } from '../iteration/own-branch.ts'
import { gitFailed, lookAgain } from '../iteration/settle.ts'
import type { Deed } from '../parts.ts'
import { nameOf } from '../people/find-branch.ts'
import { withHeldOut } from '../proof/held-out.ts'
import type { Apart, World } from '../world.ts'
import { clearLocks, gitOf } from './make-worktree.ts'
import { knownFork, openPlace } from './worktree.ts'

type LandingStarted = Extract<Decision, { kind: 'landing.started' }>
/** `at`: where the run's branch is now, if it was moved. */
type Landing = Omit<LandingEnded, 'iteration' | 'repo'> & { at?: string }

/** Safe to repeat: what is already on the branch is not added again. */
export async function land(world: World, { iteration, story }: LandingStarted, deed: Deed): Promise<LandingEnded> {
  const { state } = deed
  const flight = endedFlight(state, iteration)
  if (flight === undefined) throw new Error(`iteration ${iteration} lands and is not in flight`)
  const here = await openPlace(world, placeOfFlight({ ...flight, story }))
  const { flips } = flight.ended
  if (here !== null) await clearLocks(here, deed.report)
  const committed = here === null ? { work: null, unseen: null } : await commitSeen(here, flight, flips, deed)
  const { work } = committed
  // No space, or a lock: not the story's fault, and the next run tries again.
  if (work !== null && 'error' in work && work.isPassing) throw gitFailed(work.error)
  const landing =
    here === null
      ? refused('its worktree is missing')
      : await landed({ world, here }, committed, flight, deed).catch((error: unknown) => {
          if (error instanceof Failure) return refused(error.message)
          throw error
        })
  const { at, ...said } = landing
  // Only the branch and its files have moved.
  const repo = at === undefined ? await lookAgain(world) : { ...state.repo, head: at, tree: await gitOf(world).contentOf(at) }
  return { iteration, ...said, repo }
}

type BothSides = { world: World; here: Apart }

/** Somebody may commit to the branch while the gates run: then it is merged and checked again. */
const maxTries = 3

async function landed(
  { world, here }: BothSides,
  { work, unseen }: Committed,
  flight: EndedFlight,
  deed: Deed,
): Promise<Landing> {
  const { ended } = flight
  if (work !== null && 'error' in work) return refused(`git did not commit the work: ${work.error}`)
  const own = work === null ? [] : [work.commit]
  const isOff = !world.settings['git.auto_commit'] && ended.uncommitted.length > 0
  if (isOff && !(await here.git.isClean()))
    return refused(
      `git.auto_commit is off, and ${ended.uncommitted.join(', ')} is not committed: commit what belongs to the story`,
    )
  for (let attempt = 0; attempt < maxTries; attempt++) {
    await holdBranch(world, flight.iteration, deed.report, isUsersOnly(world))
    const elsewhere = await whyElsewhere(world, here)
    if (elsewhere !== null) return { ...refused(elsewhere), blocked: elsewhere }
    const [tip, head] = (await Promise.all([gitOf(world).head(), here.git.head()])) as [string, string]
    const joined = await gitOf(world).joined(tip, head, {
      own: 'ours',
      message: message(ended.flips, deed.state),
      fork: await knownFork(here),
    })
    if (joined === null)
      return work?.isOther ? refused(`${unseen}: none of the work is on the branch`) : { results: [], commits: own }
    if ('conflict' in joined) return refused(conflictText(here, joined.conflict))
    // No gate has seen what a merge before a kill left in the worktree.
    const isGated = unseen === null && joined.isSame && [ended.repo.head, ...own].includes(head)
    const results = isGated ? [] : await checked(here, joined.commit, flight, deed)
    if (withTolerance(results, deed.state).some(isRed)) return { results, commits: own }
    const moved = await advance(world, here, joined.commit, tip)
    const isKnown = isGated && joined.commit === head
    if (moved === null) return { results, commits: isKnown ? own : [...own, joined.commit], at: joined.commit }
    if (moved.blocked !== undefined) return moved
  }
  return refused('the branch kept moving while the work landed')
}

/** null: done. Not done and not blocked: the branch has moved, so it is tried again. */
async function advance(world: Pick<World, 'git'>, here: Apart, commit: string, tip: string): Promise<Landing | null> {
  const problem = await gitOf(world).advance(commit)
  if (problem === null) return null
  const hasMoved = (await gitOf(world).head()) !== tip
  if (hasMoved) return refused(problem.error)
  const blocked = `${here.place.branch} cannot land in ${gitOf(world).top}: ${problem.error}\nCommit or move what is in the way, including files that git ignores. The work is safe on ${here.place.branch}.`
  return { ...refused(blocked), blocked }
}

async function whyElsewhere(world: Pick<World, 'git'>, { place }: Apart): Promise<string | null> {
  const branch = await gitOf(world).currentBranch()
  const open = gitOf(world).inProgress()
  if (open !== null) return `a ${open} is open in ${gitOf(world).top}: finish it, then run again`
  const back = place.onto === null ? 'switch back' : `switch back (git switch ${place.onto})`
  return branch === place.onto
    ? null
    : `${gitOf(world).top} is on ${nameOf(branch)}, but this run works on ${nameOf(place.onto)}: ${back}, then run again. The work is safe on ${place.branch}`
}

/** With others' work, the story's worktree has the merged result: the gates run there, and so does the next attempt. */
async function checked(here: Apart, commit: string, flight: EndedFlight, deed: Deed): Promise<GateResult[]> {
  const hard = gatesFor(deed.state, flight.ended).filter((gate) => gate.soft !== true)
  const wasHeldOut = flight.gates?.some(isHeldOut) === true
  if (hard.length === 0 && !wasHeldOut) return []
  const refusedReset = await here.git.resetTo(commit)
  if (refusedReset !== null) return refused(`git could not apply the merge in ${here.place.path}: ${refusedReset.error}`).results
  const results = await runGates(here, flight.iteration, hard, deed)
  return wasHeldOut ? withHeldOut(here, { iteration: flight.iteration, results }, deed) : results
}

const message = (flips: string[], state: State): string =>
  `feat: ${flips.map((id) => `${id} - ${storyNamed(state.plan, id)?.title ?? ''}`).join(', ')}\n`

const conflictText = ({ place }: Apart, conflict: string): string =>
  `The work conflicts with what landed on ${place.onto ?? 'the branch'} meanwhile:\n${conflict}\nIn this worktree run "git merge ${place.onto ?? 'HEAD'}", resolve the conflicts so that both sides' work stays, and commit.`

const refused = (output: string): Landing => ({ results: [redResult('landing', 'git merge', output)], commits: [] })
