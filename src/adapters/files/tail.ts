/** The start or the end of a text file, at the same cost however long the file is. */
import { closeSync, fstatSync, readSync } from 'node:fs'
import { openRegular } from './open.ts'

const windowBytes = 64 * 1024

/** The last lines, or nothing if the file does not exist. */
export const readTail = (path: string, lines: number): string =>
  lastBytes(path, (size) => size)
    .trimEnd()
    .split('\n')
    .slice(-lines)
    .join('\n')

/** What was appended since the file had that many bytes (only the end, if that is a lot). */
export const readSince = (path: string, before: number): string => lastBytes(path, (size) => size - before)

/** Nothing if the file cannot be read. */
export const readStart = (path: string, bytes: number): string => bytesIn(path, (size) => [0, Math.min(bytes, size)])

const lastBytes = (path: string, wanted: (size: number) => number): string =>
  bytesIn(path, (size) => {
    const length = Math.max(0, Math.min(wanted(size), windowBytes))
    return [size - length, length]
  })

function bytesIn(path: string, place: (size: number) => [start: number, length: number]): string {
  let fd: number
  try {
    fd = openRegular(path)
  } catch {
    return ''
  }
  try {
    const [start, length] = place(fstatSync(fd).size)
    const bytes = Buffer.alloc(length)
    readSync(fd, bytes, 0, length, start)
    return bytes.toString('utf8')
  } finally {
    closeSync(fd)
  }
}
