/** Moves the repository from one state to another: touches only what differs, and nothing that is in neither state. */
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync, type Stats, statSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { EXIT, Failure } from '../../../core/failure.ts'
import { ifThere, replaceFile } from '../../files/files.ts'
import { INTENT, isLeftAlone, type RepositoryState } from './capture-state.ts'
import {
  type FileEntry,
  filesOf,
  foldersOf,
  git,
  indexLine,
  isSame,
  isSubmodule,
  type RescueRepo,
  setIndex,
  withIndex,
} from './trees.ts'

/** `isCommitted`: content of the target commit; otherwise the user's own, byte for byte. */
type FileMove = { path: string; to: FileEntry | null; isCommitted: boolean }
export type Move = { head: string; files: FileMove[]; index: [path: string, lines: string[]][] }

/**
 * The steps to reach `head`'s content, with the user's uncommitted changes from `saved` on top. Where that commit changes the user's files in
 * other ways than `saved` knew of, they stay as they were `before` (default: as they are now).
 */
export async function planMove(
  repo: RescueRepo,
  present: RepositoryState,
  { head, saved, before = present }: { head: string; saved: RepositoryState; before?: RepositoryState },
): Promise<Move> {
  const files = (commit: string) => filesOf(repo, commit)
  const [there, aim, known, had] = await Promise.all([files(present.head), files(head), files(saved.head), files(before.head)])
  const old = saved.older === undefined ? known : await files(saved.older.head)
  const older = new Set(saved.older?.paths)
  const knownAt = (path: string) => (older.has(path) ? old : known).get(path)
  const isUntouched = (path: string, own: FileEntry | null) => isSame(aim.get(path), knownAt(path)) || isSame(aim.get(path), own)
  const contentIn = (state: RepositoryState, committed: Map<string, FileEntry>, path: string) => {
    const own = state.work.get(path)
    return own === undefined ? (committed.get(path) ?? null) : own
  }
  const linesIn = (state: RepositoryState, committed: Map<string, FileEntry>, path: string) =>
    state.index.get(path) ?? linesOf(committed.get(path))

  function wantedFile(path: string): Omit<FileMove, 'path'> {
    const own = saved.work.get(path)
    if (own === undefined) return { to: aim.get(path) ?? null, isCommitted: true }
    return { to: isUntouched(path, own) ? own : contentIn(before, had, path), isCommitted: false }
  }
  function wantedLines(path: string): string[] {
    const own = saved.index.get(path)
    if (own === undefined) return linesOf(aim.get(path))
    const isFree = isSame(aim.get(path), known.get(path)) || isEqual(linesOf(aim.get(path)), own)
    return isFree ? own : linesIn(before, had, path)
  }

  const moved = differing(there, aim).filter((path) => !repo.isOwn(path))
  const isSaved = (path: string) => known.has(path) || saved.work.has(path)
  const mayTouch = (path: string) => isSaved(path) || !isLeftAlone(saved, path)
  const workPaths = new Set([...moved, ...present.work.keys(), ...saved.work.keys()])
  const indexPaths = new Set([...moved, ...present.index.keys(), ...saved.index.keys()])
  return {
    head,
    files: [...workPaths]
      .filter(mayTouch)
      .map((path) => ({ path, ...wantedFile(path), from: contentIn(present, there, path) }))
      .filter(({ from, to }) => !isSame(from, to) && !isSubmodule(from) && !isSubmodule(to))
      .map(({ path, to, isCommitted }) => ({ path, to, isCommitted })),
    index: [...indexPaths]
      .map((path): [string, string[]] => [path, wantedLines(path)])
      .filter(([path, lines]) => !isEqual(lines, linesIn(present, there, path))),
  }
}

/** A file or folder that neither state knows and that is in the way; null: nothing is. */
export function inTheWay(repo: RescueRepo, { files }: Move): string | null {
  const leaving = new Set(files.filter(({ to }) => to === null).map(({ path }) => path))
  const arriving = new Set(files.filter(({ to }) => to !== null).map(({ path }) => path))
  for (const path of arriving) {
    const folders = foldersOf(path)
    const wrong = folders.find((folder) => arriving.has(folder) || isKept(repo, folder, leaving))
    if (wrong !== undefined) return wrong
    const isReachable = folders.every((folder) => isFolder(repo, folder))
    const kept = isReachable && isFolder(repo, path) && filesBelow(repo, path).find((below) => !leaving.has(below))
    if (kept) return kept
  }
  return null
}

