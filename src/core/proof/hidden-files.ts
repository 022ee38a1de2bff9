/** What git ignores: what of it is part of the place that gates run in, and what could be work that no commit has. */
import { maxListed } from '../evolve/users-files.ts'
import type { State } from '../state.ts'

/** What installers and runners make: a gate needs it, or no gate reads it. No commit has it in any project. */
const usual = new Set([
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
  '__pycache__',
  '.pytest_cache',
  '.mypy_cache',
  '.ruff_cache',
  '.DS_Store',
])

const isUsual = (path: string): boolean => path.split('/').some((part) => usual.has(part))

/** At the beginning of a run: all of it is the user's, but for what earlier iterations have hidden; where that is a heap, what the last run knew. */
export function ignoredAtStart(now: string[], { ignored, hidden }: Known): string[] {
  const isUsers = isCut(hidden) ? (path: string) => ignored?.includes(path) === true : (path: string) => !isHidden(path, hidden)
  return now.filter((path) => !isUsual(path) && isUsers(path))
}

/** More than that in a project is not listed when a run begins, and then nobody can tell what is hidden. */
export const maxIgnored = 5000

/** Nobody knows all of them. */
export const isCut = (hidden: string[]): boolean => hidden.length >= maxListed

type Known = Pick<State, 'ignored' | 'hidden'>

/** What gates have made before the first iteration is part of the place too; what an earlier run's iterations have hidden is not theirs. */
export const madeByGates = ({ ignored, hidden }: Known, now: string[]): string[] =>
  isCut(hidden) ? [] : hiddenSince(ignored, now).filter((path) => !isHidden(path, hidden))

/** Also where git names the folder around it now, or a file in it: that goes by the rule that ignores it. */
const isHidden = (path: string, hidden: string[]): boolean =>
  hidden.some((other) => other === path || foldersOf(other).includes(path) || foldersOf(path).includes(other))

/** What is ignored now and was not there, or not ignored, when the run began. `known`: undefined: nobody looked then. */
export function hiddenSince(known: string[] | undefined, ignored: string[]): string[] {
  if (known === undefined) return []
  const before = new Set(known)
  return ignored.filter((path) => !isUsual(path) && !before.has(path) && !foldersOf(path).some((folder) => before.has(folder)))
}

/** As git names them: with a slash at the end. */
function foldersOf(path: string): string[] {
  const parts = path.replace(/\/$/, '').split('/')
  return parts.slice(1).map((_, index) => `${parts.slice(0, index + 1).join('/')}/`)
}
