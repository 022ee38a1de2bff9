/** A run's branch and the remote that it goes to: never the default branch, never by force. */
import type { Git } from '../../adapters/git/git.ts'
import type { AtRemote, Remote } from '../../adapters/git/rescue/branches.ts'
import { matchLog } from '../../adapters/project/log/second-copy.ts'
import type { Settings } from '../../config/table.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import type { State } from '../../core/state.ts'
import { bookOf } from '../history/folded-log.ts'
import type { Project } from '../project.ts'
import { isArchivedPlace } from './archive.ts'

export type BranchPlace = { git: Git; branch: string; commit: string; remote: Remote }

/** Pushes it as it is now, unless the remote has it. `hooks`: the user's run, as with `git push`. Throws a Failure. */
export async function pushBranch(git: Git, branch: string, hooks: boolean): Promise<BranchPlace> {
  const place = await placeOfBranch(git, branch)
  const at = await askedRemote(place, [branch])
  refuseDefault(place, at)
  if (at.tips[branch] !== place.commit) await pushed(place, hooks)
  return place
}

/** The branch that the last run worked on, from the log. Call it with the lock held. */
export function runsBranch(project: Project): { state: State; branch: string } {
  if (!isArchivedPlace(project)) matchLog(project)
  const { state } = bookOf(project)
  if (state.run === '') throw new Failure(EXIT.usage, `${project.feature} has never run. Start with: ralph run`)
  if (state.home === undefined) throw new Failure(EXIT.usage, `${project.feature} is not in a git repository: no branch to push.`)
  if (state.home.branch === null)
    throw new Failure(
      EXIT.usage,
      'The last run worked on a detached HEAD, which cannot be pushed. Create a branch there (git switch -c <name>), set branchName in the plan, and run again.',
    )
  return { state, branch: state.home.branch }
}

export async function placeOfBranch(git: Git | null, branch: string): Promise<BranchPlace> {
  const commit = git === null ? null : await git.branchTip(branch)
  if (git === null || commit === null)
    throw new Failure(
      EXIT.usage,
      `The branch of the last run, ${branch}, does not exist here any more. Bring it back, then: ralph pr`,
    )
  const remote = await git.remoteFor(branch)
  if (remote === null)
    throw new Failure(EXIT.usage, `The repository has no remote to push ${branch} to. Add one: git remote add origin <url>`)
  return { git, branch, commit, remote }
}

export async function askedRemote({ git, remote }: BranchPlace, branches: string[]): Promise<AtRemote> {
  const at = await git.askRemote(remote, branches)
  if (!('error' in at)) return at
  throw new Failure(
    needsLogin(at.error) ? EXIT.login : EXIT.data,
    `git cannot reach ${remote.name}: ${at.error.trimEnd()}. Check it with: git ls-remote ${remote.name}`,
  )
}

/** Where a remote does not say which branch is the default one. */
export const usualDefaults: readonly string[] = ['main', 'master', 'trunk']

export function refuseDefault({ branch, remote }: BranchPlace, { defaultBranch }: AtRemote): void {
  if (branch !== defaultBranch && (defaultBranch !== null || !usualDefaults.includes(branch))) return
  throw new Failure(
    EXIT.usage,
    `The last run worked on ${branch}, the default branch of ${remote.name}, which Ralph never pushes. Set branchName in the plan, so that a run works on a branch of its own.`,
  )
}

/** In a sandbox there are neither the user's hooks nor their login. */
export const mayRunHooks = (settings: Settings): boolean => settings['sandbox.kind'] === 'none'

export async function pushed({ git, branch, remote }: BranchPlace, hooks: boolean): Promise<void> {
  const refused = await git.push(branch, { hooks })
  if (refused === null) return
  const words = refused.error.trimEnd()
  if (/non-fast-forward|fetch first/.test(words))
    throw new Failure(
      EXIT.data,
      `${remote.name} has commits of ${branch} that are not here. Merge them (git pull --no-rebase ${remote.name} ${branch}), then: ralph pr`,
    )
  throw new Failure(
    needsLogin(words) ? EXIT.login : EXIT.data,
    `git could not push ${branch} to ${remote.name}: ${words}. Check it with: git push ${remote.name} ${branch}`,
  )
}

const needsLogin = (words: string): boolean =>
  /Authentication failed|could not read (?:Username|Password)|terminal prompts disabled|Permission denied \(|returned error: 40[13]/.test(
    words,
  )
