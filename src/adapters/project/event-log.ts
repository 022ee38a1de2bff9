/** The event log on disk: read strictly, appended by one writer, and restored when an agent removes or changes it during a run. */
import { closeSync, fdatasyncSync, ftruncateSync, readSync, writeFileSync } from 'node:fs'
import { eventKinds } from '../../core/event-kinds.ts'
import { asKnownNow, asLogged } from '../../core/evolve/older-events.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import { isText, jsonIn, recordOf } from '../../core/text/json.ts'
import type { Event } from '../../core/types.ts'
import { ifThere } from '../files/files.ts'
import { openRegular } from '../files/open.ts'
import { NEWLINE, PIECE_BYTES, wholeLength } from './log/bytes.ts'
import {
  appendedTo,
  areSame,
  asItIsNow,
  bothChanged,
  copyAgain,
  cutTo,
  isInPlace,
  isUntouched,
  movedTo,
  openCopy,
  openForAppending,
  rewrittenFrom,
  withoutCopy,
} from './log/log-and-copy.ts'

export type Log = {
  append(events: Event[]): void
  close(): void
  /** How often the file was found deleted, replaced or written to by someone else, and restored. */
  restored(): number
  /** Bytes of an incomplete last line that were removed when the log was opened. */
  torn: number
}

/** All events of a log, and how many bytes at its end are an incomplete line. A missing log is empty. */
export function readLog(path: string): { events: Event[]; torn: number } {
  const events: Event[] = []
  const { torn } = foldLog(path, events, (all, event) => {
    all.push(event)
    return all
  })
  return { events, torn }
}

/** How far a log was read: bytes of whole lines, and their number. */
export type ReadTo = { bytes: number; lines: number }

/** Folds a log, or what follows a part of it, with only a piece of it in memory. */
export function foldLog<T>(
  path: string,
  init: T,
  step: (value: T, event: Event) => T,
  from: ReadTo = { bytes: 0, lines: 0 },
): { value: T; torn: number; readTo: ReadTo } {
  let value = init
  const readTo = { ...from }
  let suspect: { bytes: number; error: Failure } | null = null
  const torn = eachLine(path, from.bytes, (line, bytes) => {
    if (suspect) throw suspect.error
    const number = readTo.lines + 1
    const parsed = jsonIn(line)
    // A bad last line is incomplete; with a line after it, it is damage.
    if (parsed === undefined) {
      suspect = { bytes, error: damaged(path, number, 'is not JSON') }
      return
    }
    const event = eventOf(parsed, path, number)
    value = followed(() => step(value, event), event, path, number)
    readTo.lines = number
    readTo.bytes += bytes
  })
  const last = suspect as { bytes: number } | null
  return { value, torn: torn + (last?.bytes ?? 0), readTo }
}

/**
 * The only writer. When an append returns, it is in the file and flushed. `copyOf` says where a second copy is kept, which `matchLog` has
 * compared before: it is written first, so that the log never has a line that the copy lacks, and not flushed, because that costs time.
 * `mayWrite` throws if someone else is the writer now.
 */
