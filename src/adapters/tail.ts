/** The end of a text file, at the same cost however long it is. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

const windowBytes = 64 * 1024

/** The last lines, or nothing if the file is not there. */
export function readTail(path: string, lines: number): string {
  let fd: number
  try {
    fd = openSync(path, 'r')
  } catch {
    return ''
  }
  try {
    const { size } = fstatSync(fd)
    const bytes = Buffer.alloc(Math.min(size, windowBytes))
    readSync(fd, bytes, 0, bytes.length, size - bytes.length)
    const text = bytes.toString('utf8').trimEnd()
    return text.split('\n').slice(-lines).join('\n')
  } finally {
    closeSync(fd)
  }
}

/** What was appended since the file had that many bytes (its end, if that is much). */
export function readSince(path: string, size: number): string {
  let fd: number
  try {
    fd = openSync(path, 'r')
  } catch {
    return ''
  }
  try {
    const length = Math.max(0, Math.min(fstatSync(fd).size - size, windowBytes))
    const bytes = Buffer.alloc(length)
    readSync(fd, bytes, 0, length, fstatSync(fd).size - length)
    return bytes.toString('utf8')
  } finally {
    closeSync(fd)
  }
}
