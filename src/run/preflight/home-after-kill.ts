/** The branch after a kill: HEAD is on it again, without the user's files in the commits of the lost agent. */
import type { Git } from '../../adapters/git/git.ts'
import type { TakenOut } from '../../adapters/git/rescue/without-users.ts'
import { hasEnded } from '../../core/evolve/flights.ts'
import type { State } from '../../core/state.ts'
import { scopeOf } from '../../core/types/words.ts'
import { readTrace } from '../iteration/git-trace.ts'
import { comeHome, holdBranch, mustBeUnmoved, noteBranch } from '../iteration/own-branch.ts'
import { takeOutUsers } from '../iteration/users-files.ts'
import type { Setup } from '../parts.ts'

/** `astray`: work of a killed iteration that is not on the branch. `out`: the user's files that were in its commits. */
export type HomeAfterKill = { astray: string | null; out?: TakenOut }

/**
 * What ran when Ralph was killed may have left the branch, or moved it. Before the plan file is read, because another branch has another one. Returns
 * work that is elsewhere, and what was taken out of its commits.
 */
export async function homeAfterKill(setup: Setup, git: Git | null, state: State): Promise<HomeAfterKill> {
  const { flights, home, repo } = state
  if (flights.length === 0 || home === undefined) return { astray: null }
  const world = { ...setup, git, branch: home.branch }
  const lost = flights.find((flight) => flight.worker === undefined && !hasEnded(flight))
  if (lost !== undefined) await mustBeUnmoved(world, readTrace(world))
  await noteBranch(world, state, true)
  await holdBranch(
    world,
    scopeOf(state.iteration),
    (fact) => fact.kind === 'noticed' && world.screen.say('warn', `! ${fact.detail}`),
  )
  if (lost === undefined) return { astray: null }
  const trace = readTrace(world)
  const out = await takeOutUsers(world, state.users, { from: trace?.head ?? repo.head, trace })
  const { did, astray } = await comeHome(world, lost.iteration, repo.head)
  for (const words of did) world.screen.say('warn', `! iteration ${lost.iteration} ${words}`)
  return { astray, ...(out && { out }) }
}