export function openLog(path: string, copyOf: () => string | null = () => null, mayWrite: () => void = () => {}): Log {
  let log = openForAppending(path)
  let restored = 0
  const whole = wholeLength(log.fd, log.size)
  const torn = log.size - whole
  if (torn > 0) {
    ftruncateSync(log.fd, whole)
    log = asItIsNow(log)
  }
  let copy = openCopy(log, copyOf())

  function putRight(): void {
    const isLogWhole = isUntouched(log)
    if (isLogWhole && (copy === null || isUntouched(copy))) return
    if (copy === null) log = withoutCopy(log)
    else if (!isLogWhole && !isUntouched(copy) && !areSame(log, copy)) throw bothChanged(log, copy)
    else if (isLogWhole) copy = copyAgain(log, copy)
    else if (isInPlace(log) && areSame(log, copy)) {
      log = asItIsNow(log) // only touched
      return
    } else {
      log = rewrittenFrom(copy, log)
      copy = movedTo(copy, copyOf()) // the feature's folder may be another now
    }
    restored += 1
  }

  return {
    torn,
    restored: () => restored,
    append(events) {
      if (events.length === 0) return
      const lines = Buffer.from(events.map((event) => `${JSON.stringify(asLogged(event))}\n`).join(''))
      mayWrite()
      let isWriting = false
      try {
        putRight()
        isWriting = true
        copy = copy && appendedTo(copy, lines)
        writeFileSync(log.fd, lines)
        fdatasyncSync(log.fd)
      } catch (error) {
        // What could not be stored was not said: it must be in neither file, or the next start would take it for foreign.
        if (isWriting) cutTo(log, log.size)
        if (copy !== null) cutTo(copy, log.size)
        if (error instanceof Failure) throw error
        throw new Failure(
          EXIT.data,
          `Cannot write ${path}: ${(error as Error).message}. Free some space or make it writable, then run again.`,
        )
      }
      log = asItIsNow(log)
    },
    close: () => {
      closeSync(log.fd)
      if (copy !== null) closeSync(copy.fd)
    },
  }
}

/** docs/upgrades.md says when it rises. */
const NEWEST_VERSION = 1

/** Calls back with each complete line from there on, and returns how many bytes follow the last. */
function eachLine(path: string, start: number, onLine: (line: string, bytes: number) => void): number {
  const fd = ifThere(() => openRegular(path))
  if (fd === null) return 0
  try {
    const piece = Buffer.allocUnsafe(PIECE_BYTES)
    let rest: Buffer[] = []
    let restBytes = 0
    let at = start
    const next = (): number => readSync(fd, piece, 0, PIECE_BYTES, at)
    for (let read = next(); read > 0; read = next()) {
      at += read
      let from = 0
      for (let to = piece.indexOf(NEWLINE); to !== -1 && to < read; to = piece.indexOf(NEWLINE, from)) {
        const end = piece.subarray(from, to)
        const line = rest.length === 0 ? end.toString() : Buffer.concat([...rest, end]).toString()
        onLine(line, restBytes + end.length + 1)
        rest = []
        restBytes = 0
        from = to + 1
      }
      if (from === read) continue
      rest.push(Buffer.from(piece.subarray(from, read)))
      restBytes += read - from
    }
    return restBytes
  } finally {
    closeSync(fd)
  }
}

/** What a line of a log holds, as the event that it is; throws where it is none, or one of a newer Ralph. */
export function eventOf(parsed: unknown, path: string, number: number): Event {
  const { at, run, kind, log } = recordOf(parsed)
  if (!isText(at) || !isText(run) || !isText(kind)) throw damaged(path, number, 'is not an event (at, run, kind)')
  const isBeginning = kind === 'run.started' || kind === 'run.resumed'
  if (isBeginning && typeof log === 'number' && log > NEWEST_VERSION) {
    const found = `${path}:${number}: this log has version ${log}; this Ralph reads versions up to ${NEWEST_VERSION}.`
    throw new Failure(EXIT.data, `${found} A newer Ralph wrote it: update Ralph. Nothing was changed.`)
  }
  if (!eventKinds.has(kind)) throw damaged(path, number, `is an event of an unknown kind (${kind.slice(0, 40)})`)
  const read = parsed as Event
  return followed(() => asKnownNow(read), read, path, number)
}

/** An event that cannot be folded lacks fields, or has them in another form. */
function followed<T>(step: () => T, { kind }: Event, path: string, number: number): T {
  try {
    return step()
  } catch (error) {
    if (error instanceof Failure) throw error
    throw damaged(path, number, `is an event (${kind}) that cannot be applied: ${(error as Error).message}`)
  }
}

function damaged(path: string, number: number, what: string): Failure {
  return new Failure(
    EXIT.data,
    `${path}:${number}: this line ${what}. Repair or remove the line, or move the file away to start a new history.`,
  )
}
