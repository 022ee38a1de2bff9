/** What an iteration, also one that was lost, did to the repository and to the plan. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { currentBranch } from '../adapters/project.ts'
import { hashFiles } from '../adapters/tree-hash.ts'
import type { State } from '../core/state.ts'
import type { Ended } from '../core/types.ts'
import { maxListed } from '../core/users.ts'
import type { World } from './world.ts'

type Looked = Pick<Ended, 'repo' | 'commits' | 'trees' | 'files' | 'uncommitted' | 'taken'> & {
  notices: { what: string; detail: string }[]
}

export async function measure(
  world: World,
  iteration: number,
  state: State,
  story: string | null,
  branch: string | null,
): Promise<Looked & Pick<Ended, 'plan' | 'flips' | 'repairs'>> {
  const allowed = { pick: state.policy.pick, story }
  const [edits, repo] = await Promise.all([world.plan.agentEdits(iteration, allowed), look(world, iteration, state, branch)])
  return { ...repo, ...edits }
}

async function look(world: World, iteration: number, state: State, wanted: string | null): Promise<Looked> {
  const before = world.place?.before ?? state.repo
  if (world.git === null) {
    const { tree, dirt, head } = hashFiles(world.root)
    const trees = tree === before.tree ? [] : [tree]
    return { repo: { head, tree, dirt }, commits: [], trees, files: [], uncommitted: [], notices: [] }
  }
  const { head, tree, dirt, uncommitted, branch } = await world.git.snapshot()
  const isSame = head === before.head
  const [{ isRewound, ...since }, files] = isSame
    ? [{ commits: [], trees: [], isRewound: false }, []]
    : await Promise.all([
        world.git.commitsSince(before.head),
        before.head === null ? [] : world.git.diffFiles(before.head, 'HEAD'),
      ])
  // What the user left lying lies in the repository itself.
  const users = new Set(world.place === undefined ? state.users : [])
  const isUsers = (file: string): boolean => users.has(file)
  const isOurs = (file: string): boolean => !isUsers(file) && !isLeftByGate(world, file)
  const notices = [
    ...(isRewound ? [rewound(iteration, before.head, head, state)] : []),
    ...(wanted !== null && branch !== wanted ? [elsewhere(iteration, branch, wanted)] : []),
  ]
  const left = uncommitted.filter(isOurs).slice(0, maxListed)
  const taken = [...users].filter((file) => !new Set(uncommitted).has(file))
  return {
    repo: { head, tree, dirt },
    ...since,
    files: files.slice(0, 50),
    uncommitted: left,
    ...(taken.length === 0 ? {} : { taken }),
    notices,
  }
}

/** A gate's reports and caches are not the agent's work, until somebody writes to them again. */
function isLeftByGate(world: World, file: string): boolean {
  const left = world.leftByGates.get(file)
  return left !== undefined && left === fileIdentity(world, file)
}

export function fileIdentity(world: World, file: string): string {
  const stat = statSync(join(world.git?.top ?? world.root, file), { throwIfNoEntry: false })
  return stat === undefined ? 'gone' : `${stat.mtimeMs} ${stat.size} ${stat.ino}`
}

/** Commits that were there are not on the branch any more: what passed may have gone with them, and a gate need not see it. */
function rewound(iteration: number, from: string | null, to: string | null, state: State): { what: string; detail: string } {
  const passed = Object.entries(state.stories).flatMap(([id, { receipt }]) => (receipt && !receipt.given ? [id] : []))
  const stories =
    passed.length > 0 ? ` Look whether ${passed.join(', ')} still ${passed.length === 1 ? 'has its' : 'have their'} work.` : ''
  const detail = `iteration ${iteration} took commits off the branch: ${from?.slice(0, 7)} is not part of ${to?.slice(0, 7)} (git reflog still has it).${stories}`
  return { what: 'history-rewound', detail }
}

/** Asked when an iteration begins, what it must stay on: the plan's, or the one that is checked out. null: any will do. */
export function branchFor({ place, settings, root }: World, { plan }: State): string | null {
  if (place !== undefined) return place.branch
  return settings['branch.auto_create'] && plan !== null && plan.branch !== '' ? plan.branch : currentBranch(root)
}

const elsewhere = (iteration: number, branch: string | null, wanted: string): { what: string; detail: string } => ({
  what: 'branch-changed',
  detail: `iteration ${iteration} left the repository on ${branch ?? 'a detached HEAD'} instead of ${wanted}: go back to it.`,
})
