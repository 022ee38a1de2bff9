/** What a command works on: the project, its settings, the feature and its plan. Read-only. */
import { chooseFeature, currentBranch, findRoot, ralphHome } from '../adapters/project/find.ts'
import { featureFolder, featureLabel } from '../adapters/project/layout.ts'
import type { Io } from '../io.ts'
import { whereItRuns } from './parallel/workspace-place.ts'

export type Project = {
  root: string
  home: string
  feature: string
  /** The feature's folder, and the same for people. */
  dir: string
  label: string
  /** The root in the user's checkout, if the feature runs in a worktree of its own. */
  main?: string
}

/** The project without a feature. */
export function projectRoot(io: Io): { root: string; home: string } {
  const home = ralphHome(io.env)
  return { root: findRoot(io.cwd, home), home }
}

export async function findProject(io: Io, asked?: string): Promise<Project> {
  const { root, home } = projectRoot(io)
  const folderOf = (feature: string): string => projectOf({ root, home }, feature).dir
  return projectOf({ root, home }, await chooseFeature(root, { asked, currentBranch: currentBranch(root), folderOf }))
}

/** A feature of a project: in its own worktree, if it has one. */
export const projectOf = ({ root, home }: { root: string; home: string }, feature: string): Project =>
  whereItRuns({ root, home, feature, dir: featureFolder(root, feature), label: featureLabel(feature) })

export async function settingsOf(io: Io, project: { root: string; home: string }, flags: Record<string, unknown> = {}) {
  const { loadSettings } = await import('../config/sources.ts') // not on the path of commands that only look
  return loadSettings({ root: project.root, home: project.home, env: io.env, flags })
}
