/** Follows a log while its run writes it: whole lines with their numbers, also if the file is restored or moves to the archive. */
import { closeSync, type FSWatcher, readSync, statSync, watch } from 'node:fs'
import { dirname } from 'node:path'
import { openRegular } from '../adapters/files/open.ts'
import type { LogLine } from './write-turn.ts'

export type LineFollower = {
  /** What was written since the last call. */
  read(): LogLine[]
  close(): void
}

/** `skip`: this many lines are already known. Calls back when there may be more. */
export function followLines(path: string, skip: number, onMore: () => void): LineFollower {
  let fd: number | null = null
  let inode = 0
  let position = 0
  let seq = 0
  let rest: Buffer = Buffer.alloc(0)
  let watcher: FSWatcher | null = null
  const timer = setInterval(onMore, lookMs)
  try {
    watcher = watch(dirname(path), { persistent: false }, onMore)
    watcher.on('error', () => watcher?.close())
  } catch {
    // polling still works
  }

  /** If an agent removed a log, its run restores it as another file with the same beginning. One that moved stays open. */
  function reopen(): void {
    const there = statSync(path, { throwIfNoEntry: false })
    if (there === undefined || there.ino === inode || there.size < position) return
    if (fd !== null) closeSync(fd)
    fd = openRegular(path)
    inode = there.ino
  }

  return {
    read() {
      reopen()
      if (fd === null) return []
      const lines: LogLine[] = []
      const piece = Buffer.alloc(1 << 16)
      for (
        let got = readSync(fd, piece, 0, piece.length, position);
        got > 0;
        got = readSync(fd, piece, 0, piece.length, position)
      ) {
        position += got
        rest = Buffer.concat([rest, piece.subarray(0, got)])
        for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
          seq += 1
          if (seq > skip) lines.push({ seq, line: rest.toString('utf8', 0, end) })
          rest = rest.subarray(end + 1)
        }
      }
      return lines
    },
    close() {
      clearInterval(timer)
      watcher?.close()
      if (fd !== null) closeSync(fd)
      fd = null
    },
  }
}

/** Some file systems report no changes. */
const lookMs = 250
