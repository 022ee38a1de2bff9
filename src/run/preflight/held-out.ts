/** The held-out check of a project, as the user sets it: never where an agent could read it. */
import { existsSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import type { Git } from '../../adapters/git/git.ts'
import { heldOutVariable } from '../../adapters/process/child-env.ts'
import { userConfig } from '../../adapters/project/layout.ts'
import { isShown, isWithin, repositoryTop } from '../../adapters/sandbox/visible-paths.ts'
import type { Settings } from '../../config/table.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import type { HeldOut } from '../parts.ts'
import type { Project, settingsOf } from '../project.ts'

type Loaded = Pick<Awaited<ReturnType<typeof settingsOf>>, 'settings' | 'sources'>
type Placed = Pick<Project, 'root' | 'home'> & { git: Pick<Git, 'head'> | null; env: NodeJS.ProcessEnv }

/** `warning`: why there is none, although the settings name one for each project. */
export type OpenedHeldOut = { heldOut?: HeldOut; warning?: string }

export async function openHeldOut({ settings, sources }: Loaded, placed: Placed): Promise<OpenedHeldOut> {
  const given = settings['proof.held_out'].trim()
  if (given === '') return {}
  const { root, home, git, env } = placed
  if (sources['proof.held_out'] === 'project')
    throw wrong(
      `is set in the project's own settings, which agents can read. Move it to ${userConfig(home)}, or set ${heldOutVariable} for the run.`,
    )
  if (git === null || (await git.head()) === null)
    throw wrong('is set, but it runs on commits: this project needs a git repository with at least one commit.')
  const text = given.replaceAll('{project}', basename(root))
  const [first = ''] = text.split(/\s+/)
  const found = [text, first].map((word) => inHome(word, env)).find((path) => isAbsolute(path) && existsSync(path))
  if (found === undefined && /^(\/|~\/)/.test(text)) {
    const missing = `${text} does not exist`
    if (given.includes('{project}')) return { warning: `No held-out check for this project: ${missing}.` }
    throw wrong(`names a path, but ${missing}. Create it, or correct the path.`)
  }
  if (/^\.{1,2}\/\S*$/.test(text)) throw wrong(`is the relative path ${text}. Use an absolute one, or one that begins with ~/.`)
  const isFolder = found === inHome(text, env) && statSync(found).isDirectory()
  const named = isFolder
    ? [found]
    : wordsOf(text)
        .map((word) => inHome(word, env))
        .filter(isOwnFile)
  for (const path of named) mayName(realpathSync(path), placed, settings)
  if (!isFolder) return { heldOut: { command: text, files: [...new Set(named.map((path) => shownFor(path, placed)))] } }
  if (settings['gates.tests'] === '' && Object.keys(settings['quality_checks']).length === 0)
    throw wrong('is a folder of tests, but no gate is set that could run them. Set gates.tests, or name a command instead.')
  return { heldOut: { folder: realpathSync(found) } }
}

const wrong = (why: string): Failure => new Failure(EXIT.config, `proof.held_out ${why}`)

const inHome = (word: string, env: NodeJS.ProcessEnv): string =>
  word.startsWith('~/') && env['HOME'] ? join(env['HOME'], word.slice(2)) : word

const wordsOf = (command: string): string[] => command.split(/[\s'"=;&|()<>]+/)

/** What a command names by its whole path, except programs of the system. */
const isOwnFile = (path: string): boolean =>
  isAbsolute(path) && existsSync(path) && !/^\/(usr|bin|sbin|dev(?!\/shm)|proc)(\/|$)/.test(path)

function mayName(path: string, { root, env }: Placed, settings: Settings): void {
  const top = realpathSync(repositoryTop(root))
  if (isWithin(path, top)) throw wrong(`names ${path}, which is inside the project: agents can read it. Move it out of ${top}.`)
  if (isWithin(top, path)) throw wrong(`names ${path}, which contains the project. Name a folder that does not.`)
  const kind = settings['sandbox.kind']
  if (kind !== 'none' && isShown(path, kind, { more: settings['sandbox.home'], env }))
    throw wrong(`names ${path}, which agents see in their sandbox too. Move it to a folder that the sandbox does not share.`)
}

/** In a sandbox, what lies beside a script comes with it; but never a whole home folder. */
function shownFor(path: string, { root, env }: Placed): string {
  const folder = statSync(path).isDirectory() ? path : dirname(path)
  const isWide = [env['HOME'] ?? '/', root].some((other) => isWithin(other, folder))
  return isWide ? path : folder
}
