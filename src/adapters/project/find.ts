/** Finds things: the project's root, its features, its branch, and which feature is meant. */
import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { EXIT, Failure } from '../../core/failure.ts'
import { didYouMean } from '../../core/text/nearest.ts'
import { readIfThere } from '../files/files.ts'
import { archiveFolder, eventLogPath, featureFolder, reservedNames, stateFolder } from './layout.ts'
import { olderForms } from './older-forms.ts'

/** RALPH_HOME, or ~/.ralph: what belongs to the user and not to a project. */
export const ralphHome = (env: Record<string, string | undefined>): string =>
  env['RALPH_HOME'] ? resolve(env['RALPH_HOME']) : stateFolder(env['HOME'] || homedir())

/** The nearest parent folder with `.ralph/` (except the user's own), else the git top level, else the working directory. */
export function findRoot(cwd: string, home: string): string {
  const own = realPath(home)
  const isProject = (folder: string): boolean => {
    const inside = stateFolder(folder)
    return isFolder(inside) && realPath(inside) !== own
  }
  return upward(cwd).find(isProject) ?? upward(cwd).find((folder) => existsSync(join(folder, '.git'))) ?? cwd
}

/** The top of the work tree that a folder is in; undefined: not in a repository. */
export const gitTop = (root: string): string | undefined => upward(root).find((folder) => existsSync(join(folder, '.git')))

/** The git directory of the worktree that a folder is in; null: not in a repository. */
export function gitDir(root: string): string | null {
  const top = gitTop(root)
  if (top === undefined) return null
  const inside = join(top, '.git')
  if (isFolder(inside)) return inside
  const elsewhere = /^gitdir: (.+?)[\r\n]*$/s.exec(readIfThere(inside) ?? '')?.[1] // as git reads it: a path may contain a line feed
  return elsewhere === undefined ? null : resolve(top, elsewhere)
}

/** Read from HEAD itself: starting git would cost more than the rest of a short command. null: none, or detached. */
export function currentBranch(root: string): string | null {
  const git = gitDir(root)
  const head = git === null ? null : readIfThere(join(git, 'HEAD'))
  return /^ref: refs\/heads\/(?!\.invalid$)(.+)$/m.exec(head ?? '')?.[1]?.trim() ?? null
}

/** Allows one run per worktree: in the git directory, where no agent deletes it; outside git in `.ralph/`. */
export function lockPath(root: string): string {
  const git = gitDir(root)
  return git === null ? join(stateFolder(root), 'lock') : join(git, 'ralph.lock')
}

/** Where settings are kept while a run is live, also the user's own: no sandbox shows it. null: outside git. */
export function witnessFolder(root: string): string | null {
  const git = gitDir(root)
  return git === null ? null : join(git, 'ralph-witness')
}

/** The name itself, if it is valid. */
export function featureName(text: string): string {
  if (isFeatureName(text)) return text
  const rule = 'letters, digits, ".", "_" and "-", starting with a letter or digit, and not archive, templates or logs'
  const joined = text.trim().replaceAll(' ', '-')
  const meant = isFeatureName(joined) ? ` Did you mean ${joined}?` : ''
  throw new Failure(EXIT.usage, `${JSON.stringify(text)} is not a valid feature name: use ${rule}.${meant}`)
}

export function listFeatures(root: string): string[] {
  const folder = stateFolder(root)
  if (!isFolder(folder)) return []
  return readdirSync(folder)
    .filter((name) => isFeatureName(name) && isFolder(join(folder, name)))
    .sort()
}

/** `folderOf`: where a feature's plan and log are, if not below the root. */
type Choice = { asked?: string; currentBranch: string | null; folderOf?: (feature: string) => string }

