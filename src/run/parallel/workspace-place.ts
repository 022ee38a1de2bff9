/** Where a feature's worktree is: by its path alone, so that every command finds the run in it. */
import { existsSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { commonDirOf, gitDirOf } from '../../adapters/git/worktree-folders.ts'
import { gitDir, gitTop } from '../../adapters/project/find.ts'
import { featureFolder, worktreesFolder } from '../../adapters/project/layout.ts'
import { projectPlaces } from './worktree-paths.ts'

/** What a project is found by. */
type Located = { root: string; home: string; feature: string; dir: string; main?: string }

/** No story's: their names start with a letter or a digit. */
export const workspaceFolder = (project: Pick<Located, 'root' | 'home'>, feature: string): string =>
  join(projectPlaces(project), '.features', feature)

/** `within`: the project's folder in its repository. */
export function inWorkspace<P extends Located>(project: P, path: string, within: string): P {
  const root = join(path, within)
  return { ...project, root, dir: featureFolder(root, project.feature), main: project.root }
}

/** The project in its worktree, if it has one; else the project itself. */
export function whereItRuns<P extends Located>(project: P): P & Pick<Located, 'main'> {
  const path = workspaceFolder(project, project.feature)
  const dir = existsSync(join(path, '.git')) ? gitDir(project.root) : null
  const top = gitTop(project.root)
  if (dir === null || top === undefined || !gitDirOf(path).startsWith(join(commonDirOf(dir), 'worktrees') + sep)) return project
  return inWorkspace(project, path, relative(top, project.root))
}

/** In a worktree of Ralph's: no other is made from there. */
export const isWorkspace = ({ root, home, main }: Located): boolean =>
  main !== undefined || root.startsWith(worktreesFolder(home) + sep)
