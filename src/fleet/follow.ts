/** Follows a log as its run writes it: whole lines with their numbers, also when the file is put back or moves to the archive. */
import { closeSync, type FSWatcher, readSync, statSync, watch } from 'node:fs'
import { dirname } from 'node:path'
import { openRegular } from '../adapters/files/open.ts'
import type { LogLine } from './record.ts'

export type LineFollower = {
  /** What has been written since the last time. */
  read(): LogLine[]
  close(): void
}

/** `skip`: that many lines are known already. Calls back when there may be more. */
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
    // looking now and then still works
  }

  /** A log that an agent removed is put back by its run as another file with the same beginning. One that moved stays open. */
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

/** Some file systems tell nothing of changes. */
const lookMs = 250