/** The one asked for, else the one whose branch is checked out, else the only one with open stories, else the last one run. */
export async function chooseFeature(root: string, options: Choice): Promise<string> {
  const { folderOf = (name: string): string => featureFolder(root, name) } = options
  const features = listFeatures(root)
  if (options.asked !== undefined) return askedFeature(root, featureName(options.asked), features)
  if (features.length === 0) {
    const last = lastArchived(root, '.+')
    const older = last === undefined ? olderForms(root) : undefined
    const but = older === undefined ? '. Create one' : `, but ${older}. Or create a new one`
    const where =
      last === undefined ? `No feature in ${root} yet` : `No open feature in ${root}: the last one is archived in ${last}`
    throw new Failure(EXIT.usage, `${where}${but} with: ralph init <feature>`)
  }
  const only = single(features)
  if (only !== undefined) return only
  const plans = await Promise.all(features.map(async (name) => ({ name, ...(await planFacts(folderOf(name))) })))
  const onBranch = plans.filter(({ branch }) => branch !== '' && branch === options.currentBranch)
  // Several plans may share a branch: then the other rules choose among them.
  const candidates = onBranch.length > 0 ? onBranch : plans
  const open = candidates.filter(({ hasOpenStories }) => hasOpenStories)
  const chosen = single(onBranch)?.name ?? single(open)?.name ?? lastRun(folderOf, candidates)
  if (chosen !== undefined) return chosen
  throw new Failure(EXIT.usage, `Several features. Choose one with -f: ${features.join(', ')}`)
}

const single = <T>(list: T[]): T | undefined => (list.length === 1 ? list[0] : undefined)

const isFeatureName = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(text) && !reservedNames.includes(text)

/** A finished feature is archived: it no longer exists, but did. */
function lastArchived(root: string, name: string): string | undefined {
  const archive = archiveFolder('')
  const isIt = new RegExp(`^\\d{4}-\\d\\d-\\d\\d-${name}(?:-\\d+)?$`)
  const all = isFolder(join(root, archive)) ? readdirSync(join(root, archive)).filter((entry) => isIt.test(entry)) : []
  const last = all.toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true })).at(-1)
  return last === undefined ? undefined : join(archive, last)
}

function askedFeature(root: string, asked: string, features: string[]): string {
  if (features.includes(asked)) return asked
  const archived = lastArchived(root, asked.replaceAll('.', '\\.'))
  if (archived !== undefined) {
    const advice = `ralph status -f ${asked} shows it. To create a new one: ralph init ${asked}`
    throw new Failure(EXIT.usage, `The feature "${asked}" is in ${archived}: ${advice}`)
  }
  const there = features.length === 0 ? `Create it with: ralph init ${asked}` : `Features: ${features.join(', ')}`
  throw new Failure(EXIT.usage, `No feature "${asked}".${didYouMean(asked, features)} ${there}`)
}

/** An unreadable plan matches nothing; one with a mistake still has its branch, and a run reports the mistake. */
async function planFacts(folder: string): Promise<{ branch: string; hasOpenStories: boolean }> {
  // Few commands need to read a plan to choose the feature.
  const [{ scanPlan }, { planIn }] = await Promise.all([import('../plan/parse-plan.ts'), import('../plan/find-plan.ts')])
  const { file } = planIn(folder)
  if (file === undefined) return { branch: '', hasOpenStories: false }
  try {
    const { branch, entries } = await scanPlan(file, readIfThere(join(folder, file)) ?? '')
    return { branch, hasOpenStories: entries.some(({ story }) => !story.passes && !story.skip) }
  } catch (error) {
    if (error instanceof Failure) return { branch: '', hasOpenStories: false }
    throw error
  }
}

function lastRun(folderOf: (feature: string) => string, plans: { name: string }[]): string | undefined {
  const runs = plans.flatMap(({ name }) => {
    const log = statSync(eventLogPath(folderOf(name)), { throwIfNoEntry: false })
    return log ? [{ name, at: log.mtimeMs }] : []
  })
  return runs.sort((a, b) => b.at - a.at)[0]?.name
}

/** The folder and its parents, nearest first. */
function upward(folder: string): string[] {
  const above = dirname(folder)
  return above === folder ? [folder] : [folder, ...upward(above)]
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false

const realPath = (path: string): string => (existsSync(path) ? realpathSync(path) : path)
