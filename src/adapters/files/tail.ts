/** The end of a text file, at the same cost however long the file is. */
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

function lastBytes(path: string, wanted: (size: number) => number): string {
  let fd: number
  try {
    fd = openRegular(path)
  } catch {
    return ''
  }
  try {
    const { size } = fstatSync(fd)
    const bytes = Buffer.alloc(Math.max(0, Math.min(wanted(size), windowBytes)))
    readSync(fd, bytes, 0, bytes.length, size - bytes.length)
    return bytes.toString('utf8')
  } finally {
    closeSync(fd)
  }
}
