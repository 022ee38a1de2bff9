/** The worktrees of a feature as a whole: those that are needed no more go, the others are named. */

import { existsSync, realpathSync } from 'node:fs'
import type { Git } from '../adapters/git.ts'
import type { State } from '../core/state.ts'
import type { StoryId } from '../core/types.ts'
import { placeOf } from './place.ts'
import type { World } from './world.ts'

export type Leaver = (landed: StoryId | null) => Promise<{ error: string } | null>

/** Once a story's work is on the working branch, its worktree goes; the branches go together, when nothing lands. null: gone. */
export function placeLeaver(world: World): Leaver {
  const branches: string[] = []
  const isLanding = (): boolean => world.purse.state!().flights.some(({ landing }) => landing === 'running')
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
export async function tidyPlaces(world: World, { plan, stories }: State): Promise<string[]> {
  const { git } = world
  const left = (plan?.stories ?? []).filter(({ id }) => existsSync(placeOf(world, id).path))
  if (git === null || left.length === 0) return []
  const there = await git.listWorktrees()
  const lines: string[] = []
  const unused: string[] = []
  for (const { id, passes } of left) {
    const { path, branch } = placeOf(world, id)
    const found = there.find((worktree) => worktree.path === realpathSync(path))
    if (found === undefined) continue
    // One that was made before its story could begin, or that a kill left behind.
    const isUnbegun = found.branch === branch && stories[id]?.isApart !== true
    const isOver = passes || (isUnbegun && (await git.worktreeAt(path, path).isClean()))
    const mayGo = isOver && (await isLanded(git, found.branch))
    const refused = mayGo ? await git.removeWorktree(path) : { error: '' }
    if (refused === null) unused.push(branch)
    else lines.push(`Worktree:    ${id} in ${path} (${found.branch})`)
  }
  await git.deleteBranches(unused)
  return lines
}

async function isLanded(git: Git, branch: string): Promise<boolean> {
  const [head, tip] = [await git.head(), await git.branchTip(branch)]
  return head !== null && tip !== null && (await git.forkOf(head, tip)) === tip
}
