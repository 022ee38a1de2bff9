/** The worktrees of a feature as a whole: those that are needed no more go, the others are named. */

import { existsSync, realpathSync } from 'node:fs'
import type { State } from '../core/state.ts'
import { placeOf } from './place.ts'
import type { World } from './world.ts'

/** At the end of a run. Lines for people: where work that is not on the working branch lies. */
export async function tidyPlaces(world: World, { plan, policy, stories }: State): Promise<string[]> {
  const { git } = world
  const isUsed = policy.workers > 1 || Object.values(stories).some(({ isApart }) => isApart)
  if (git === null || !isUsed) return []
  const there = await git.listWorktrees()
  const lines: string[] = []
  for (const { id, passes } of plan?.stories ?? []) {
    const { path, branch } = placeOf(world, id)
    const found = existsSync(path) ? there.find((worktree) => worktree.path === realpathSync(path)) : undefined
    if (found === undefined) continue
    const isLanded = passes && (await git.joined('HEAD', found.branch, 'ours', '')) === null
    const refused = isLanded ? await git.removeWorktree(path, branch) : { error: '' }
    if (refused !== null) lines.push(`Worktree:    ${id} in ${path} (${found.branch})`)
  }
  return lines
}
