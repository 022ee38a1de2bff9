/** Files as they were when a run began, and back again after others had their hands on them. */
import {
  type BigIntStats,
  chmodSync,
  lstatSync,
  readlinkSync,
  realpathSync,
  rmSync,
  type StatSyncOptions,
  symlinkSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { tried } from '../../core/failure.ts'
import { makeFolder, readIfThere, replaceFile } from './files.ts'
import { readRegular } from './open.ts'
import { lookForFolders } from './search-names.ts'

/** What had happened to it, and what was found in its place; null: nothing. */
export type RestoredFile = { was: 'removed' | 'added' | 'changed'; content: Buffer | null }

export type KeptFiles = {
  /** Those that differ, put back. Reads a file only where its state says that somebody wrote. */
  restore(): (RestoredFile & { path: string })[]
  /** What differs now is as it should be. */
  renew(): { path: string; bytes: Buffer | null }[]
  /** Those that exist. */
  all(): { path: string; bytes: Buffer }[]
}

/** What a file may become, from what it was; empty: it was not there. */
type IsHarmless = (path: string, text: string, was: string) => boolean

/** `find`: whole paths, also of files that are not there; it may find more of them later. */
export function keepFiles(find: () => string[], isHarmless: IsHarmless = () => false): KeptFiles {
  const known = new Map(withTargets(find()).map((path) => [path, keptAt(path)]))
  const changed = (): { path: string; ours: KeptEntry }[] => {
    for (const path of find()) if (!known.has(path)) known.set(path, nothing)
    const isThere = lookForFolders()
    const state = (path: string): string => (isThere(dirname(path)) ? stateOf(path) : '')
    return [...known].flatMap(([path, ours]) => (state(path) === ours.state ? [] : [{ path, ours }]))
  }
  return {
    restore: () =>
      changed().flatMap(({ path, ours }) => {
        const theirs = keptAt(path)
        const isSame = isEqual(theirs, ours)
        const isFine = theirs.bytes !== null && isHarmless(path, theirs.bytes.toString(), ours.bytes?.toString() ?? '')
        if (isSame || isFine) {
          known.set(path, isSame ? { ...ours, state: theirs.state } : theirs)
          return []
        }
        putBack(path, ours)
        known.set(path, { ...ours, state: stateOf(path) })
        const was = theirs.state === '' ? 'removed' : ours.state === '' ? 'added' : 'changed'
        return [{ path, was, content: theirs.bytes ?? (theirs.link === undefined ? null : Buffer.from(`→ ${theirs.link}\n`)) }]
      }),
    renew: () =>
      changed().flatMap(({ path, ours }) => {
        const theirs = keptAt(path)
        known.set(path, theirs)
        return isEqual(theirs, ours) ? [] : [{ path, bytes: theirs.bytes }]
      }),
    all: () => [...known].flatMap(([path, { bytes }]) => (bytes === null ? [] : [{ path, bytes }])),
  }
}

/** One file. Gives null where it is as it was. */
export function keptFile(path: string): () => RestoredFile | null {
  const { restore } = keepFiles(() => [path])
  return () => restore().map(({ was, content }) => ({ was, content }))[0] ?? null
}

type KeptEntry = { bytes: Buffer | null; link?: string; mode: number; state: string }

const nothing: KeptEntry = { bytes: null, mode: 0, state: '' }

const isEqual = (one: KeptEntry, other: KeptEntry): boolean =>
  one.link === other.link &&
  (one.bytes === null || other.bytes === null ? one.bytes === other.bytes : one.bytes.equals(other.bytes))

/** Many users keep their settings behind links: where they lead counts too. */
const withTargets = (paths: string[]): string[] => [
  ...new Set(paths.flatMap((path) => [path, ...(linkAt(path) === undefined ? [] : [tried(() => realpathSync(path), path)])])),
]

function keptAt(path: string): KeptEntry {
  const link = linkAt(path)
  const stat = lstatSync(path, { throwIfNoEntry: false })
  const bytes = stat?.isFile() ? tried(() => readRegular(path), null) : null
  return { bytes, ...(link === undefined ? {} : { link }), mode: (stat?.mode ?? 0) & 0o7777, state: stateOf(path) }
}

function putBack(path: string, { bytes, link, mode }: KeptEntry): void {
  rmSync(path, { recursive: true, force: true })
  if (bytes === null && link === undefined) return
  makeFolder(dirname(path))
  if (link !== undefined) return symlinkSync(link, path)
  replaceFile(path, bytes ?? '', mode)
  chmodSync(path, mode)
}

const linkAt = (path: string): string | undefined =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true ? tried(() => readlinkSync(path), undefined) : undefined

/** What is the same while nobody writes: no program can set the time of a change. */
export const stateOf = (path: string): string => stateIn(exactStat(path))

const stateIn = (stat: BigIntStats | undefined): string =>
  stat === undefined ? '' : `${stat.ino} ${stat.size} ${stat.mode} ${stat.ctimeNs}`

const exactStat = (path: string): BigIntStats | undefined => lstatSync(path, exactly)

const exactly = { bigint: true, throwIfNoEntry: false } as const satisfies StatSyncOptions

export const readPlain = (path: string): string | null =>
  lstatSync(path, { throwIfNoEntry: false })?.isFile() ? readIfThere(path) : null
