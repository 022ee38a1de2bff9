/** A file as it was when a run began, and back again after others had their hands on it. */
import { lstatSync, rmSync, type StatSyncOptions } from 'node:fs'
import { readIfThere, replaceFile } from './files.ts'

/** What had happened to it, and what was found in its place; null: nothing. */
export type RestoredFile = { was: 'removed' | 'added' | 'changed'; content: string | null }

/** Gives null where it is as it was. Reads it only where its state says that somebody wrote. */
export function keptFile(path: string): () => RestoredFile | null {
  const text = readPlain(path)
  let state = stateOf(path)
  return () => {
    if (stateOf(path) === state) return null
    const theirs = readPlain(path)
    if (theirs !== text) {
      rmSync(path, { recursive: true, force: true })
      if (text !== null) replaceFile(path, text)
    }
    state = stateOf(path)
    const was = theirs === null ? 'removed' : text === null ? 'added' : 'changed'
    return theirs === text ? null : { was, content: theirs }
  }
}

/** What is the same while nobody writes: no program can set the time of a change. */
export function stateOf(path: string): string {
  const stat = lstatSync(path, exactly)
  return stat === undefined ? '' : `${stat.ino} ${stat.size} ${stat.mode} ${stat.ctimeNs}`
}

const exactly = { bigint: true, throwIfNoEntry: false } as const satisfies StatSyncOptions

export const readPlain = (path: string): string | null =>
  lstatSync(path, { throwIfNoEntry: false })?.isFile() ? readIfThere(path) : null
