/** Where the worktrees of a project's stories are, and their names. */
import { existsSync, statfsSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import type { Git } from '../../adapters/git/git.ts'
import { worktreesFolder } from '../../adapters/project/layout.ts'
import type { Settings } from '../../config/table.ts'
import { fingerprint } from '../../core/text/hash.ts'
import type { StoryId } from '../../core/types.ts'

type Placed = { root: string; home: string; feature: string; git?: Pick<Git, 'top' | 'dir'> | null }

/**
 * Names are unique per story and run, because worktrees of a repository, and several projects in it, share its branches. `oldBranch`: the
 * name in older versions.
 */
export function placeOf(project: Placed, story: StoryId): { path: string; branch: string; oldBranch: string } {
  const own = slug(story) === story ? story : `${slug(story)}-${mark(story)}`
  const oldBranch = `wip/ralph-work-${slug(project.feature)}-${own}`
  const whose = ownerOf(project)
  return {
    path: join(projectPlaces(project), project.feature, own),
    branch: whose === '' ? oldBranch : `${oldBranch}-${mark(whose)}`,
    oldBranch,
  }
}

/** Empty for a repository's main worktree, and a project at its top. */
function ownerOf({ git, root }: Placed): string {
  if (!git) return ''
  const worktree = basename(dirname(git.dir)) === 'worktrees' ? basename(git.dir) : ''
  const within = relative(git.top, root)
  return worktree === '' && within === '' ? '' : `${worktree}\n${within}`
}

/** Not inside the repository, where its own tools would find every file twice. */
export const projectPlaces = ({ root, home }: Pick<Placed, 'root' | 'home'>): string =>
  join(worktreesFolder(home), `${slug(basename(root))}-${mark(root)}`)

/** The checkouts of gates and reviewers. Never a feature's: their names start with a letter or a digit. */
export const judgesFolder = (project: Pick<Placed, 'root' | 'home'>): string => join(projectPlaces(project), '.judges')

const slug = (text: string): string =>
  text
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40) || 'x'
const mark = (text: string): string => fingerprint(text).toString(36)

/** Why there is not enough space; null: there is. */
export function tooFull({ settings }: { settings: Settings }, path: string): string | null {
  const needed = settings['worktree.disk_mb']
  if (needed === 0) return null
  let folder = dirname(path)
  while (!existsSync(folder)) folder = dirname(folder)
  const { bavail, bsize } = statfsSync(folder)
  const free = Math.floor((bavail * bsize) / 1_000_000)
  return free >= needed
    ? null
    : `only ${free} MB free in ${folder}, and worktree.disk_mb requires ${needed}. Free some space, or lower it.`
}
