/** The worktrees of a feature as a whole: those that are needed no more go, the others are named. */

import { existsSync, realpathSync } from 'node:fs'
import type { Git } from '../adapters/git.ts'
import type { State } from '../core/state.ts'
import { placeOf } from './place.ts'
import type { World } from './world.ts'

/** At the end of a run. Lines for people: where work that is not on the working branch lies. */
export async function tidyPlaces(world: World, { plan, stories }: State): Promise<string[]> {
  const { git } = world
  const left = (plan?.stories ?? []).filter(({ id }) => existsSync(placeOf(world, id).path))
  if (git === null || left.length === 0) return []
  const there = await git.listWorktrees()
  const lines: string[] = []
  for (const { id, passes } of left) {
    const { path, branch } = placeOf(world, id)
    const found = there.find((worktree) => worktree.path === realpathSync(path))
    if (found === undefined) continue
    // One that was made before its story could begin, or that a kill left behind.
    const isUnbegun = found.branch === branch && stories[id]?.isApart !== true
    const isOver = passes || (isUnbegun && (await git.worktreeAt(path, path).isClean()))
    const mayGo = isOver && (await isLanded(git, found.branch))
    const refused = mayGo ? await git.removeWorktree(path, branch) : { error: '' }
    if (refused !== null) lines.push(`Worktree:    ${id} in ${path} (${found.branch})`)
  }
  return lines
}

async function isLanded(git: Git, branch: string): Promise<boolean> {
  const [head, tip] = [await git.head(), await git.branchTip(branch)]
  return head !== null && tip !== null && (await git.forkOf(head, tip)) === tip
}
