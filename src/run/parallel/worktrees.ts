/** All worktrees of a feature: removes those that are no longer needed, and lists the others. */
import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { CommitRefused } from '../../adapters/git/commit.ts'
import type { Git } from '../../adapters/git/git.ts'
import { placeOfFlight } from '../../core/evolve/flights.ts'
import type { State } from '../../core/state.ts'
import type { Story, StoryId } from '../../core/types.ts'
import type { World } from '../world.ts'
import { gitOf } from './make-worktree.ts'
import { openPlace } from './worktree.ts'
import { placeOf } from './worktree-paths.ts'

type WithWorktrees = Pick<World, 'root' | 'home' | 'feature' | 'git' | 'state' | 'worktrees'>

/** Once a story's work has landed, its worktree and branch are removed: together with others, when nothing is landing. null: removed. */
export async function leavePlace(world: WithWorktrees, landed: StoryId | null): Promise<CommitRefused | null> {
  if (landed !== null) world.worktrees.landed.push(landed)
  const { flights, outcome } = world.state()
  const isLanding = flights.some(({ phase }) => phase === 'returned' || phase === 'landing')
  return isLanding || outcome !== undefined ? null : leaveLanded(world) // at the end the tidying does it
}

async function leaveLanded(world: WithWorktrees): Promise<CommitRefused | null> {
  const landed = world.worktrees.landed.splice(0)
  if (landed.length === 0) return null
  for (const story of landed) world.worktrees.open.delete(story)
  const left = landed.map((story) => placeOf(world, story))
  const git = gitOf(world)
  return (await git.removeWorktrees(left.map(({ path }) => path))) ?? git.deleteBranches(left.map(({ branch }) => branch))
}

/** A candidate that did not land: all its work becomes a branch, and its worktree is removed. Safe to repeat. */
export async function leaveAside(world: World, place: string, branch: string, message: string): Promise<string | null> {
  const git = gitOf(world)
  const own = placeOf(world, place)
  if (!(await git.branchExists(branch))) {
    const here = await openPlace(world, place)
    await here?.git.commitAll(message, [])
    const refused = (await git.branchExists(own.branch)) ? await git.moveBranch(own.branch, branch) : null
    if (refused !== null) return refused.error
  }
  world.worktrees.open.delete(place)
  return existsSync(own.path) ? ((await git.removeWorktrees([own.path]))?.error ?? null) : null
}

/** At the end of a run. Lines for people: where work is that is not on the run's branch. */
export async function tidyPlaces(world: WithWorktrees, { plan, policy, stories }: State): Promise<string[]> {
  const { git } = world
  const kept = await leaveLanded(world)
  const planned = plan?.stories ?? []
  const passed = new Set(planned.filter(({ passes }) => passes).map(({ id }) => id))
  const ids = planned.flatMap((story) => [story.id, ...candidatePlaces(story, { policy, stories })])
  const left = new Set(ids.filter((id) => existsSync(placeOf(world, id).path)))
  const hasCandidates = ids.length > planned.length
  if (git === null || (left.size === 0 && policy.workers === 1 && !hasCandidates)) return []
  const there = left.size === 0 ? [] : await git.listWorktrees()
  const lines: string[] = kept === null ? [] : [`Left over:   ${kept.error}`]
  // A kill may have come between removing a worktree and its branch.
  const unused = ids.filter((id) => passed.has(storyIn(id)) && !left.has(id))
  for (const id of left) {
    const { path, branch } = placeOf(world, id)
    const found = there.find((worktree) => worktree.path === realpathSync(path))
    if (found === undefined) continue
    // One that was created before its story could start, or that a kill left behind half made: then it has no index yet.
    const own = git.worktreeAt(path, path)
    const story = storyIn(id)
    const isUnbegun = stories[story]?.isApart !== true
    const isHalfMade = isUnbegun && !existsSync(join(own.dir, 'index'))
    const isOver = passed.has(story) || (isUnbegun && found.branch === branch && (await own.isClean()))
    const mayGo = isHalfMade || (isOver && (await isLanded(git, found.branch)))
    const refused = mayGo ? await git.removeWorktrees([path]) : { error: '' }
    if (refused === null) unused.push(id)
    else lines.push(`Worktree:    ${story} in ${path} (${found.branch})`)
  }
  const branches = await Promise.all(unused.map((id) => landedBranch(git, placeOf(world, id).branch)))
  const refused = await git.deleteBranches(branches.filter((branch) => branch !== null))
  return refused === null
    ? lines
    : [...lines, `Left over:   a branch whose work has landed could not be deleted: ${refused.error}`]
}

/** Also those that it could have had: once it has passed, nobody counts them any more. */
function candidatePlaces({ id, bestOf }: Story, { policy, stories }: Pick<State, 'policy' | 'stories'>): StoryId[] {
  const { candidates = [], losers = [] } = stories[id] ?? {}
  const most = Math.max(bestOf ?? policy.bestOf ?? 1, candidates.length, losers.length + 1)
  return most === 1 ? [] : Array.from({ length: most }, (_, at) => placeOfFlight({ story: id, candidate: at + 1 }))
}

/** Of a place (see `placeOfFlight`). */
const storyIn = (place: string): StoryId => place.split('\n', 1)[0] ?? place

const landedBranch = async (git: Git, branch: string): Promise<string | null> => ((await isLanded(git, branch)) ? branch : null)

async function isLanded(git: Git, branch: string): Promise<boolean> {
  const [head, tip] = await Promise.all([git.head(), git.branchTip(branch)])
  return head !== null && tip !== null && (await git.forkOf(head, tip)) === tip
}
