/** What leads git from a work tree to its repository, and to objects elsewhere: whoever changes it shows Ralph another repository. */
import { existsSync, lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { tried } from '../../../core/failure.ts'
import { readIfThere } from '../../files/files.ts'
import { keptFile, readPlain, stateOf } from '../../files/kept-file.ts'
import { gitIn, type RunGit } from '../run.ts'
import { commonDirOf, gitDirOf } from '../worktree-folders.ts'
import { keptConfig, type Restore, type Undone } from './git-config.ts'

/** `top`: of a linked worktree, such as that of a parallel story. */
export type LinkedWorktree = { top: string; dir: string }

/** For a linked worktree: the files that only it has. Nothing is put back once it is removed. */
export function keptLinks({ top, dir }: LinkedWorktree, env: NodeJS.ProcessEnv): Restore[] {
  if (commonDirOf(dir) === dir) return []
  const name = `.git/worktrees/${basename(dir)}`
  const files: [path: string, name: string][] = [
    [join(top, '.git'), join(top, '.git')],
    ...['commondir', 'gitdir', 'info/sparse-checkout'].map((file): [string, string] => [join(dir, file), `${name}/${file}`]),
  ]
  const kept = [
    ...files.map(([path, shown]) => keptGitFile(path, shown)),
    keptConfig(join(dir, 'config.worktree'), `${name}/config.worktree`, () => false, gitIn('/', env)),
  ]
  return kept.map((restore) => async () => (existsSync(dir) && existsSync(top) ? restore() : []))
}

export function keptGitFile(path: string, name: string): Restore {
  const restore = keptFile(path)
  return async () => {
    const restored = restore()
    return restored === null ? [] : [{ what: 'git-files', name, ...restored }]
  }
}

/** Where history ends. Fetching may move that; but a commit whose parents are there is no end. */
export function keptShallow(common: string, run: RunGit): Restore {
  const path = join(common, 'shallow')
  let state = stateOf(path)
  let restore = keptFile(path)
  let known = commitsIn(path)
  return async (): Promise<Undone[]> => {
    if (stateOf(path) === state) return []
    const added = commitsIn(path).filter((commit) => !known.includes(commit))
    const isOther = lstatSync(path, { throwIfNoEntry: false })?.isFile() === false
    const isFalse = isOther || (await Promise.all(added.map((commit) => hasParents(run, commit)))).includes(true)
    const restored = isFalse ? restore() : null
    restore = keptFile(path)
    known = commitsIn(path)
    state = stateOf(path)
    return restored === null ? [] : [{ what: 'git-files', name: '.git/shallow', ...restored }]
  }
}

const commitsIn = (path: string): string[] => (readPlain(path) ?? '').split('\n').filter((line) => line !== '')

async function hasParents(run: RunGit, commit: string): Promise<boolean> {
  const { code, out } = await run(['cat-file', 'commit', commit])
  const [head = ''] = out.toString().split('\n\n')
  const parents = [...head.matchAll(/^parent (\w+)$/gm)].map(([, id = '']) => id)
  if (code !== 0 || parents.length === 0) return false
  const found = await Promise.all(parents.map((id) => run(['cat-file', '-e', id])))
  return found.every((said) => said.code === 0)
}

/** Whether a worktree that an earlier process left still belongs to this repository, and its repository to it. */
export function isLinkedTo(common: string, path: string): boolean {
  const real = (one: string): string => tried(() => realpathSync(one), one)
  if (lstatSync(join(path, '.git'), { throwIfNoEntry: false })?.isFile() !== true) return false
  const dir = gitDirOf(path)
  const back = resolve(dir, readIfThere(join(dir, 'gitdir'))?.replace(/[\r\n]+$/, '') ?? '')
  return (
    real(dirname(dir)) === real(join(common, 'worktrees')) &&
    real(commonDirOf(dir)) === real(common) &&
    real(back) === real(join(path, '.git'))
  )
}
