/** After a run, if the settings ask for it: its branch is pushed, its pull request opened or updated. What fails is told; the run ended as it did. */

import { existsSync } from 'node:fs'
import type { GivenEnv } from '../../adapters/forges/api.ts'
import { openGit } from '../../adapters/git/git.ts'
import type { Settings } from '../../config/table.ts'
import type { Io } from '../../io.ts'
import { archivedProjects } from '../history/archived.ts'
import { bookOf } from '../history/folded-log.ts'
import type { Project } from '../project.ts'
import { mayRunHooks, pushBranch } from './branch-to-push.ts'
import { isAllDone, sendPullRequest } from './pull-request.ts'
import { pullWords } from './pull-request-line.ts'

/** `say`: for people, where they look. */
export async function sendWork(found: Project, settings: Settings, { env }: Io, say: (text: string) => void): Promise<void> {
  const project = existsSync(found.dir) ? found : (archivedProjects(found, found.feature).at(-1) ?? found)
  if (settings['git.pr'] !== 'off' || settings['git.push'] !== 'never') await sendBranch(project, settings, env, say)
  if (!settings['tracker.sync']) return
  const { syncAtEnd } = await import('./sync-issues.ts')
  const { root, feature } = project
  await syncAtEnd(bookOf(project).state, { root, feature, env, warn: (text) => say(`! ${text}`) })
}

async function sendBranch(project: Project, settings: Settings, env: GivenEnv, say: (text: string) => void): Promise<void> {
  const { outcome, home, pull, ...state } = bookOf(project).state
  const branch = home?.branch ?? null
  if (outcome === undefined || branch === null) return
  const git = await openGit(project.root, env)
  if (git === null) return
  const isPull =
    settings['git.pr'] !== 'off' && ((outcome.outcome === 'complete' && isAllDone({ ...state, pull })) || pull?.branch === branch)
  try {
    if (isPull) return say(pullWords(await sendPullRequest(project, { settings, git, env }, {})))
    if (settings['git.push'] === 'never') return
    const { remote } = await pushBranch(git, branch, mayRunHooks(settings))
    say(`Pushed ${branch} to ${remote.name}.`)
  } catch (error) {
    say(`! ${isPull ? 'No pull request' : 'Not pushed'}: ${(error as Error).message}`)
  } finally {
    git.close()
  }
}
