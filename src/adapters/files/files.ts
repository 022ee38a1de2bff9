/** Small files: replaced atomically, appended in whole lines, read if they exist. */

import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { tried } from '../../core/failure.ts'
import { jsonIn } from '../../core/text/json.ts'
import { APPEND, openRegular, readRegular, SpecialFile } from './open.ts'

/** Readers see the old content or the new, never a part. An existing file keeps its mode; `mode` is for a new one. */
export function replaceFile(path: string, content: string | Buffer, mode = 0o666): void {
  const temporary = temporaryName(path)
  try {
    writeFlushed(path, temporary, content, mode)
    renameSync(temporary, path)
  } catch (error) {
    dropFile(temporary)
    throw named(error, path)
  }
}

/** What was renamed in it, until now, stays so after a power cut. Where a folder cannot be flushed, the system decides. */
export function flushFolder(path: string): void {
  const fd = tried(() => openSync(path, 'r'), null)
  if (fd === null) return
  tried(() => fsyncSync(fd), undefined)
  closeSync(fd)
}

/** Adds a line end to text without one, and to a file that someone left without one. If a kill cut this text off, it is completed. */
export function appendLines(path: string, text: string): void {
  if (text === '') return
  makeFolder(dirname(path))
  const fd = openToAppend(path)
  const { size } = fstatSync(fd)
  try {
    const whole = Buffer.from(text.endsWith('\n') ? text : `${text}\n`)
    const tail = lastBytes(fd, size, whole.length)
    const torn = tornPart(tail, whole)
    const isInMidLine = tail.length > 0 && tail.at(-1) !== NEWLINE
    writeFileSync(fd, torn > 0 ? whole.subarray(torn) : isInMidLine ? Buffer.concat([Buffer.of(NEWLINE), whole]) : whole)
    fsyncSync(fd)
  } catch (error) {
    cutBack(fd, size)
    throw named(error, path)
  } finally {
    closeSync(fd)
  }
}

/**
 * Creates the parent folders too. Node's own way loops forever where the file system denies that something exists (`/proc`, a home folder mounted on
 * demand).
 */
export function makeFolder(path: string, mode = 0o777): void {
  if (existsSync(path)) return
  if (dirname(path) !== path) makeFolder(dirname(path), mode)
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
}

/** For temporary things, including whole folders: one that cannot be removed does no harm. */
export function dropFile(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {}
}

/** A named pipe or device in its place counts as missing: an agent can create one, and `replaceFile` puts a file there again. */
export function readIfThere(path: string, mostBytes?: number): string | null {
  try {
    return readRegular(path, mostBytes).toString('utf8')
  } catch (error) {
    if (isMissing(error) || error instanceof SpecialFile) return null
    throw error
  }
}

/** What a JSON file holds, to be checked. Undefined: it is not there, cannot be read, or holds something else. */
export const readJson = (path: string): unknown => tried(() => jsonIn(readRegular(path).toString('utf8')), undefined)

/** A name next to the path, for a file that will be renamed onto it. */
export function temporaryName(path: string): string {
  temporaries += 1
  return join(dirname(path), `.${basename(path)}.tmp-${process.pid}-${temporaries}`)
}

/** Opens it for writing. The name can be guessed, so a link that someone put there is not followed. */
export const openTemporary = (path: string, mode: number): number =>
  openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW | constants.O_NONBLOCK, mode)

export const errorCode = (error: unknown): string => (error as NodeJS.ErrnoException)?.code ?? ''

/** For what may not be there: then null. Any other error counts. */
export function ifThere<T>(act: () => T): T | null {
  try {
    return act()
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

export const isMissing = (error: unknown): boolean => ['ENOENT', 'ENOTDIR'].includes(errorCode(error))

let temporaries = 0

/** Errors of a write to an open file do not name the file, and errors of a temporary file name only that. */
function named(error: unknown, path: string): unknown {
  if (errorCode(error) === '') return error
  const { message } = error as Error
  return Object.assign(error as Error, { path, message: `${message.replace(/ '.*'$/s, '')} '${path}'` })
}

function writeFlushed(path: string, temporary: string, content: string | Buffer, mode: number): void {
  makeFolder(dirname(path))
  const fd = openTemporary(temporary, mode)
  try {
    writeFileSync(fd, content)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  const existing = statSync(path, { throwIfNoEntry: false })
  if (existing) chmodSync(temporary, existing.mode & 0o7777)
}

function openToAppend(path: string): number {
  try {
    return openRegular(path, APPEND)
  } catch (error) {
    if (!(error instanceof SpecialFile)) throw error
    rmSync(path) // it has no content to keep
    return openRegular(path, APPEND)
  }
}

/** Half of an append is worse than none: the next try writes all of it. */
function cutBack(fd: number, size: number): void {
  try {
    ftruncateSync(fd, size)
  } catch {}
}

const NEWLINE = 0x0a

function lastBytes(fd: number, size: number, count: number): Buffer {
  const bytes = Buffer.alloc(Math.min(size, count))
  readSync(fd, bytes, 0, bytes.length, size - bytes.length)
  return bytes
}

/** How many bytes of the text are already at the end of a file that ends mid-line. Fewer could belong to anyone. */
function tornPart(tail: Buffer, whole: Buffer): number {
  if (tail.at(-1) === NEWLINE) return 0
  for (let length = Math.min(tail.length, whole.length - 1); length >= FEWEST_TORN; length--)
    if (tail.subarray(tail.length - length).equals(whole.subarray(0, length))) return length
  return 0
}

const FEWEST_TORN = 16
