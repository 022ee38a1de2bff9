/** The event log and its copy during a run: notices when someone else touches one of them, and restores it from the other. */
import { closeSync, existsSync, fstatSync, ftruncateSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { EXIT, Failure } from '../../../core/failure.ts'
import { dropFile } from '../../files/files.ts'
import { APPEND, openRegular } from '../../files/open.ts'
import { appendRange, commonLength, placeFrom } from './bytes.ts'

/** As Ralph left it: any change from outside gives it another inode, size or ctime. */
export type OpenLog = { path: string; fd: number; size: number; ino: bigint; dev: bigint; changedNs: bigint }

export function openForAppending(path: string): OpenLog {
  mkdirSync(dirname(path), { recursive: true })
  return asItIsNow({ path, fd: openRegular(path, APPEND, 0o600) }) // it has words of agents: only for this user
}

/** Accepts the current state. */
export function asItIsNow({ path, fd }: Pick<OpenLog, 'path' | 'fd'>): OpenLog {
  const { ino, dev, size, ctimeNs } = fstatSync(fd, { bigint: true })
  return { path, fd, size: Number(size), ino, dev, changedNs: ctimeNs }
}

export const isUntouched = (kept: OpenLog): boolean => {
  const now = statSync(kept.path, { bigint: true, throwIfNoEntry: false })
  return isItself(kept, now) && now?.ctimeNs === kept.changedNs
}

/** The same file with the same size: it may only have been touched. */
export const isInPlace = (kept: OpenLog): boolean => isItself(kept, statSync(kept.path, { bigint: true, throwIfNoEntry: false }))

const isItself = (kept: OpenLog, now: { ino: bigint; dev: bigint; size: bigint } | undefined): boolean =>
  now !== undefined && now.ino === kept.ino && now.dev === kept.dev && now.size === BigInt(kept.size)

/** Uses what the open descriptors still have: a deleted file has lost nothing. */
export const areSame = (log: OpenLog, copy: OpenLog): boolean =>
  log.size === copy.size && commonLength(log.fd, copy.fd, log.size) === log.size

/** Rewrites the second from the first, replacing whatever is there. */
export function rewrittenFrom(from: OpenLog, lost: OpenLog): OpenLog {
  placeFrom(from.fd, from.size, lost.path)
  closeSync(lost.fd)
  return openForAppending(lost.path)
}

/** null: its folder is gone and is not created again: it may have been the git directory. */
export function copyAgain(log: OpenLog, copy: OpenLog): OpenLog | null {
  try {
    if (existsSync(dirname(dirname(copy.path)))) return rewrittenFrom(log, copy)
  } catch {} // the next start makes one
  closeSync(copy.fd)
  return null
}

/** Without a copy, only what the descriptor still has can be restored. */
export function withoutCopy(log: OpenLog): OpenLog {
  const { size } = fstatSync(log.fd)
  if (size < log.size) throw lost(log)
  if (!isSameFile(log)) return rewrittenFrom(log, log)
  if (size > log.size) ftruncateSync(log.fd, log.size) // foreign lines: the next start would stop there
  return asItIsNow(log)
}

function isSameFile(kept: OpenLog): boolean {
  const now = statSync(kept.path, { bigint: true, throwIfNoEntry: false })
  return now !== undefined && now.ino === kept.ino && now.dev === kept.dev
}

/** Creates it if there is none. null: there is no place for one, and the log must do. */
export function openCopy(log: OpenLog, path: string | null): OpenLog | null {
  if (path === null) return null
  try {
    const copy = openForAppending(path)
    if (copy.size > log.size) ftruncateSync(copy.fd, log.size)
    appendRange(copy.fd, log.fd, copy.size, log.size)
    return asItIsNow(copy)
  } catch {
    return null
  }
}

/** null: it could not be written, and the log continues without it. */
export function appendedTo(copy: OpenLog, lines: Buffer): OpenLog | null {
  try {
    writeFileSync(copy.fd, lines)
    return asItIsNow(copy)
  } catch {
    closeSync(copy.fd)
    dropFile(copy.path) // half of the lines are useless for a comparison: the next start makes a new one
    return null
  }
}

export function cutTo({ fd }: OpenLog, size: number): void {
  try {
    ftruncateSync(fd, size)
  } catch {} // the next start compares them
}

export function movedTo(copy: OpenLog, path: string | null): OpenLog {
  if (path === null || path === copy.path || !existsSync(copy.path)) return copy
  renameSync(copy.path, path)
  return asItIsNow({ path, fd: copy.fd })
}

export const bothChanged = (log: OpenLog, copy: OpenLog): Failure =>
  new Failure(
    EXIT.data,
    `${log.path} and its copy ${copy.path} were both changed from outside during the run, so Ralph cannot tell what happened. ` +
      'Restore one of them from a backup, or remove both to start a new history, then run again.',
  )

const lost = (log: OpenLog): Failure =>
  new Failure(
    EXIT.data,
    `${log.path} was cut from outside during the run, and there is no copy of it. Restore it from a backup, or remove it to ` +
      'start a new history, then run again.',
  )
