/** Restores hooks, configuration and everything else that decides how git sees a repository to what it was when the run began. */
import { chmodSync, existsSync, lstatSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode, makeFolder, replaceFile } from '../../files/files.ts'
import { readPlain, stateOf } from '../../files/kept-file.ts'
import { readRegular } from '../../files/open.ts'
import { gitIn, type RunGit } from '../run.ts'
import { commonDirOf } from '../worktree-folders.ts'
import { keptConfig, type Restore, type Undone } from './git-config.ts'
import { includedBy, readBy } from './named-by-config.ts'
import { keptGitFile, keptLinks, keptShallow, type LinkedWorktree } from './worktree-files.ts'

export type KeptGit = {
  /** Only compares file states, and reads or asks git when one changed. */
  restore(): Promise<Undone[]>
}

export function keepGit({ top, dir }: LinkedWorktree, env: NodeJS.ProcessEnv): KeptGit {
  const common = commonDirOf(dir)
  const hooks = keptHooks(join(common, 'hooks'))
  const run = gitIn('/', env)
  const [own, places] = [['config', 'config.worktree'], { home: env['HOME'], top }]
  const known = [...own.map((name) => join(common, name)), ...userFiles(env)]
  const included = includedBy(known, places)
  const configs = [
    ...own.map((name) => keptConfig(join(common, name), `.git/${name}`, isFree, run)),
    ...[...userFiles(env), ...included].map((path) => keptConfig(path, path, isUsers, run)),
  ]
  const files = [
    ...seenBy.map((name) => keptGitFile(join(common, name), `.git/${name}`)),
    ...readBy([...known, ...included], places).map((path) => keptGitFile(path, path)),
  ]
  const inside = gitIn(common, env)
  // First what leads to everything else.
  const ways = keptLinks({ top, dir }, env)
  return restoring(
    common,
    [...ways, hooks, ...configs, ...files, keptShallow(common, inside), keptReplacements(common, inside)],
    hooks,
  )
}

/** For the worktree of a parallel story: the rest is the repository's. */
export const keepLinked = (worktree: LinkedWorktree, env: NodeJS.ProcessEnv): KeptGit =>
  restoring(worktree.dir, keptLinks(worktree, env))

function restoring(folder: string, all: Restore[], hooks?: Restore): KeptGit {
  return {
    async restore() {
      if (!existsSync(folder)) return [] // a missing repository is reported by whoever needs it next
      const undone: Undone[] = []
      for (const restore of all) {
        try {
          undone.push(...(await restore()))
        } catch (error) {
          if (errorCode(error) === '') throw error
          const why = `made inaccessible (${(error as Error).message})`
          undone.push({ what: restore === hooks ? 'hooks' : 'git-config', name: '.git', was: why, content: null })
        }
      }
      return undone
    },
  }
}

/** They hide files from git, or change how it reads them. */
const seenBy = ['info/exclude', 'info/attributes', 'info/sparse-checkout', 'info/grafts', 'objects/info/alternates']

/** A replacement object makes git show what is not on the branch. */
function keptReplacements(common: string, run: RunGit): Restore {
  const folder = join(common, 'refs', 'replace')
  const packed = join(common, 'packed-refs')
  const look = (): string => [folder, packed].map(stateOf).join()
  const names = (): Set<string> => new Set([...namesIn(folder), ...packedIn(readPlain(packed) ?? '')])
  let state = look()
  const known = names()
  return async () => {
    if (look() === state) return []
    const added = [...names()].filter((name) => !known.has(name))
    for (const name of added) await run(['update-ref', '-d', `refs/replace/${name}`], { kind: 'write' })
    state = look()
    return added.map((name) => ({ what: 'git-files', name: `.git/refs/replace/${name}`, was: 'added', content: null }))
  }
}

const packedIn = (text: string): string[] => [...text.matchAll(/ refs\/replace\/(\S+)$/gm)].map(([, name = '']) => name)

type Hook = { state: string; mode: number; content: Buffer; link?: string }

