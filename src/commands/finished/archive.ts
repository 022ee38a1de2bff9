/** `ralph archive`: moves a feature to the archive by hand. */
import { relative } from 'node:path'
import { openGit } from '../../adapters/git/git.ts'
import { lockPath } from '../../adapters/project/find.ts'
import { takeLock } from '../../adapters/project/lock.ts'
import { EXIT } from '../../core/failure.ts'
import { instantOf } from '../../core/text/time.ts'
import type { Io } from '../../io.ts'
import { archiveFeature } from '../../run/finish/archive.ts'
import { findProject, settingsOf } from '../../run/project.ts'

export async function runArchive(args: { feature?: string; includeLogs?: boolean }, io: Io): Promise<number> {
  const project = await findProject(io, args.feature)
  const { settings } = await settingsOf(io, project)
  const lock = takeLock(lockPath(project.root), { feature: project.feature, run: '', purpose: 'command' })
  try {
    const folder = archiveFeature(project, instantOf(Date.now()), args.includeLogs === true)
    io.out(`Archived ${project.feature} to ${relative(project.root, folder)}\n`)
    const git = settings['git.commit_state'] ? await openGit(project.root, io.env) : null
    const result = await git?.commitState(`chore(ralph): archive ${project.feature}`)
    git?.close()
    if (result && 'error' in result) io.err(`git could not commit the archive: ${result.error}\n`)
    if (project.main === undefined) return 0
    const { leaveWorkspace } = await import('../../run/preflight/workspace.ts')
    const problem = await leaveWorkspace({ ...project, main: project.main }, io)
    if (problem === null) io.out(`Removed the worktree ${project.root}. Its branch stays.\n`)
    else io.err(`The worktree stays: ${problem}\n`)
    return problem === null ? 0 : EXIT.data
  } finally {
    lock.release()
  }
}
