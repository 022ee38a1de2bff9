/** The second copy of a feature's event log, outside the work tree: where it is, and what a start does when the two differ. */
import { closeSync, constants, existsSync, ftruncateSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { uptime } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { evolve } from '../../../core/evolve/evolve.ts'
import { initialState } from '../../../core/evolve/initial.ts'
import { EXIT, Failure } from '../../../core/failure.ts'
import { dropFile, makeFolder } from '../../files/files.ts'
import { APPEND, LONGEST_TEXT, openRegular, readRegular } from '../../files/open.ts'
import { foldLog } from '../event-log.ts'
import { gitDir } from '../find.ts'
import { eventLogPath } from '../layout.ts'
import { appendRange, commonLength, countLines, placeFrom, wholeLength } from './bytes.ts'

export type LogPlace = { root: string; home: string /** the feature's folder */; dir: string }

/** In the git directory. */
export const copiesFolder = 'ralph-log-copies'

/**
 * In the git directory, or outside git in the user's folder. Its name identifies the feature's folder: one that was deleted and created
 * again, or copied, has its own history. null: there is no place for a copy.
 */
export function copyPathOf({ root, home, dir }: LogPlace): string | null {
  const feature = statSync(dir, { bigint: true, throwIfNoEntry: false })
  if (feature === undefined) return null
  const git = gitDir(root)
  const base = git ?? home
  if (!existsSync(base)) return null // a missing git directory must not be created again as an empty one
  const folder = join(base, git === null ? 'log-copies' : copiesFolder)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch {
    return null
  }
  return join(folder, `${basename(dir)}-${feature.ino}-${feature.birthtimeNs}.jsonl`)
}

/** The log moves, and a new history follows. */
export function forgetCopy(place: LogPlace): void {
  const path = copyPathOf(place)
  if (path !== null) dropFile(path)
}

/**
 * Call it with the lock held, before the log is read. Restores what was emptied or cut; stops on a damaged line or if the two contradict each
 * other. Returns what people should know.
 */
export function matchLog(place: LogPlace): string | null {
  const path = eventLogPath(place.dir)
  const copy = copyPathOf(place)
  if (copy === null || !existsSync(copy)) return null
  if (!existsSync(path)) return missing(path, copy)
  const fds = [openRegular(path, constants.O_RDWR), openRegular(copy, APPEND)] as const
  try {
    return compared({ path, fd: fds[0] }, { path: copy, fd: fds[1] })
  } finally {
    for (const fd of fds) closeSync(fd)
  }
}

/** If it was moved away between two runs, a new history was intended; nobody intends that during a run. */
function missing(path: string, copy: string): string {
  if (isOver(copy)) {
    renameSync(copy, `${copy}.old`)
    return `${path} is missing: starting a new history. The old one is in ${copy}.old`
  }
  const fd = openRegular(copy)
  try {
    placeFrom(fd, statSync(copy).size, path)
  } finally {
    closeSync(fd)
  }
  return `${path} was missing after Ralph was killed, and was restored from ${copy}`
}

type Side = { path: string; fd: number }

function compared(log: Side, copy: Side): string | null {
  const [logBytes, copyBytes] = [wholeOf(log), wholeOf(copy)]
  const common = commonLength(log.fd, copy.fd, Math.min(logBytes, copyBytes))
  if (common === copyBytes) {
    if (copyBytes < statSync(copy.path).size) ftruncateSync(copy.fd, copyBytes) // half a line left by a kill
    if (logBytes === copyBytes) return null
    if (isCutOff(copy)) return withoutStrangers(log, copy, logBytes, copyBytes)
    appendRange(copy.fd, log.fd, copyBytes, logBytes)
    const lines = sayLines(countLines(log.fd, copyBytes, logBytes))
    return `${log.path} has ${lines} at its end that its copy lacks: the copy lost them in a power cut, or they were written by an older Ralph or from outside. They count`
  }
  if (common === logBytes) {
    const lines = sayLines(countLines(copy.fd, logBytes, copyBytes))
    placeFrom(copy.fd, copyBytes, log.path)
    return `${log.path} lacked ${lines} at its end, restored from its copy`
  }
  const damage = damageIn(log.path)
  const isCopyWhole = damageIn(copy.path) === null
  if (damage !== null)
    throw isCopyWhole ? new Failure(damage.exit, `${damage.message} Or restore it: cp '${copy.path}' '${log.path}'`) : damage
  if (!isCopyWhole) {
    placeFrom(log.fd, logBytes, copy.path)
    return null
  }
  if (withoutTimes(log.path) === withoutTimes(copy.path)) {
    placeFrom(log.fd, logBytes, copy.path)
    return `times in ${log.path} were changed from outside; what happened is the same, and they count`
  }
  const line = countLines(log.fd, 0, common) + 1
  throw new Failure(
    EXIT.data,
    `${log.path} and its copy ${copy.path} differ from line ${line} on, and both are readable: someone changed the log. ` +
      'If it was you, remove the copy. If not, replace the log with the copy. Then run again.',
  )
}

/** Killed during a run, on a machine that was not restarted since: then the copy, which is written first, has every line that Ralph wrote. */
function isCutOff(copy: Side): boolean {
  const bootMs = Date.now() - uptime() * 1000
  return statSync(copy.path).ctimeMs > bootMs && !isOver(copy.path)
}

function withoutStrangers(log: Side, copy: Side, logBytes: number, copyBytes: number): string {
  const lines = sayLines(countLines(log.fd, copyBytes, logBytes))
  const kept = join(dirname(log.path), 'logs', 'events.rejected')
  makeFolder(dirname(kept), 0o700)
  placeFrom(log.fd, logBytes, kept)
  placeFrom(copy.fd, copyBytes, log.path)
  return `${log.path} had ${lines} at its end that Ralph did not write before it was killed. They do not count; the whole file is in ${kept}`
}

const withoutTimes = (path: string): string =>
  readRegular(path, LONGEST_TEXT)
    .toString('utf8')
    .replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '""')

const sayLines = (count: number): string => (count === 1 ? '1 line' : `${count} lines`)

const wholeOf = ({ path, fd }: Side): number => wholeLength(fd, statSync(path).size)

/** Whether the last run of a log has ended; an unreadable log has no run to continue. */
function isOver(path: string): boolean {
  if (damageIn(path) !== null) return true
  const { run, outcome } = foldLog(path, initialState, evolve).value
  return run === '' || outcome !== undefined
}

function damageIn(path: string): Failure | null {
  try {
    foldLog(path, null, () => null)
    return null
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}
