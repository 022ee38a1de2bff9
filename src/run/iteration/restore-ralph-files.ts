/** Ralph's files after other programs ran (agents, gates, reviewers, hooks): restores what they must not change, keeps a copy and reports it. */
import { accessSync, constants, cpSync, existsSync, mkdirSync, renameSync, rmSync, type Stats, statSync } from 'node:fs'
import { basename, isAbsolute, join, relative, resolve } from 'node:path'
import { readIfThere, replaceFile, temporaryName } from '../../adapters/files/files.ts'
import { type KeptLinks, keepLinks } from '../../adapters/files/kept-links.ts'
import { isCopyable } from '../../adapters/files/open.ts'
import { isProjectHook, type ProjectHooks } from '../../adapters/git/project-hooks.ts'
import { type KeptGit, keepGit } from '../../adapters/git/rescue/hooks-and-config.ts'
import { hasPython, watchCompiled } from '../../adapters/installed/python.ts'
import { snapshotPath } from '../../adapters/plan/live-plan.ts'
import { watchPrograms, watchShadows } from '../../adapters/process/known-programs.ts'
import { removePipes } from '../../adapters/project/gitignore.ts'
import {
  csvPath,
  eventLogPath,
  featureLabel,
  inboxFolder,
  logsFolder,
  NAMES,
  padded,
  projectConfig,
  STATE_FOLDER,
  userConfig,
  worktreesFolder,
} from '../../adapters/project/layout.ts'
import { keyPath, restorePersonKey } from '../../adapters/project/person-key.ts'
import { removeLinksOut } from '../../adapters/sandbox/links.ts'
import { tried } from '../../core/failure.ts'
import { listed } from '../../core/plan/stories.ts'
import type { Finding } from '../../core/proof/finding.ts'
import { evidenceOf, hiddenFiles } from '../../core/tamper/restored-changes.ts'
import type { KnownPrograms } from '../../core/types/results.ts'
import type { Reporter, Scope } from '../../core/types.ts'
import { toldNext } from '../noticed.ts'
import type { Work } from '../parts.ts'
import type { DecideFile } from '../people/decide-file.ts'
import { keepCopy, keepSettings, restoreTexts, restoreUsersSettings, type UsersSettings } from '../preflight/users-settings.ts'
import { holdBranch, isUsersOnly, sayWhen } from './own-branch.ts'

/** What others must not change, as it was when the run began. `unwatched`: what the index tells git to ignore. */
export type OwnFiles = {
  git: KeptGit | null
  hooks: ProjectHooks | null
  unwatched: Set<string>
  decide: DecideFile
  links: KeptLinks
  settings: UsersSettings
  programs: KnownPrograms
  /** Files that git ignores and that gates wrote before the first iteration, from the top of the repository. */
  byGates: Set<string>
  /** What became of them, seen from the project itself. */
  changedPrograms(): Finding[]
  changedCompiled(): Finding[]
}
export type OwnWorld = Work & { own: OwnFiles }

/**
 * After everything that runs foreign programs: restores settings, hooks, git configuration, questions and plan. `world`: that of the run itself;
 * allowed edits to the plan were taken before.
 */
export async function restoreOwn(
  world: OwnWorld,
  iteration: Scope,
  report: Reporter,
  who = iteration === 'whole' ? 'the gates' : `iteration ${iteration}`,
): Promise<void> {
  await restoreSettings(world, iteration, report)
  restoreTexts(world, iteration, report)
  await undoGateEdits(world, iteration, report, who)
}

/** What git sees can be asked for once nothing makes it run or hide something else: the rest is compared meanwhile. `drop`: it saw what was undone later. */
type LookMeanwhile = { begin(): void; drop(): void }

/** Everything but the plan, which an agent may edit. Returns what is evidence against whoever changed it. */
export async function restoreSettings(
  world: OwnWorld,
  iteration: Scope,
  report: Reporter,
  look?: LookMeanwhile,
): Promise<Finding[]> {
  const against: Finding[] = []
  restoreLinks(world, iteration, report)
  removeLinks(world, iteration, report)
  clearPlaces(world, iteration, report)
  restoreConfig(world, iteration, report)
  for (const path of removePipes(world.root, world.git?.top)) {
    const detail = `${shown(world, path)} became a named pipe ${sayWhen(iteration)}, which would block git; it was removed`
    report(toldNext('pipe-removed', detail))
  }
  const undone = [...((await world.place?.kept?.restore()) ?? []), ...((await world.own.git?.restore()) ?? [])]
  for (const { what, name, was, content } of undone) {
    const copy = join(world.logs, `git-${copyName(name)}-${padded(iteration)}.rejected`)
    if (content !== null) replaceFile(copy, typeof content === 'string' ? world.mask.text(content) : content)
    const where = content === null ? '' : ` (the copy is in ${shown(world, copy)})`
    const detail = `${name} was ${was} ${sayWhen(iteration)}; restored${where}`
    report(toldNext(`${what}-restored`, detail))
    const text = content?.toString() ?? ''
    const isOfProject = what === 'hooks' && isProjectHook(world.git?.top ?? world.root, name, text)
    against.push(...evidenceOf({ what, name, was, content: text, isOfProject }))
  }
  look?.begin()
  const isRestored = restoreUsersSettings(world, iteration, report) // lists of ignored files are among them
  if (restorePersonKey(world.home)) {
    const detail = `${keyPath(world.home)} was changed ${sayWhen(iteration)}; restored. With another key this run would ignore your commands.`
    report(toldNext('settings-restored', detail))
  }
  const hidden = await watchAgain(world, iteration, report)
  against.push(...hiddenFiles(hidden))
  world.own.decide.putBack(iteration)
  const isMoved = await holdBranch(world, iteration, report, isUsersOnly(world))
  if (isRestored || isMoved || hidden.length > 0) look?.drop()
  return against
}

