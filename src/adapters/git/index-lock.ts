/** Git's lock files: waits for another git's lock; one that stays was left by a killed git. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { dropFile } from '../files/files.ts'
import { commonDirOf } from './worktree-folders.ts'

/**
 * null: it is free, at once or within a few seconds. Ralph cannot tell whether its owner is alive, because git closes the file and continues.
 * `also`: other locks.
 */
export async function whyLocked(dir: string, also: string[] = []): Promise<string | null> {
  const [lock] = await staying([join(dir, 'index.lock'), ...also])
  return lock === undefined ? null : words(lock)
}

/** In a worktree that only Ralph uses and where nothing runs, a lock that stays belongs to nobody. Returns what was removed. */
export async function clearOwnLocks(dir: string): Promise<string[]> {
  const left = await staying(topLocks(dir))
  for (const path of left) dropFile(path)
  return left
}

/** Locks that a killed git of ours left within a minute after this time. Returns what was removed. */
export async function clearLocksOf(dir: string, sinceMs: number): Promise<string[]> {
  const left = (await staying(locksOf(dir))).filter((path) => {
    const madeMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    return madeMs !== undefined && madeMs >= sinceMs - 1000 && madeMs <= sinceMs + 60_000
  })
  for (const path of left) dropFile(path)
  return left
}

/** After a crash of the machine, locks from before it belong to nobody. Returns what was removed. */
export function clearLocksUntil(dir: string, untilMs: number): string[] {
  const left = locksOf(dir).filter((path) => (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) < untilMs)
  for (const path of left) dropFile(path)
  return left
}

/** Locks of refs (HEAD and ORIG_HEAD among them), which would stop Ralph halfway. Removes those of Ralph's own refs, and returns the first of the others. */
export async function clearRefLocks(dir: string): Promise<{ cleared: string[]; stuck: string | null }> {
  const common = commonDirOf(dir)
  const left = await staying(locksOf(dir).filter((path) => path !== join(dir, 'index.lock'))) // which has its own message
  const isOurs = (path: string): boolean => /^\/(?:ralph|heads\/wip\/ralph-\w+)[/-]/.test(path.slice(join(common, 'refs').length))
  const cleared = left.filter(isOurs)
  for (const path of cleared) dropFile(path)
  const stuck = left.find((path) => !isOurs(path))
  return { cleared, stuck: stuck === undefined ? null : words(stuck) }
}

/** Of the index, HEAD, ORIG_HEAD and refs, packed refs and the configuration. In a linked worktree the main one's index and HEADs are no matter. */
const locksOf = (dir: string): string[] => {
  const common = commonDirOf(dir)
  const shared = topLocks(common).filter((path) => common === dir || !/(?:^index|HEAD)\.lock$/.test(basename(path)))
  return [...new Set([...topLocks(dir), ...shared, ...locksIn(join(common, 'refs'))])]
}

/** Without Ralph's own lock, which has its name. */
const topLocks = (dir: string): string[] =>
  readdirSync(dir)
    .filter((name) => name.endsWith('.lock') && !name.startsWith('ralph'))
    .map((name) => join(dir, name))

function locksIn(folder: string): string[] {
  const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? locksIn(path) : entry.name.endsWith('.lock') ? [path] : []
  })
}

/** Those that are still there after a few seconds. */
async function staying(paths: string[]): Promise<string[]> {
  let left = paths.filter((path) => existsSync(path))
  for (let waitedMs = 0; left.length > 0 && waitedMs < WAIT_MS; waitedMs += LOOK_MS) {
    await pause(LOOK_MS)
    left = left.filter((path) => existsSync(path))
  }
  return left
}

function words(lock: string): string {
  const minutes = Math.floor((Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())) / 60_000)
  const age = minutes < 1 ? '' : ` It is ${minutes < 120 ? `${minutes} min` : `${Math.floor(minutes / 60)} h`} old.`
  return `${lock} exists: another git process is running here, or one was killed. If no git is running, remove it.${age}`
}

/** An editor that looks at the repository takes the lock for a moment; so does a commit of the user. */
const WAIT_MS = 3000
const LOOK_MS = 50
