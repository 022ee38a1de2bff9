/** Where a person finds what held-out checks printed: outside the project, because agents read everything in it. */
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { heldOutFolder, iterationLogName } from '../../adapters/project/layout.ts'
import { tried } from '../../core/failure.ts'
import type { Scope } from '../../core/types.ts'
import { projectPlaces } from '../parallel/worktree-paths.ts'
import type { Project } from '../project.ts'

/** `places`: the folder of the project's worktrees, whose name is the project's own. */
export const heldOutLogPath = (
  { home, feature, run }: Pick<Project, 'home' | 'feature'> & { run: string },
  places: string,
  iteration: Scope,
): string => join(folderOf({ home, feature }, places), `${run}-${iterationLogName(iteration)}`)

/** The last one of a run that failed; null: none. */
export function heldOutLog(project: Project, run: string): string | null {
  const folder = folderOf(project, projectPlaces(project))
  const names = tried(() => readdirSync(folder), []).filter((name) => name.startsWith(`${run}-`))
  const whole = names.find((name) => name === `${run}-${iterationLogName('whole')}`) // it comes after every iteration
  const last = whole ?? names.sort().at(-1)
  return last === undefined ? null : join(folder, last)
}

const folderOf = ({ home, feature }: Pick<Project, 'home' | 'feature'>, places: string): string =>
  join(heldOutFolder(home), basename(places), feature)
