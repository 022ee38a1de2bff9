/** Works on the bytes of event logs: finds whole lines and common prefixes, and makes one file from another. */
import { closeSync, fdatasyncSync, lstatSync, mkdirSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { jsonIn } from '../../../core/text/json.ts'
import { openTemporary, temporaryName } from '../../files/files.ts'

export const NEWLINE = 0x0a
export const PIECE_BYTES = 1 << 20

/** How much of the file is whole lines, with the last one readable. Looks only at the end of the file. */
export function wholeLength(fd: number, size: number): number {
  for (let window = 1 << 16; ; window *= 2) {
    const from = Math.max(0, size - window)
    const tail = Buffer.alloc(size - from)
    readSync(fd, tail, 0, tail.length, from)
    const end = tail.lastIndexOf(NEWLINE) + 1
    const start = end < 2 ? 0 : tail.lastIndexOf(NEWLINE, end - 2) + 1
    if (start === 0 && from > 0) continue // the last line began before the window
    const isReadable = end === 0 || jsonIn(tail.toString('utf8', start, end)) !== undefined
    return from + (isReadable ? end : start)
  }
}

/** How many bytes two files have in common from the start. */
export function commonLength(one: number, other: number, length: number): number {
  const [mine, theirs] = [Buffer.allocUnsafe(PIECE_BYTES), Buffer.allocUnsafe(PIECE_BYTES)]
  for (let at = 0; at < length; ) {
    const wanted = Math.min(PIECE_BYTES, length - at)
    const first = mine.subarray(0, readSync(one, mine, 0, wanted, at))
    const second = theirs.subarray(0, readSync(other, theirs, 0, wanted, at))
    const shared = Math.min(first.length, second.length)
    if (shared < wanted || !first.equals(second)) return at + firstDifference(first, second, shared)
    at += wanted
  }
  return length
}

function firstDifference(first: Buffer, second: Buffer, shared: number): number {
  for (let at = 0; at < shared; at++) if (first[at] !== second[at]) return at
  return shared
}

/** Replaces whatever is at the path by the first bytes of an open file. */
export function placeFrom(fd: number, size: number, path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  const temporary = temporaryName(path)
  const copy = openTemporary(temporary, 0o600)
  try {
    appendRange(copy, fd, 0, size)
    fdatasyncSync(copy)
  } finally {
    closeSync(copy)
  }
  const inItsPlace = lstatSync(path, { throwIfNoEntry: false })
  if (inItsPlace?.isDirectory()) rmSync(path, { recursive: true }) // a folder would make the rename fail
  renameSync(temporary, path)
}

/** Appends a part of one open file to another. */
export function appendRange(to: number, from: number, start: number, end: number): void {
  const piece = Buffer.allocUnsafe(PIECE_BYTES)
  for (let at = start; at < end; ) {
    const read = readSync(from, piece, 0, Math.min(PIECE_BYTES, end - at), at)
    if (read === 0) return
    writeFileSync(to, piece.subarray(0, read))
    at += read
  }
}

/** How many lines end in a range of an open file. */
export function countLines(fd: number, start: number, end: number): number {
  const piece = Buffer.allocUnsafe(PIECE_BYTES)
  let count = 0
  for (let at = start, read = -1; at < end && read !== 0; at += read) {
    read = readSync(fd, piece, 0, Math.min(PIECE_BYTES, end - at), at)
    for (const byte of piece.subarray(0, read)) if (byte === NEWLINE) count += 1
  }
  return count
}