function keptHooks(folder: string): Restore {
  const isLink = lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() === true
  const target = isLink ? readlinkSync(folder) : null
  // Behind a link, or with a hooks path inside the work tree, hooks are project files and count as work.
  const known = new Map(isLink ? [] : namesIn(folder).map((name) => [name, hookAt(join(folder, name))]))
  return async () => {
    const undone: Undone[] = []
    const there = lstatSync(folder, { throwIfNoEntry: false })
    if (linkAt(folder) !== target || (target === null && there?.isDirectory() === false)) {
      rmSync(folder, { recursive: true, force: true })
      if (target !== null) symlinkSync(target, folder)
      undone.push({ what: 'hooks', name: '.git/hooks', was: 'replaced', content: null })
    }
    if (target !== null) return undone
    for (const name of new Set([...known.keys(), ...namesIn(folder)])) {
      const path = join(folder, name)
      const ours = known.get(name)
      if (stateOf(path) === (ours?.state ?? '')) continue
      const theirs = existsAt(path) ? hookAt(path) : undefined
      const isSame = ours !== undefined && theirs !== undefined && isSameHook(ours, theirs)
      if (!isSame) {
        rmSync(path, { recursive: true, force: true })
        if (ours !== undefined) writeHook(folder, path, ours)
        const was = theirs === undefined ? 'removed' : ours === undefined ? 'added' : 'changed'
        undone.push({ what: 'hooks', name: `.git/hooks/${name}`, was, content: theirs?.content ?? null })
      }
      if (ours !== undefined) known.set(name, { ...ours, state: stateOf(path) })
    }
    return undone
  }
}

/** Skips what git never runs, and what is not a file. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => !entry.isDirectory() && !entry.name.endsWith('.sample'))
      .map(({ name }) => name)
  } catch {
    return []
  }
}

function hookAt(path: string): Hook {
  const stat = lstatSync(path)
  const state = stateOf(path)
  if (stat.isSymbolicLink())
    return { state, mode: 0, content: Buffer.from(`→ ${readlinkSync(path)}\n`), link: readlinkSync(path) }
  return { state, mode: stat.mode & 0o7777, content: stat.isFile() ? readRegular(path) : Buffer.alloc(0) }
}

const isSameHook = (one: Hook, other: Hook): boolean =>
  one.link === other.link && one.mode === other.mode && one.content.equals(other.content)

function writeHook(folder: string, path: string, { link, mode, content }: Hook): void {
  makeFolder(folder)
  if (link !== undefined) return symlinkSync(link, path)
  replaceFile(path, content)
  chmodSync(path, mode)
}

const existsAt = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

const linkAt = (path: string): string | null =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(path) : null

/** Pushing a branch or setting an author also writes here: that stays. Everything else could make git run a program or see other files. */
const isFree = (key: string): boolean =>
  /^(branch|user|author|committer|advice|color)\./.test(key) ||
  /^remote\..*\.(url|pushurl|fetch|push|prune|tagopt|mirror|promisor|partialclonefilter|gh-resolved)$/.test(key) ||
  /^submodule\.(.*\.(url|active|branch)|active)$/.test(key) ||
  /^lfs\.(repositoryformatversion|.*\.(access|locksverify))$/.test(key)

/** The user may edit this file for other reasons: only settings that make git run other hooks or filters, or read other files, count. */
const isUsers = (key: string): boolean =>
  !/^(core\.(hookspath|fsmonitor|attributesfile|excludesfile|worktree|bare|sshcommand|autocrlf|eol|safecrlf|ignorecase|symlinks|precomposeunicode)|include\.|includeif\.|filter\.|init\.templatedir)/.test(
    key,
  )

const userFiles = (env: NodeJS.ProcessEnv): string[] =>
  env['GIT_CONFIG_GLOBAL']
    ? [env['GIT_CONFIG_GLOBAL']]
    : env['HOME']
      ? [join(env['HOME'], '.gitconfig'), join(env['XDG_CONFIG_HOME'] || join(env['HOME'], '.config'), 'git', 'config')]
      : []
