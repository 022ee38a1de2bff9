/** The event log and its copy while a run appends to them: noticed when someone else touches one, and made again from the other. */
import { closeSync, existsSync, fstatSync, ftruncateSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { EXIT, Failure } from '../../../core/failure.ts'
import { dropFile } from '../../files/files.ts'
import { APPEND, openRegular } from '../../files/open.ts'
import { appendRange, commonLength, placeFrom } from './bytes.ts'

/** As we left it: any change from outside gives it another inode, size or time of change. */
export type OpenLog = { path: string; fd: number; size: number; ino: bigint; dev: bigint; changedNs: bigint }

export function openForAppending(path: string): OpenLog {
  mkdirSync(dirname(path), { recursive: true })
  return seen({ path, fd: openRegular(path, APPEND, 0o600) }) // words of agents: for this user
}

/** What it is now is what we left. */
export function seen({ path, fd }: Pick<OpenLog, 'path' | 'fd'>): OpenLog {
  const { ino, dev, size, ctimeNs } = fstatSync(fd, { bigint: true })
  return { path, fd, size: Number(size), ino, dev, changedNs: ctimeNs }
}

export const isUntouched = (kept: OpenLog): boolean => {
  const now = statSync(kept.path, { bigint: true, throwIfNoEntry: false })
  return isItself(kept, now) && now?.ctimeNs === kept.changedNs
}

/** The same file with as many bytes: it may have been touched only. */
export const isInPlace = (kept: OpenLog): boolean => isItself(kept, statSync(kept.path, { bigint: true, throwIfNoEntry: false }))

const isItself = (kept: OpenLog, now: { ino: bigint; dev: bigint; size: bigint } | undefined): boolean =>
  now !== undefined && now.ino === kept.ino && now.dev === kept.dev && now.size === BigInt(kept.size)

/** By what the open descriptors still have: a file that was deleted has lost nothing. */
export const areSame = (log: OpenLog, copy: OpenLog): boolean =>
  log.size === copy.size && commonLength(log.fd, copy.fd, log.size) === log.size

/** The second made again from the first, in the place of whatever is there now. */
export function again(from: OpenLog, lost: OpenLog): OpenLog {
  placeFrom(from.fd, from.size, lost.path)
  closeSync(lost.fd)
  return openForAppending(lost.path)
}

/** null: its place is gone, and is not made again: it may have been the git directory. */
export function copyAgain(log: OpenLog, copy: OpenLog): OpenLog | null {
  try {
    if (existsSync(dirname(dirname(copy.path)))) return again(log, copy)
  } catch {} // the next start makes one
  closeSync(copy.fd)
  return null
}

/** Without a copy only what the descriptor still has can be put back. */
export function withoutCopy(log: OpenLog): OpenLog {
  const { size } = fstatSync(log.fd)
  if (size < log.size) throw lost(log)
  if (!isSameFile(log)) return again(log, log)
  if (size > log.size) ftruncateSync(log.fd, log.size) // a stranger's lines: the next start would stop at them
  return seen(log)
}

function isSameFile(kept: OpenLog): boolean {
  const now = statSync(kept.path, { bigint: true, throwIfNoEntry: false })
  return now !== undefined && now.ino === kept.ino && now.dev === kept.dev
}

/** Made where there is none yet. null: there is no place for one, and the log must do. */
export function openCopy(log: OpenLog, path: string | null): OpenLog | null {
  if (path === null) return null
  try {
    const copy = openForAppending(path)
    if (copy.size > log.size) ftruncateSync(copy.fd, log.size)
    appendRange(copy.fd, log.fd, copy.size, log.size)
    return seen(copy)
  } catch {
    return null
  }
}

/** null: it could not be written, and the log goes on without it. */
export function appendedTo(copy: OpenLog, lines: Buffer): OpenLog | null {
  try {
    writeFileSync(copy.fd, lines)
    return seen(copy)
  } catch {
    closeSync(copy.fd)
    dropFile(copy.path) // half of the lines is nothing to compare with: the next start makes one
    return null
  }
}

export function cutTo({ fd }: OpenLog, size: number): void {
  try {
    ftruncateSync(fd, size)
  } catch {} // the next start compares them
}

export function moved(copy: OpenLog, path: string | null): OpenLog {
  if (path === null || path === copy.path || !existsSync(copy.path)) return copy
  renameSync(copy.path, path)
  return seen({ path, fd: copy.fd })
}

export const bothChanged = (log: OpenLog, copy: OpenLog): Failure =>
  new Failure(
    EXIT.data,
    `${log.path} and its copy ${copy.path} were both changed from outside while the run was live: what happened so far cannot be ` +
      'told for certain. Restore one of them from a backup, or remove both to start a new history, then run again.',
  )

const lost = (log: OpenLog): Failure =>
  new Failure(
    EXIT.data,
    `${log.path} was cut from outside while the run was live, and there is no copy of it. Restore it from a backup, or remove it to ` +
      'start a new history, then run again.',
  )
