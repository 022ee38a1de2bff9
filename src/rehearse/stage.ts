/** The copy in which plays are played: made once, and as it was at the beginning before each play. Nothing in it leads back to the user's folders. */
import {
  appendFileSync,
  constants,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { isCopyable } from '../adapters/files/open.ts'
import { removeFolders } from '../adapters/files/remove-folders.ts'
import type { Git } from '../adapters/git/git.ts'
import { submodulesIn } from '../adapters/git/hidden-by-index.ts'
import { featureFolder, projectConfig, stateFolder } from '../adapters/project/layout.ts'
import { EXIT, Failure } from '../core/failure.ts'
import { isDependency } from '../core/proof/hidden-files.ts'
import { makeSurroundings, variablesFor } from './surroundings.ts'

export const rehearsal = 'rehearsal'

/** The user's project. `git` null: not in a repository. */
export type Original = {
  root: string
  ralphHome: string
  env: Record<string, string | undefined>
  git: Git | null
  /** worktree.copy and sandbox.kind */
  copied: string[]
  sandbox: string
}

export type Stage = {
  /** The folder of everything, the project's folder, and the feature's in it. */
  base: string
  root: string
  dir: string
  env: Record<string, string>
  /** What the scripted agent plays. */
  script: string
  /** As at the beginning, with a plan. */
  reset(plan: string): Promise<void>
}

/** `isBare`: without dependencies and ignored files, for plays whose gates are off. */
export async function openStage(
  original: Original,
  base: string,
  { isBare, stop, said }: Copying & { isBare: boolean },
): Promise<Stage> {
  const { git, env, ralphHome } = original
  const top = join(base, 'project')
  const root = join(top, git === null ? '' : relative(git.top, original.root))
  const dir = featureFolder(root, rehearsal)
  const script = join(stateFolder(root), 'rehearsal.json')
  const kept = isBare ? nothingKept : await keep(original, join(base, 'kept'), { stop, said })
  let mark = ''

  async function reset(plan: string): Promise<void> {
    kept.takeOut(top)
    if (git === null) await copyPlain(original.root, top, stop)
    else mark = await checkOut(git, top, mark)
    kept.putIn(top)
    await emptied(stateFolder(root))
    if (existsSync(projectConfig(original.root))) cpSync(projectConfig(original.root), projectConfig(root))
    mkdirSync(dir, { recursive: true })
    writeFileSync(join(dir, 'prd.json'), plan)
    writeFileSync(join(dir, 'prompt.md'), 'A rehearsal.\n')
    await removeFolders(['home', 'ralph-home', 'tmp'].map((name) => join(base, name)))
    makeSurroundings(base, env, ralphHome)
  }

  return { base, root, dir, script, env: variablesFor(base, original, script), reset }
}

async function emptied(folder: string): Promise<void> {
  await removeFolders([folder])
  mkdirSync(folder, { recursive: true })
}

/** HEAD on a branch of its own, in a repository of its own that borrows the objects. */
async function checkOut(git: Git, top: string, mark: string): Promise<string> {
  const head = await git.head()
  if (head === null) throw new Failure(EXIT.data, 'This repository has no commit yet. Commit your files first, then rehearse.')
  const made = await git.checkOut(top, mark, head)
  if ('error' in made) throw new Failure(EXIT.data, `git could not make a copy for the rehearsal in ${top}: ${made.error}`)
  const [dir, branch] = [join(top, '.git'), 'ralph-rehearsal']
  writeFileSync(join(dir, 'refs', 'heads', branch), `${made.commit}\n`)
  writeFileSync(join(dir, 'HEAD'), `ref: refs/heads/${branch}\n`)
  return made.mark
}

/** Without dependencies, which are kept. */
async function copyPlain(from: string, to: string, stop: AbortSignal): Promise<void> {
  await emptied(to)
  for (const name of readdirSync(from))
    if (join(from, name) !== stateFolder(from) && !isDependency(name)) await copied(join(from, name), join(to, name), stop)
}

/** Ignored files that gates may need: kept beside the checkout, which is emptied before each play. */
type Kept = { takeOut(top: string): void; putIn(top: string): void }
const nothingKept: Kept = { takeOut: () => {}, putIn: () => {} }

type Copying = { stop: AbortSignal; said(what: string): void }

async function keep(original: Original, folder: string, { stop, said }: Copying): Promise<Kept> {
  const from = original.git?.top ?? original.root
  const { paths, untracked } = await needed(original)
  for (const path of paths) {
    said(`Copying ${path}`)
    await copied(join(from, path), join(folder, path), stop)
    rmSync(join(folder, path, '.git'), { recursive: true, force: true }) // of a submodule: it leads to the user's repository
  }
  const move = (out: string, to: string): void => {
    for (const path of paths) {
      if (!existsSync(join(out, path))) continue
      rmSync(join(to, path), { recursive: true, force: true })
      mkdirSync(dirname(join(to, path)), { recursive: true })
      renameSync(join(out, path), join(to, path))
    }
  }
  return {
    takeOut: (top) => move(top, folder),
    putIn(top) {
      move(folder, top)
      const lines = untracked.map((path) => `/${path}\n`)
      if (lines.length > 0) appendFileSync(join(top, '.git', 'info', 'exclude'), lines.join(''))
    },
  }
}

/** `untracked`: dependencies that git does not ignore, as it should. */
async function needed({ git, root, copied: named }: Original): Promise<{ paths: string[]; untracked: string[] }> {
  if (git === null) return { paths: readdirSync(root).filter(isDependency), untracked: [] }
  const { ignored, uncommitted } = await git.snapshotWithIgnored()
  const isNamed = (path: string): boolean =>
    named.some((name) => `${relative(git.top, join(root, name))}/`.startsWith(`${path}/`))
  let room = mostBytes
  const isWanted = (path: string): boolean => {
    if (isDependency(path) || isNamed(path)) return true
    const bytes = bytesIn(join(git.top, path), room)
    if (bytes > room) return false
    room -= bytes
    return true
  }
  const untracked = [...new Set(uncommitted.filter(isDependency).map(dependencyFolder))]
  const others = [...ignored, ...submodulesIn(git.top)].map((path) => path.replace(/\/$/, '')).filter(isWanted)
  return { paths: [...others, ...untracked], untracked }
}

/** The folder that makes a path a dependency, and not what is in it. */
function dependencyFolder(path: string): string {
  const parts = path.replace(/\/$/, '').split('/')
  const end = parts.findIndex((_, index) => isDependency(parts.slice(0, index + 1).join('/')))
  return parts.slice(0, end + 1).join('/')
}

/** Build results beyond this are left out: a gate that needs them makes them. */
const mostBytes = 200 * 2 ** 20

/** Counts no further than the limit. */
function bytesIn(path: string, limit: number): number {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined || !stat.isDirectory()) return stat?.size ?? 0
  let sum = 0
  for (const name of readdirSync(path)) {
    sum += bytesIn(join(path, name), limit - sum)
    if (sum > limit) break
  }
  return sum
}

/** In parts, so that Ctrl+C is heard between them. */
async function copied(from: string, to: string, stop: AbortSignal, depth = 0): Promise<void> {
  await setImmediate()
  stop.throwIfAborted()
  if (depth < 2 && lstatSync(from, { throwIfNoEntry: false })?.isDirectory() === true) {
    mkdirSync(to, { recursive: true })
    for (const name of readdirSync(from)) await copied(join(from, name), join(to, name), stop, depth + 1)
    return
  }
  if (!isCopyable(from)) return
  cpSync(from, to, {
    recursive: true,
    force: true,
    verbatimSymlinks: true,
    preserveTimestamps: true,
    filter: isCopyable,
    mode: constants.COPYFILE_FICLONE,
  })
}
