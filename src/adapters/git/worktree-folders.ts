/** Where git keeps its folders for worktrees (gitrepository-layout). */
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { readIfThere } from '../files/files.ts'

/** What all worktrees of a repository share; `dir`: the git directory of any of them. */
export const commonDirOf = (dir: string): string => resolve(dir, readIfThere(join(dir, 'commondir'))?.trim() ?? '.')

/** Where its objects lie. */
export const objectsDirOf = (dir: string, env: NodeJS.ProcessEnv): string =>
  env['GIT_OBJECT_DIRECTORY'] ?? join(commonDirOf(dir), 'objects')

/** A worktree's own git directory is named in a file. */
export const gitDirOf = (path: string): string =>
  resolve(path, (readIfThere(join(path, '.git')) ?? '').replace(/^gitdir: /, '').replace(/[\r\n]+$/, ''))

/** git writes the index when all files exist: before that, nobody can have worked there. */
export const isFilled = (path: string): boolean => existsSync(join(gitDirOf(path), 'index'))

/** The git directories of these worktrees, including those removed by hand. `dir`: that of any worktree of the repository. */
export function gitDirsFor(dir: string, paths: string[]): string[] {
  const wanted = new Set(paths.map(truePath))
  const all = join(commonDirOf(dir), 'worktrees')
  const dirs = existsSync(all) ? readdirSync(all).map((name) => join(all, name)) : []
  return dirs.filter((own) => wanted.has(dirname(resolve(own, readIfThere(join(own, 'gitdir'))?.replace(/[\r\n]+$/, '') ?? ''))))
}

/** Its last folder need not exist. */
const truePath = (path: string): string => (existsSync(dirname(path)) ? join(realpathSync(dirname(path)), basename(path)) : path)
