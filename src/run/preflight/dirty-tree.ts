/** What the user has uncommitted when a run starts: kept out of every commit, committed first, or a reason not to start. */
import type { Git } from '../../adapters/git/git.ts'
import { leftAmong } from '../../core/evolve/users-files.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import { shownPaths } from '../../core/prompt/users-files.ts'
import type { State } from '../../core/state.ts'
import type { Work } from '../parts.ts'

type DirtyWorld = Pick<Work, 'git' | 'settings' | 'screen'>

/** Uncommitted files that no iteration left. */
async function usersDirty(git: Git | null, state: State): Promise<string[]> {
  if (git === null) return []
  const dirty = await git.uncommitted()
  const { head } = state.repo
  const committed = dirty.length === 0 || head === null || head === (await git.head()) ? [] : await git.diffFiles(head, 'HEAD')
  const left = new Set(leftAmong(state, dirty, committed))
  return dirty.filter((path) => !left.has(path))
}

/** Before anything is changed: says what is uncommitted, or refuses to start. */
export async function checkDirty({ git, settings, screen }: DirtyWorld, state: State): Promise<void> {
  const files = await usersDirty(git, state)
  if (files.length === 0) return
  const count = `${files.length.toLocaleString('en')} uncommitted ${files.length === 1 ? 'file' : 'files'}`
  if (settings['git.dirty'] === 'refuse')
    throw new Failure(
      EXIT.data,
      `${count}, and git.dirty is refuse:\n${files.slice(0, 50).map(lineOf).join('')}${more(files, 50)}Commit or stash them, then run again. Or use --dirty leave (keeps them out of every commit), --dirty include (commits them first) or --worktree.`,
    )
  if (settings['git.dirty'] === 'include') return
  screen.say(
    'plain',
    `${count}: ${shownPaths(files, 5)}. ${files.length === 1 ? 'It stays' : 'They stay'} yours, and out of every commit.`,
  )
}

/** On the run's branch: one commit of its own. */
export async function includeDirty({ git, settings, screen }: DirtyWorld, state: State): Promise<void> {
  if (git === null || settings['git.dirty'] !== 'include') return
  const files = await usersDirty(git, state)
  if (files.length === 0) return
  const done = await git.commitPaths('wip: uncommitted files at the start of the run', files, { hooks: true })
  if (done === null) return
  if ('error' in done)
    throw new Failure(
      EXIT.data,
      `git.dirty is include, but git did not commit your files: ${done.error.trimEnd()}. Fix that, or use --dirty leave.`,
    )
  const names = shownPaths(files, 5)
  screen.say(
    'plain',
    `Committed ${files.length.toLocaleString('en')} uncommitted ${files.length === 1 ? 'file' : 'files'} as ${done.commit.slice(0, 10)}: ${names}`,
  )
}

const lineOf = (path: string): string => `  ${shownPaths([path], 1)}\n`

const more = (files: string[], shown: number): string =>
  files.length > shown ? `  and ${(files.length - shown).toLocaleString('en')} more\n` : ''
