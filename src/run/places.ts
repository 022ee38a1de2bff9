/** The worktrees of a feature as a whole: those that are needed no more go, the others are named. */

import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { Git } from '../adapters/git.ts'
import type { State } from '../core/state.ts'
import type { StoryId } from '../core/types.ts'
import { placeOf } from './place.ts'
import type { World } from './world.ts'

export type Leaver = (landed: StoryId | null) => Promise<{ error: string } | null>

/** Once a story's work is on the working branch, its worktree goes; the branches go together, when nothing lands. null: gone. */
export function placeLeaver(world: World): Leaver {
  const branches: string[] = []
  const isLanding = (): boolean => world.common.state!().flights.some(({ landing }) => landing === 'running')
  return async (landed) => {
    if (landed !== null) {
      const { path, branch } = placeOf(world, landed)
      world.places.delete(landed)
      const refused = await world.git!.removeWorktree(path)
      if (refused !== null) return refused
      branches.push(branch)
    }
    return branches.length === 0 || isLanding() ? null : world.git!.deleteBranches(branches.splice(0))
  }
}

/** At the end of a run. Lines for people: where work that is not on the working branch lies. */
export async function tidyPlaces(world: World, { plan, policy, stories }: State): Promise<string[]> {
  const { git } = world
  const planned = plan?.stories ?? []
  const passed = new Set(planned.filter(({ passes }) => passes).map(({ id }) => id))
  const ids = new Set([...planned.map(({ id }) => id), ...world.spares.keys()])
  const left = new Set([...ids].filter((id) => existsSync(placeOf(world, id).path)))
  if (git === null || (left.size === 0 && policy.workers === 1)) return []
  const there = left.size === 0 ? [] : await git.listWorktrees()
  const lines: string[] = []
  // A kill may have come between a worktree's end and its branch's.
  const unused = [...passed].filter((id) => !left.has(id))
  for (const id of left) {
    const { path, branch } = placeOf(world, id)
    const found = there.find((worktree) => worktree.path === realpathSync(path))
    if (found === undefined) continue
    // One that was made before its story could begin, or that a kill left behind, half made even: then it has no index yet.
    const own = git.worktreeAt(path, path)
    const isUnbegun = stories[id]?.isApart !== true
    const isHalfMade = isUnbegun && !existsSync(join(own.dir, 'index'))
    const isOver = passed.has(id) || (isUnbegun && found.branch === branch && (await own.isClean()))
    const mayGo = isHalfMade || (isOver && (await isLanded(git, found.branch)))
    const refused = mayGo ? await git.removeWorktree(path) : { error: '' }
    if (refused === null) unused.push(id)
    else lines.push(`Worktree:    ${id} in ${path} (${found.branch})`)
  }
  const branches = await Promise.all(unused.map((id) => landedBranch(git, placeOf(world, id).branch)))
  await git.deleteBranches(branches.filter((branch) => branch !== null))
  return lines
}

const landedBranch = async (git: Git, branch: string): Promise<string | null> => ((await isLanded(git, branch)) ? branch : null)

async function isLanded(git: Git, branch: string): Promise<boolean> {
  const [head, tip] = await Promise.all([git.head(), git.branchTip(branch)])
  return head !== null && tip !== null && (await git.forkOf(head, tip)) === tip
}
