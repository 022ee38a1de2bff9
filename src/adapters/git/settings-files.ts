/** Files of a repository that decide what git runs and sees, for those who look after a kill: while Ralph lives, they are kept one by one. */
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { tried } from '../../core/failure.ts'

/** Whole paths, also of files that are not there; all hooks that are. `common`: the git directory that all worktrees share. */
export const settingsFilesOf = (common: string): string[] => [
  ...['config', 'info/exclude', 'info/attributes', 'info/grafts', 'objects/info/alternates'].map((name) => join(common, name)),
  ...tried(() => readdirSync(join(common, 'hooks')), [])
    .filter((name) => !name.endsWith('.sample'))
    .map((name) => join(common, 'hooks', name)),
]

/** Of paths that were kept: the repository that they belong to; null: none. */
export function repositoryAmong(paths: string[]): string | null {
  const config = paths.find(
    (path) => path.endsWith('/config') && ['HEAD', 'objects'].every((name) => existsSync(join(dirname(path), name))),
  )
  return config === undefined ? null : dirname(config)
}

export const isHookPath = (path: string): boolean => /\/hooks\/[^/]+$/.test(path)

/** Tools write these sections by themselves, and they run nothing. */
const free = /^\[(?:branch|user|author|committer|advice|color|remote|submodule)\b[^\]]*\]/i

/** Whether two versions of a configuration differ only in what may differ. */
export const isSameConfig = (one: string, other: string): boolean => whatCounts(one) === whatCounts(other)

const whatCounts = (text: string): string =>
  text
    .split(/^(?=\[)/m)
    .filter((section) => !free.test(section) || /^\s*(?:vcs|uploadpack|receivepack|proxy|update)\s*=/im.test(section))
    .join('')
    .trim()
