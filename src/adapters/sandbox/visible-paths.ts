/** What a sandbox shows of the machine: what is writable, what is read-only, and what must not change although its folder may. */

import { existsSync, mkdirSync, readdirSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, sep } from 'node:path'
import { type Needs, noNeeds } from '../../ports.ts'
import { readIfThere } from '../files/files.ts'
import { commonDirOf } from '../git/worktree-folders.ts'
import { setVariables } from '../process/child-env.ts'
import { gitDir, lockPath, witnessFolder } from '../project/find.ts'
import {
  eventLogPath,
  inboxFolder,
  logsFolder,
  projectConfig,
  reportsFolder,
  stateFolder,
  statusPath,
} from '../project/layout.ts'
import { copiesFolder } from '../project/log/second-copy.ts'

export type Places = {
  root: string
  /** The feature's folder; absent: tried for no feature, and nothing of one is made. */
  dir?: string
  /** Project files that Ralph itself runs outside: plugins. */
  trusted: string[]
  /** The project of a worktree: visible, but read-only. */
  project?: string
}
/** In this order: later entries cover earlier ones. `hidden`: folders that are empty inside. */
export type SandboxView = { seen: string[]; writable: string[]; guarded: string[]; open: string[]; hidden: string[] }

export function projectView({ root, dir, trusted, project }: Places, isReadOnly: boolean): SandboxView {
  const git = gitView(root)
  const seen = [...(project === undefined ? [] : [project]), ...git.borrowed]
  const top = repositoryTop(root) // committed files may be above the project
  const witness = witnessFolder(project ?? root)
  const hidden = witness === null ? [] : [witness]
  for (const folder of hidden) mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (isReadOnly) return { seen, writable: [], guarded: [top, ...git.writable], open: [], hidden }
  const feature = dir === undefined ? { folders: [], files: [], guarded: [], open: [] } : featureView(dir)
  // An agent could create what does not exist yet, where Ralph or git would run it.
  for (const folder of [...feature.folders, ...feature.open, ...feature.guarded, ...git.kept])
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  const own = [projectConfig(root), ...feature.files, lockPath(root)]
  return {
    seen,
    // Each separately: a mount cannot be moved away and replaced.
    writable: [top, stateFolder(root), ...feature.folders, ...git.writable].filter((path) => existsSync(path)),
    guarded: [...[...own, ...trusted].filter((path) => existsSync(path)), ...git.guarded, ...feature.guarded],
    open: feature.open,
    hidden,
  }
}

const featureView = (dir: string) => ({
  folders: [dir],
  files: [eventLogPath(dir), statusPath(dir)],
  guarded: [inboxFolder(dir), logsFolder(dir)],
  open: [reportsFolder(dir)],
})

/** The top of the work tree; outside git the folder itself. */
export function repositoryTop(folder: string, from = folder): string {
  if (existsSync(join(from, '.git'))) return from
  return dirname(from) === from ? folder : repositoryTop(folder, dirname(from))
}

/** What an agent has in the home folder, if it exists. */
export function homeView(
  home: string,
  needs: Needs,
  more: string[],
  env: Record<string, string>,
): { writable: string[]; readOnly: string[] } {
  const inHome = (path: string): string => (isAbsolute(path) ? path : join(home, path))
  const named = needs.folders.flatMap((name) => (env[name] ? [env[name]] : []))
  return {
    writable: [...needs.home, ...more]
      .map(inHome)
      .concat(named)
      .filter((path) => existsSync(path)),
    readOnly: ['.gitconfig', '.config/git'].map(inHome).filter((path) => existsSync(path)), // for the author of commits
  }
}

/** Where programs are that do not belong to the system: every folder of the PATH, and the folders of the given ones. */
export function programView(programs: string[], env: Record<string, string>): string[] {
  const folders = (env['PATH'] ?? '').split(':').filter((folder) => isAbsolute(folder) && existsSync(folder))
  const found = programs.flatMap((program) => {
    const path = isAbsolute(program) ? program : folders.map((folder) => join(folder, program)).find((each) => existsSync(each))
    return path === undefined ? [] : [installation(realpathSync(path))]
  })
  return [...new Set([...folders, ...found])].filter((path) => !systemFolders.some((folder) => isWithin(path, folder)))
}

export const systemFolders = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/etc',
  '/opt',
  '/nix',
  '/gnu',
  '/snap',
]

export const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(folder + sep)

/** Whether an agent sees it in a sandbox, besides the project and its own files. `more`: what the settings share of the home folder. */
export function isShown(
  path: string,
  kind: 'bwrap' | 'docker',
  { more, env }: { more: string[]; env: NodeJS.ProcessEnv },
): boolean {
  const own = setVariables(env)
  const { writable } = homeView(own['HOME'] ?? '/nonexistent', noNeeds, more, own)
  const ofSystem = kind === 'bwrap' ? [...systemFolders, ...programView([process.execPath], own)] : []
  return [...writable, ...ofSystem].some((folder) => isWithin(path, folder))
}

/** An npm program needs its package and the dependencies; any other needs its folder. */
function installation(path: string): string {
  const modules = path.indexOf('/node_modules/')
  return modules < 0 ? dirname(path) : path.slice(0, modules + '/node_modules'.length)
}

/** An agent commits; but what git would run for others (hooks, and programs named in the configuration) must stay as it is. */
function gitView(root: string): { writable: string[]; guarded: string[]; kept: string[]; borrowed: string[] } {
  const own = gitDir(root)
  if (own === null) return { writable: [], guarded: [], kept: [], borrowed: [] }
  const common = commonDirOf(own)
  const link = join(repositoryTop(root), '.git')
  const hooks = join(common, 'hooks')
  const repositories = [common, own, ...modulesIn(join(common, 'modules'))]
  return {
    writable: [...new Set([common, own])],
    kept: [hooks],
    borrowed: alternatesOf(join(common, 'objects')),
    guarded: [
      ...(link === own ? [] : [link]),
      ...repositories.flatMap((repository) =>
        ['config', 'config.worktree', 'hooks', copiesFolder].map((name) => join(repository, name)),
      ),
    ].filter((path, index, all) => (existsSync(path) || path === hooks) && all.indexOf(path) === index),
  }
}

/** Folders of other repositories with its objects, and what those borrow: a reviewer's checkout has none of its own. */
const alternatesOf = (objects: string, depth = 0): string[] =>
  (readIfThere(join(objects, 'info', 'alternates')) ?? '')
    .split('\n')
    .filter((path) => isAbsolute(path) && existsSync(path))
    .flatMap((path) => [path, ...(depth < deepestAlternate ? alternatesOf(path, depth + 1) : [])])

/** As git does. */
const deepestAlternate = 5

/** The repositories of submodules, including nested ones. */
function modulesIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return names.flatMap(({ name }) => {
    const path = join(folder, name)
    return existsSync(join(path, 'HEAD')) ? [path, ...modulesIn(join(path, 'modules'))] : modulesIn(path)
  })
}