/** Files that the index tells git to ignore since the run began: their changes would be in no commit. */
export async function watchAgain({ git, own }: OwnWorld, iteration: Scope, report: Reporter): Promise<string[]> {
  if (git === null) return []
  const hidden = (await git.unwatched()).filter((path) => !own.unwatched.has(path))
  if (hidden.length === 0) return []
  await git.watch(hidden)
  const detail = `git was told to ignore changes in ${listed(hidden.slice(0, 10))} ${sayWhen(iteration)} (skip-worktree or assume-unchanged). That was undone.`
  report(toldNext('git-files-restored', detail))
  return hidden
}

/** For a user's file its name, for one in .git its path. */
const copyName = (name: string): string =>
  isAbsolute(name) ? `user-${basename(name).replace(/^\./, '')}` : name.replace(/^\.git\//, '').replaceAll('/', '-')

/** As people see it, relative to the project; elsewhere the full path. */
function shown({ logs }: Pick<Work, 'logs'>, path: string): string {
  const way = relative(resolve(logs, '..', '..', '..'), path)
  return way.startsWith('..') ? path : way
}

/** Ralph's files are links only if the user made them so: otherwise Ralph would write and read where others want. */
function restoreLinks(world: OwnWorld, iteration: Scope, report: Reporter): void {
  const undone = world.own.links.restore(world.root, (path, name) => movedAside(world, path, iteration, name))
  if (undone.length > 0) world.plan.putBack()
  for (const { path, was } of undone) report(toldNext('link-removed', `${path} was ${was} (${sayWhen(iteration)})`))
}

/** The state before anything else runs. `unwatched`, `links`: what a killed run knew of it; `programs`: of the gates. */
export async function keepOwn(
  work: Pick<Work, 'root' | 'home' | 'feature' | 'plan' | 'git' | 'env'>,
  decide: DecideFile,
  { unwatched, links, programs }: { unwatched?: string[] | undefined; links?: string[] | undefined; programs: KnownPrograms },
): Promise<OwnFiles> {
  const { git, env } = work
  const hidden = unwatched ?? (await git?.unwatched())
  const hooks = git && (await git.keepHooks())
  const { since = Date.now() } = programs
  const settings = keepSettings(work, since)
  const shadows = watchShadows(work, since)
  const changedPrograms = watchPrograms(programs.found, work)
  return {
    ...{
      git: git && keepGit(git, env),
      hooks,
      unwatched: new Set(hidden),
      decide,
      links: ownLinks(work, links),
      settings,
      programs,
      byGates: new Set(),
    },
    changedCompiled: hasPython(programs.installed ?? {}) ? watchCompiled(work) : () => [],
    changedPrograms: () => unique([...changedPrograms(), ...shadows()]),
  }
}

const unique = (findings: Finding[]): Finding[] => [...new Map(findings.map((finding) => [finding.file, finding])).values()]

/** The user's links among Ralph's files. */
function ownLinks(
  { root, home, feature, plan }: Pick<Work, 'root' | 'home' | 'feature' | 'plan'>,
  users: string[] | undefined,
): KeptLinks {
  const dir = featureLabel(feature)
  const planFile = plan.current()?.file
  const files = [NAMES.events, ...ownFiles, ...(planFile === undefined ? [] : [planFile])]
  const configs = [projectConfig(''), userConfig(home)]
  const folders = [inboxFolder(dir), logsFolder(dir), worktreesFolder(home)]
  return keepLinks(
    root,
    {
      [STATE_FOLDER]: eventLogPath(feature),
      [dir]: NAMES.events,
      ...Object.fromEntries([...folders, ...files.map((name) => join(dir, name)), ...configs].map((path) => [path, null])),
    },
    users,
  )
}

/** A sandboxed program must not reach outside: its links are not followed. */
function removeLinks(world: Work, iteration: Scope, report: Reporter): void {
  if (world.sandbox === null || !existsSync(world.dir)) return
  for (const path of removeLinksOut(world.root, world.dir))
    report(
      toldNext(
        'link-removed',
        `${path} pointed outside the project since ${iteration === 'whole' ? 'the gates ran' : `iteration ${iteration}`}; it was removed`,
      ),
    )
}

/**
 * A folder or pipe in place of one of Ralph's files, or a file in place of the logs, would stop Ralph: it is moved away, and the original restored.
 */
function clearPlaces(world: Work, iteration: Scope, report: Reporter): void {
  const plan = world.plan.current()?.file
  const own = [...ownFiles, ...(plan === undefined ? [] : [plan])].map((name) => join(world.dir, name))
  const kept = plan === undefined ? [] : [snapshotPath(world.dir, plan)]
  const folders = [...own, ...kept, ...world.configFiles.map(({ path }) => path)].filter(isInTheWay)
  const inTheWay = statOf(world.logs)?.isFile() ? [world.logs, ...folders] : folders
  const moved = inTheWay.map((path) => ({
    path,
    what: path === world.logs ? 'a file' : whatIs(path),
    aside: movedAside(world, path, iteration),
  }))
  // A report is written to Ralph's files: only now are all of them free.
  for (const { path, what, aside } of moved)
    report(
      toldNext(
        'place-cleared',
        `${shown(world, path)} was replaced by ${what} ${sayWhen(iteration)}, which was moved to ${shown(world, aside)}`,
      ),
    )
}

function movedAside({ logs }: Pick<Work, 'logs'>, path: string, iteration: Scope, name = basename(path)): string {
  const aside = join(logs, `${name}-${padded(iteration)}.rejected`)
  const between = temporaryName(path)
  renameSync(path, between)
  mkdirSync(logs, { recursive: true, mode: 0o700 })
  rmSync(aside, { recursive: true, force: true })
  // A worktree may be on another disk than the logs, where rename does not work.
  try {
    cpSync(between, aside, { recursive: true, verbatimSymlinks: true, filter: isCopyable })
  } catch {} // a pipe or a socket has no content to keep
  rmSync(between, { recursive: true, force: true })
  return aside
}

/** Nor one that we may not read. */
function isInTheWay(path: string): boolean {
  const stat = statOf(path)
  if (stat === undefined) return false
  try {
    accessSync(path, constants.R_OK)
    return !stat.isFile()
  } catch {
    return true
  }
}

function whatIs(path: string): string {
  const stat = statOf(path)
  return stat?.isFile() ? 'a file that cannot be read' : stat?.isDirectory() ? 'a folder' : 'a pipe or a device'
}

const ownFiles = [
  NAMES.progress,
  NAMES.stateMd,
  NAMES.status,
  NAMES.decide,
  NAMES.blocked,
  NAMES.report,
  NAMES.reportJson,
  csvPath(NAMES.logs),
]

/** Of a link to itself, or below a file in the place of its folder: as if it were not there. */
const statOf = (path: string): Stats | undefined => tried(() => statSync(path, { throwIfNoEntry: false }), undefined)

/** Settings are read at the start of the run, so an agent that loosens its gates changes nothing. Returns whether one was restored. */
export function restoreConfig(
  world: Pick<Work, 'configFiles' | 'home' | 'logs' | 'feature'>,
  iteration: Scope,
  report: Reporter,
): boolean {
  let isRestored = false
  for (const { path, text } of world.configFiles) {
    const now = readIfThere(path)
    if (now === text) continue
    isRestored = true
    const copy = now === null ? '' : keptConfig(world, path, iteration, now)
    if (text === null) rmSync(path)
    else replaceFile(path, text)
    const did = text === null ? 'created' : 'changed'
    const what = now === null ? 'was removed' : `was ${did} (the copy is in ${shown(world, copy)})`
    report(
      toldNext(
        'config-restored',
        `${shown(world, path)} ${what} ${sayWhen(iteration)}; ${text === null ? 'removed' : 'restored'}`,
      ),
    )
  }
  return isRestored
}

/** The user's own settings may name what agents must not know: their copy is not in the project. */
function keptConfig(world: Pick<Work, 'home' | 'logs' | 'feature'>, path: string, iteration: Scope, text: string): string {
  if (path.startsWith(world.home)) return keepCopy(world, path, iteration, text)
  const copy = join(world.logs, `config-${padded(iteration)}.rejected`)
  replaceFile(copy, text)
  return copy
}

/**
 * Only an agent marks a story as done, and only in the plan of its own worktree: other changes to a plan are undone. Returns whether there were any.
 */
export async function undoGateEdits(
  world: Pick<Work, 'plan' | 'label'>,
  iteration: Scope,
  report: Reporter,
  who: string,
): Promise<boolean> {
  for (const stray of world.plan.removeStrays(iteration)) report(toldNext('plan-removed', `${sayWhen(iteration)} ${stray}`))
  const copy = await world.plan.gateEdits(iteration)
  if (copy === null) return false
  const where = copy === '' ? '' : ` (the copy is in ${world.label}/${copy})`
  report(toldNext('plan-restored', `the plan was changed while ${who} ran; restored${where}. To edit it, pause the run first`))
  return true
}