/** Files first, then the index: the caller moves HEAD last. */
export async function carryOut(repo: RescueRepo, { head, files, index }: Move): Promise<void> {
  for (const { path } of files.filter(({ to }) => to === null)) removeFile(repo, path)
  const committed = files.filter(({ to, isCommitted }) => to !== null && isCommitted).map(({ path }) => `${path}\0`)
  if (committed.length > 0) {
    const args = ['checkout-index', '--force', '-z', '--stdin']
    await withIndex(repo, head, (env) => git(repo, args, { kind: 'write', input: committed.join(''), env }))
  }
  for (const { path, to, isCommitted } of files) if (to !== null && !isCommitted) await writeOwn(repo, path, to)
  const intents = index.filter(([, lines]) => lines[0] === INTENT).map(([path]) => path)
  await setIndex(
    repo,
    index.map(([path, lines]) => [path, lines[0] === INTENT ? [] : lines]),
  )
  if (intents.length === 0) return
  const args = ['add', '--intent-to-add', '--force', '--pathspec-from-file=-', '--pathspec-file-nul']
  await git(repo, args, { kind: 'write', input: intents.join('\0'), env: { GIT_LITERAL_PATHSPECS: '1' } })
}

const linesOf = (entry: FileEntry | undefined): string[] => (entry === undefined ? [] : [indexLine(entry)])

const isEqual = (a: string[], b: string[]): boolean => a.join('\n') === b.join('\n')

const differing = (a: Map<string, FileEntry>, b: Map<string, FileEntry>): string[] =>
  [...new Set([...a.keys(), ...b.keys()])].filter((path) => !isSame(a.get(path), b.get(path)))

/** A file where a folder must be, and that nothing else removes. */
function isKept(repo: RescueRepo, folder: string, leaving: Set<string>): boolean {
  const stat = lstat(repo, folder)
  return stat !== null && !stat.isDirectory() && !leaving.has(folder)
}

const isFolder = (repo: RescueRepo, path: string): boolean => lstat(repo, path)?.isDirectory() === true

const lstat = (repo: RescueRepo, path: string): Stats | null => ifThere(() => lstatSync(join(repo.top, path)))

function filesBelow(repo: RescueRepo, folder: string): string[] {
  return readdirSync(join(repo.top, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    return entry.isDirectory() ? filesBelow(repo, path) : [path]
  })
}

/** With parent folders that become empty. */
function removeFile(repo: RescueRepo, path: string): void {
  rmSync(join(repo.top, path), { force: true })
  for (const folder of foldersOf(path).reverse()) {
    try {
      rmdirSync(join(repo.top, folder))
    } catch {
      return // not empty, or already gone
    }
  }
}

async function writeOwn(repo: RescueRepo, path: string, { mode, id, raw, permissions }: FileEntry): Promise<void> {
  const blob = await repo.objects.read(raw ?? id)
  if (blob === null) throw new Failure(EXIT.data, `the content of ${path} is missing in ${repo.dir}. Run git fsck there.`)
  const full = join(repo.top, path)
  const stat = lstat(repo, path)
  if (stat?.isDirectory()) removeFolders(full)
  else if (stat && (stat.isSymbolicLink() || mode === '120000')) rmSync(full)
  if (mode === '120000') {
    mkdirSync(dirname(full), { recursive: true })
    return symlinkSync(blob.body, full)
  }
  replaceFile(full, blob.body, permissions === undefined ? undefined : permissions | 0o200) // a key must not be readable by others, not even for a moment
  const given = permissions ?? statSync(full).mode & 0o777
  const runnable = given | ((given & 0o444) >> 2)
  chmodSync(full, permissions ?? (mode === '100755' ? runnable : given & ~0o111))
}

/** Empty ones, deepest first. */
function removeFolders(folder: string): void {
  for (const name of readdirSync(folder)) removeFolders(join(folder, name))
  rmdirSync(folder)
}
