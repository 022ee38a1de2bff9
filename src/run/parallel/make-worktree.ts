/** Creates a story's worktree with git, safe to repeat: what an earlier attempt left there is kept. */
import { existsSync, mkdirSync, realpathSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Git, openGit } from '../../adapters/git/git.ts'
import { isLinkedTo } from '../../adapters/git/rescue/worktree-files.ts'
import { commonDirOf } from '../../adapters/git/worktree-folders.ts'
import { sure } from '../../core/failure.ts'
import type { Reporter, StoryId } from '../../core/types.ts'
import { noticed } from '../noticed.ts'
import type { Work } from '../parts.ts'
import { placeOf, tooFull } from './worktree-paths.ts'

type AtTip = { tip: string; isNew: boolean }
type PlaceWorld = Pick<Work, 'root' | 'home' | 'feature' | 'settings' | 'env' | 'git' | 'branch'>

/** As git creates it; an existing folder on the story's branch is used as it is. `tip`: where a new branch starts. */
export async function makePlace(world: PlaceWorld, story: StoryId): Promise<AtTip | { problem: string }> {
  const { path, branch, oldBranch } = placeOf(world, story)
  // Its entry in the repository may be gone, after a power cut or by hand, or an agent has led it elsewhere before a kill: the folder's content is kept, and it is created again.
  const isCutOff = existsSync(join(path, '.git')) && !isLinkedTo(commonDirOf(gitOf(world).dir), path)
  const isNew = isCutOff || !existsSync(join(path, '.git'))
  const unnamed = isNew || branch === oldBranch ? null : await renameOld(world, path, branch, oldBranch)
  if (unnamed !== null) return { problem: `git did not rename the branch ${oldBranch} to ${branch}: ${unnamed.error}` }
  const crowded = isNew ? tooFull(world, path) : null
  if (crowded !== null) return { problem: crowded }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  if (isNew || isCutOff) moveAway(path)
  else await clearFailed(world, path, branch)
  const tip = await tipOf(world)
  const refused = await gitOf(world).addWorktree(path, branch, tip)
  return refused === null ? { tip, isNew } : { problem: `git did not create the worktree ${path}: ${refused.error}` }
}

/** Before its story starts. `commit`: where its branch starts; null: it had one already, with work in it perhaps. */
export async function makeAhead(world: PlaceWorld, story: StoryId): Promise<{ commit: string | null; problem?: string }> {
  const made = await makePlace(world, story)
  if ('problem' in made) return { commit: null, ...made }
  const isFresh = made.isNew && (await gitOf(world).branchTip(placeOf(world, story).branch)) === made.tip
  return { commit: isFresh ? made.tip : null }
}

/** One that was made ahead on `commit`, with what has landed since; null: somebody has changed it, and it must be looked at as any other. */
export async function takeAhead(world: PlaceWorld, story: StoryId, commit: string, report: Reporter): Promise<AtTip | null> {
  const { path, branch } = placeOf(world, story)
  if (!isLinkedTo(commonDirOf(gitOf(world).dir), path)) return null
  const own = gitOf(world).worktreeAt(path, path)
  const [tip, start, on] = await Promise.all([tipOf(world), own.head(), own.currentBranch()])
  if (start !== commit || on !== branch) return null
  await clearLocks({ git: own, place: { path } }, report)
  return tip === commit || (await own.resetTo(tip)) === null ? { tip, isNew: true } : null
}

/** A git of the agent, or ours, may have been killed there: nobody else works in it. */
export async function clearLocks({ git, place }: { git: Git; place: { path: string } }, report: Reporter): Promise<void> {
  const cleared = await git.clearOwnLocks()
  const detail = `removed ${cleared.join(', ')}: left by a git that was killed in ${place.path}`
  if (cleared.length > 0) report(noticed('lock-removed', detail))
}

/** Where the run's branch is, whatever is checked out. */
export async function tipOf(world: Pick<Work, 'git' | 'branch'>): Promise<string> {
  const git = gitOf(world)
  const tip = world.branch === null ? null : await git.branchTip(world.branch)
  return tip ?? sure(await git.head(), 'first commit in the repository')
}

/** Parallel stories need a repository, which was checked before the run. */
export const gitOf = ({ git }: Pick<Work, 'git'>): Git => sure(git, 'repository for worktrees')

/** A run of an older version may have been killed here. */
async function renameOld(
  world: Pick<Work, 'git'>,
  path: string,
  branch: string,
  oldBranch: string,
): Promise<{ error: string } | null> {
  const there = (await gitOf(world).listWorktrees()).find((worktree) => worktree.path === realpathSync(path))
  return there?.branch === oldBranch ? gitOf(world).moveBranch(oldBranch, branch) : null
}

/** A failed story's worktree stays for inspection until the story is tried again: everything in it is on the failure's branch. */
async function clearFailed(world: Pick<Work, 'git' | 'env'>, path: string, branch: string): Promise<void> {
  const git = await openGit(path, world.env)
  const isOther = git !== null && (await git.currentBranch()) !== branch && (await git.isClean())
  git?.close()
  if (isOther) await gitOf(world).removeWorktrees([path])
}

/** A folder that is not a worktree (any more) must not be deleted. */
function moveAway(path: string): void {
  if (!existsSync(path)) return
  let number = 1
  while (existsSync(`${path}.old-${number}`)) number++
  renameSync(path, `${path}.old-${number}`)
}
