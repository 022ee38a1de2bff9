/** Files that git ignores: which belong to the environment of the gates, and which could be work that no commit has. */
import { maxListed } from '../evolve/users-files.ts'
import type { State } from '../state.ts'

/** Made by installers: a gate needs it, and no project commits it. */
const dependencies = new Set([
  'node_modules',
  'bower_components',
  'vendor',
  'Pods',
  '.venv',
  'venv',
  '.tox',
  '.nox',
  '.bundle',
  '.gradle',
  '.yarn',
  '.dart_tool',
  '.stack-work',
  'elm-stuff',
])

/** Made by test runners: no gate needs it, and what it holds may run instead of the code. */
const caches = new Set([
  ...['__pycache__', '.pytest_cache', '.mypy_cache', '.ruff_cache', '.hypothesis', '.DS_Store'],
  ...['.jest-cache', '.eslintcache', '.nyc_output', '.parcel-cache', '.turbo'],
])

export const isDependency = (path: string): boolean => path.split('/').some((part) => dependencies.has(part)) && !isCache(path)
export const isCache = (path: string): boolean => path.split('/').some((part) => caches.has(part))
const isUsual = (path: string): boolean => isDependency(path) || isCache(path)

/**
 * At the start of a run everything is the user's, except what earlier iterations have hidden; if there are too many files, what the last run knew.
 */
export function ignoredAtStart(now: string[], { ignored, hidden }: Known): string[] {
  const isUsers = isCut(hidden) ? (path: string) => ignored?.includes(path) === true : (path: string) => !isHidden(path, hidden)
  return now.filter((path) => !isUsual(path) && isUsers(path))
}

/** Too many files to list at the start of a run: then nobody can tell what is hidden. */
export const maxIgnored = 5000

/** The list is not complete. */
export const isCut = (hidden: string[]): boolean => hidden.length >= maxListed

type Known = Pick<State, 'ignored' | 'hidden'>

/** What gates made before the first iteration belongs to the environment too; what an earlier run's iterations have hidden does not. */
export const madeByGates = ({ ignored, hidden }: Known, now: string[]): string[] =>
  isCut(hidden) ? [] : hiddenSince(ignored, now).filter((path) => !isHidden(path, hidden))

/** Also if git now names the parent folder, or a file in it: it depends on the rule that ignores it. */
const isHidden = (path: string, hidden: string[]): boolean =>
  hidden.some((other) => other === path || foldersOf(other).includes(path) || foldersOf(path).includes(other))

/** What is ignored now and did not exist, or was not ignored, when the run began. `known`: undefined: nobody looked then. */
export function hiddenSince(known: string[] | undefined, ignored: string[]): string[] {
  if (known === undefined) return []
  const before = new Set(known)
  return ignored.filter((path) => !isUsual(path) && !before.has(path) && !foldersOf(path).some((folder) => before.has(folder)))
}

/** As git names them: with a trailing slash. */
function foldersOf(path: string): string[] {
  const parts = path.replace(/\/$/, '').split('/')
  return parts.slice(1).map((_, index) => `${parts.slice(0, index + 1).join('/')}/`)
}
