/** What an iteration, also one that was lost, did to the repository and to the plan. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { hashFiles } from '../../adapters/files/tree-hash.ts'
import type { Homecoming } from '../../adapters/git/rescue/own-branch.ts'
import { maxListed } from '../../core/evolve/users-files.ts'
import { hiddenSince } from '../../core/proof/hidden-files.ts'
import type { State } from '../../core/state.ts'
import type { Ended, Report } from '../../core/types.ts'
import type { World } from '../world.ts'
import { homeNotices } from './own-branch.ts'
import { watchAgain } from './restore-files.ts'

type Measured = Pick<Ended, 'repo' | 'commits' | 'trees' | 'files' | 'uncommitted' | 'hidden' | 'taken' | 'astray'> & {
  notices: { what: string; detail: string }[]
}

/** `written`: the plan file as it was when the agent ended, where others may write to it before it is looked at. */
export async function measure(
  world: World,
  iteration: number,
  state: State,
  story: string | null,
  home: Homecoming,
  report: (report: Report) => void,
  written?: string | null,
): Promise<Measured & Pick<Ended, 'plan' | 'flips' | 'repairs'>> {
  // In a worktree of its own only its own story is the agent's to mark.
  const allowed = { pick: world.place === undefined ? state.policy.pick : ('ralph' as const), story }
  await watchAgain(world, iteration, report) // after a kill nobody has looked yet
  const [edits, repo] = await Promise.all([world.plan.agentEdits(iteration, allowed, written), look(world, state)])
  const astray = home.astray === null ? {} : { astray: home.astray }
  const repairs = [...edits.repairs, ...world.plan.removeStrays(iteration)]
  return { ...repo, ...edits, repairs, ...astray, notices: homeNotices(iteration, home) }
}

async function look(world: World, state: State): Promise<Omit<Measured, 'notices' | 'astray'>> {
  const before = world.place?.before ?? state.repo
  if (world.git === null) {
    const { tree, dirt, head } = hashFiles(world.root)
    const trees = tree === before.tree ? [] : [tree]
    return { repo: { head, tree, dirt }, commits: [], trees, files: [], uncommitted: [] }
  }
  const { head, tree, dirt, uncommitted, ignored } = await world.git.snapshotWithIgnored()
  const isSame = head === before.head
  const [since, files] = isSame
    ? [{ commits: [], trees: [] }, []]
    : await Promise.all([
        world.git.commitsSince(before.head),
        before.head === null ? [] : world.git.diffFiles(before.head, 'HEAD'),
      ])
  // What the user left lying lies in the repository itself.
  const users = new Set(world.place === undefined ? state.users : [])
  const isUsers = (file: string): boolean => users.has(file)
  const isOurs = (file: string): boolean => !isUsers(file) && !isLeftByGate(world, file)
  const left = uncommitted.filter(isOurs).slice(0, maxListed)
  // What a gate has left is in no commit either.
  const unseen = [...ignored, ...uncommitted.filter((file) => !isUsers(file) && isLeftByGate(world, file))]
  const hidden = hiddenSince(world.place === undefined ? state.ignored : world.place.ignored, unseen).slice(0, maxListed)
  const taken = [...users].filter((file) => !new Set(uncommitted).has(file))
  return {
    repo: { head, tree, dirt },
    ...since,
    files: files.slice(0, 50),
    uncommitted: left,
    ...(hidden.length === 0 ? {} : { hidden }),
    ...(taken.length === 0 ? {} : { taken }),
  }
}

/** A gate's reports and caches are not the agent's work, until somebody writes to them again. */
export function isLeftByGate(world: World, file: string): boolean {
  const left = world.leftByGates.get(file)
  return left !== undefined && left === fileIdentity(world, file)
}

export function fileIdentity(world: World, file: string): string {
  const stat = statSync(join(world.git?.top ?? world.root, file), { throwIfNoEntry: false })
  return stat === undefined ? 'gone' : `${stat.mtimeMs} ${stat.size} ${stat.ino}`
}
