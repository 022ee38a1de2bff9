/** Follows a growing log and folds only what is new; starts over when it is not the same log any more. */
import { closeSync, readSync, type Stats, statSync } from 'node:fs'
import type { Event } from '../../core/types.ts'
import { openRegular } from '../files/open.ts'
import { foldLog, type ReadTo } from '../project/event-log.ts'

export type Fold<T> = { add(event: Event): void; value(): T }
export type Follower<T> = {
  /** The current value. Throws on a damaged line, with its number. */
  look(): T
  /** Bytes that the next look will read. */
  unread(): number
}

export function followLog<T>(path: string, begin: () => Fold<T>): Follower<T> {
  let seen = begun(begin)

  /** Where the next look starts: after what was seen, if that is still there. */
  function since(now: Stats | undefined): FollowedFile<T> {
    const { inode, readTo, end, result } = seen
    const isSame = now !== undefined && now.ino === inode && now.size >= readTo.bytes && endBefore(path, readTo.bytes) === end
    return isSame && 'value' in result ? seen : begun(begin)
  }

  return {
    look() {
      const now = statSync(path, { throwIfNoEntry: false })
      if (stampOf(now) !== seen.stamp) seen = lookedOn(path, since(now), now)
      if ('problem' in seen.result) throw seen.result.problem
      return seen.result.value
    },
    unread() {
      const now = statSync(path, { throwIfNoEntry: false })
      if (now === undefined || stampOf(now) === seen.stamp) return 0
      return now.size - since(now).readTo.bytes
    },
  }
}

/** Differs whenever the file differs. */
export function stampOf(stat: Stats | undefined): string {
  return stat === undefined ? '' : `${stat.ino} ${stat.size} ${stat.mtimeMs}`
}

type FollowedFile<T> = {
  stamp: string
  inode: number
  readTo: ReadTo
  /** The last bytes read: in a log that was cut and has grown again they differ. */
  end: string
  fold: Fold<T>
  result: { value: T } | { problem: unknown }
}

function begun<T>(begin: () => Fold<T>): FollowedFile<T> {
  const fold = begin()
  return { stamp: '', inode: 0, readTo: { bytes: 0, lines: 0 }, end: '', fold, result: { value: fold.value() } }
}

function lookedOn<T>(path: string, { fold, readTo: from }: FollowedFile<T>, now: Stats | undefined): FollowedFile<T> {
  const known = { stamp: stampOf(now), inode: now?.ino ?? 0, fold }
  try {
    const add = (_: null, event: Event): null => {
      fold.add(event)
      return null
    }
    const { readTo } = foldLog(path, null, add, from)
    return { ...known, readTo, end: endBefore(path, readTo.bytes), result: { value: fold.value() } }
  } catch (problem) {
    return { ...known, readTo: from, end: '', result: { problem } }
  }
}

const endBytes = 200

function endBefore(path: string, bytes: number): string {
  if (bytes === 0) return ''
  const from = Math.max(0, bytes - endBytes)
  const fd = openRegular(path)
  try {
    const piece = Buffer.alloc(bytes - from)
    return piece.toString('latin1', 0, readSync(fd, piece, 0, piece.length, from))
  } finally {
    closeSync(fd)
  }
}
