/** The one way to open what an agent can replace: a named pipe would block forever, a device never ends, gigabytes fill the memory. */
import { constants as buffer } from 'node:buffer'
import { closeSync, constants, copyFileSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs'
import { EXIT, Failure } from '../../core/failure.ts'

/** A named pipe, socket or device where a file was expected. It has no content to keep. */
export class SpecialFile extends Failure {}

export const APPEND = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT

/** A link to a file is as good as a file. */
export function openRegular(path: string, flags = constants.O_RDONLY, mode = 0o666): number {
  const fd = opened(path, flags, mode)
  const stat = fstatSync(fd)
  const isNull = flags === APPEND && stat.isCharacterDevice() // people send notes to /dev/null
  if (stat.isFile() || isNull) return fd
  closeSync(fd)
  throw stat.isDirectory() ? folder(path) : special(path)
}

export function readRegular(path: string, mostBytes = MOST_BYTES): Buffer {
  const fd = openRegular(path)
  try {
    const { size } = fstatSync(fd)
    if (size > mostBytes)
      throw new Failure(
        EXIT.data,
        `${path} is too large: ${inMegabytes(size)}, at most ${inMegabytes(mostBytes)} allowed. Make it smaller, or move it away.`,
      )
    return readFileSync(fd)
  } finally {
    closeSync(fd)
  }
}

export function copyRegular(from: string, to: string): void {
  closeSync(openRegular(from))
  copyFileSync(from, to)
}

/** For copying a whole folder: skips what cannot be copied. */
export function isCopyable(path: string): boolean {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    return stat === undefined || stat.isFile() || stat.isDirectory()
  } catch {
    return true // a link to itself, or a folder without read permission: whoever copies it reports it
  }
}

/** For files that may be long: a history. */
export const LONGEST_TEXT = buffer.MAX_STRING_LENGTH

/** Plans, prompts and settings are a thousand times smaller. */
const MOST_BYTES = 64 * 1024 * 1024

function opened(path: string, flags: number, mode: number): number {
  try {
    return openSync(path, flags | constants.O_NONBLOCK, mode)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EISDIR') throw folder(path)
    if (code === 'ENXIO') throw special(path) // a socket, or a pipe that nobody reads
    throw error
  }
}

const folder = (path: string): Failure => new Failure(EXIT.data, `${path} is a folder; expected a file. Move it away.`)

const special = (path: string): SpecialFile =>
  new SpecialFile(EXIT.data, `${path} is a named pipe, a socket or a device; expected a file. Move it away.`)

const inMegabytes = (bytes: number): string => `${Math.round(bytes / 1024 / 1024).toLocaleString('en-US')} MB`
