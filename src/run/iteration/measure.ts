/** What an iteration, even a lost one, did to the repository and the plan. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { hashFiles } from '../../adapters/files/tree-hash.ts'
import type { Git } from '../../adapters/git/git.ts'
import type { Homecoming } from '../../adapters/git/rescue/come-home.ts'
import { maxLeft, maxListed } from '../../core/evolve/users-files.ts'
import { listed } from '../../core/plan/stories.ts'
import { hiddenSince } from '../../core/proof/hidden-files.ts'
import type { State } from '../../core/state.ts'
import type { Ended, StoryId } from '../../core/types.ts'
import { type Noticed, toldNext } from '../noticed.ts'
import type { Told, Work } from '../parts.ts'
import { type GitTrace, isUsersCommit } from './git-trace.ts'
import { homeNotices, sayWhen } from './own-branch.ts'
import { type OwnWorld, watchAgain } from './restore-ralph-files.ts'

type Measured = Pick<Ended, 'repo' | 'commits' | 'trees' | 'files' | 'uncommitted' | 'hidden' | 'taken' | 'astray'> & {
  notices: Noticed[]
}
/** Commits made while the agent worked, by a git that its trace does not have. */
type Untraced = { untraced: string[] }

/** At most this many committed files of an iteration are in the log. */
export const maxFiles = 50

/** The state before the agent, and git's trace: older commits, and commits that it did not make, are the user's. */
export type AgentBegan = { head: string | null; trace: GitTrace | null }

type AfterAgent = {
  home: Homecoming
  written?: string | null | undefined
  begun?: AgentBegan | undefined
  seen?: EarlyLook | undefined
}

/** A snapshot that began right after the agent. */
export type EarlyLook = ReturnType<Git['snapshotWithIgnored']>

/** `written`: the plan file when the agent ended, if others may write to it before it is inspected. `seen`: counts if HEAD was where it should be. */
export async function measure(
  world: OwnWorld,
  { iteration, story }: { iteration: number; story: StoryId | null },
  { home, written, begun, seen }: AfterAgent,
  { state, report }: Told,
): Promise<Measured & Untraced & Pick<Ended, 'plan' | 'flips' | 'repairs'>> {
  // In its own worktree the agent may mark only its own story.
  const allowed = { pick: world.place === undefined ? state.policy.pick : ('ralph' as const), story }
  const hidden = await watchAgain(world, iteration, report) // after a kill nobody has looked yet
  const isUnchanged = home.did.length === 0 && home.astray === null && hidden.length === 0
  const [edits, repo] = await Promise.all([
    world.plan.agentEdits(iteration, allowed, written),
    look(world, state, { begun, seen: isUnchanged ? seen : undefined }),
  ])
  const astray = home.astray === null ? {} : { astray: home.astray }
  const repairs = [...edits.repairs, ...world.plan.removeStrays(iteration)]
  const { users, ...looked } = repo
  return {
    ...looked,
    ...edits,
    repairs,
    ...astray,
    notices: [...homeNotices(iteration, home), ...usersNotices(iteration, users)],
  }
}

async function look(
  world: Work,
  state: State,
  { begun, seen }: Pick<AfterAgent, 'begun' | 'seen'>,
): Promise<Omit<Measured, 'notices' | 'astray'> & Untraced & { users: string[] }> {
  const before = world.place?.before ?? (begun === undefined ? state.repo : { ...state.repo, head: begun.head })
  const { git } = world
  if (git === null) {
    const { tree, dirt, head } = hashFiles(world.root)
    const trees = tree === before.tree ? [] : [tree]
    return { repo: { head, tree, dirt }, commits: [], trees, files: [], uncommitted: [], users: [], untraced: [] }
  }
  // git status takes the longest: what was committed is read meanwhile.
  const [snapshot, committed] = await Promise.all([
    seen ?? git.snapshotWithIgnored(),
    before.head === null ? null : committedSince(git, before.head),
  ])
  const { head, tree, dirt, uncommitted, ignored } = snapshot
  const { commits, trees, files } = committed ?? (head === null ? nothing : await committedSince(git, null))
  const { trace = null } = begun ?? {}
  const untraced = trace === null ? [] : commits.filter((commit) => isUsersCommit(trace, git.madeAt(commit)))
  const usersCommits = new Set(world.place === undefined ? untraced : [])
  // The user's leftovers are in the repository itself.
  const users = new Set(world.place === undefined ? state.users : [])
  const isUsers = (file: string): boolean => users.has(file)
  const isOurs = (file: string): boolean => !isUsers(file) && !isLeftByGate(world, file)
  const all = uncommitted.filter(isOurs)
  const left = all.slice(0, maxLeft)
  // No commit has what a gate left either, nor what is too much to list.
  const unseen = [...all.slice(maxLeft), ...ignored, ...uncommitted.filter((file) => !isUsers(file) && isLeftByGate(world, file))]
  const hidden = hiddenSince(world.place === undefined ? state.ignored : world.place.ignored, unseen).slice(0, maxListed)
  const taken = [...users].filter((file) => !new Set(uncommitted).has(file))
  return {
    repo: { head, tree, dirt },
    commits: commits.filter((commit) => !usersCommits.has(commit)),
    trees,
    users: [...usersCommits],
    untraced,
    files: files.slice(0, maxFiles),
    uncommitted: left,
    ...(hidden.length === 0 ? {} : { hidden }),
    ...(taken.length === 0 ? {} : { taken }),
  }
}

type NewWork = Pick<Measured, 'commits' | 'trees'> & { files: string[] }

const nothing: NewWork = { commits: [], trees: [], files: [] }

/** `from`: null means before the first commit. */
async function committedSince(git: Git, from: string | null): Promise<NewWork> {
  const [since, files] = await Promise.all([git.commitsSince(from), from === null ? [] : git.diffFiles(from, 'HEAD')])
  return { ...since, files }
}

function usersNotices(iteration: number, commits: string[]): Noticed[] {
  if (commits.length === 0) return []
  const names = listed(commits.map((commit) => commit.slice(0, 10)))
  return [toldNext('users-commits', `${names} was committed by the user ${sayWhen(iteration)}, and is not part of the story.`)]
}

type FilesWorld = Pick<Work, 'git' | 'root'>

/** A gate's reports and caches are not the agent's work, until somebody changes them. */
export function isLeftByGate(world: FilesWorld & Pick<Work, 'leftByGates'>, file: string): boolean {
  const left = world.leftByGates.get(file)
  return left !== undefined && left === fileIdentity(world, file)
}

export function fileIdentity(world: FilesWorld, file: string): string {
  const stat = statSync(join(world.git?.top ?? world.root, file), { throwIfNoEntry: false })
  return stat === undefined ? 'gone' : `${stat.mtimeMs} ${stat.size} ${stat.ino}`
}
