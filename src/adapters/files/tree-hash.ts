/** Identifies files by their content: a whole project outside git, or uncommitted files inside. */

import { createHash } from 'node:crypto'
import { type BigIntStats, lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { tried } from '../../core/failure.ts'
import type { Repo } from '../../core/types.ts'
import { STATE_FOLDER } from '../project/layout.ts'
import { readRegular } from './open.ts'

export type Snapshot = Repo & {
  /** Files with uncommitted changes outside `.ralph/`, relative to the top of the repository. */
  uncommitted: string[]
  /** null: detached, or outside git. */
  branch: string | null
  /** A repository without commits. */
  isUnborn: boolean
}

/** From the last time: a file that looks the same is not read again. */
type KnownFile = { looks: string; identity: string }
export type KnownFiles = Map<string, KnownFile>

/** The project's files, if there is no git. The second time, only changed files are read. */
export function hashFiles(root: string): Snapshot {
  const names = projectFiles(root)
  const { identity, known } = identityOf(root, names, knownFiles.get(root) ?? new Map())
  knownFiles.set(root, known)
  return { head: null, tree: identity, dirt: '', uncommitted: [], branch: null, isUnborn: false }
}

/** Without git, dependencies and Ralph's own. */
export const projectFiles = (root: string): string[] => filesUnder(root, '')

/** One hash for the named files, and what to remember for the next time. */
export function identityOf(root: string, names: string[], before: KnownFiles): { identity: string; known: KnownFiles } {
  const hash = createHash('sha1')
  const known: KnownFiles = new Map()
  const isTooMany = names.length > MAX_READ_FILES
  const identityIn = (name: string): string =>
    fileIdentity(join(root, name), isTooMany, before.get(name), (looks) => known.set(name, looks))
  for (const name of names.toSorted()) hash.update(`${name}\0${identityIn(name)}\0`)
  return { identity: hash.digest('hex'), known }
}

const MAX_READ_FILES = 20_000
const MAX_READ_BYTES = 8n << 20n
/** Some file systems keep times only to two seconds: a file this young may change again and look the same. */
const TOO_YOUNG_MS = 2000
const SKIPPED = new Set(['node_modules', '.git'])
const knownFiles = new Map<string, KnownFiles>()

function filesUnder(root: string, folder: string): string[] {
  const names: string[] = []
  for (const entry of entriesOf(join(root, folder))) {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (SKIPPED.has(entry.name) || name === STATE_FOLDER) continue
    if (entry.isDirectory()) for (const below of filesUnder(root, name)) names.push(below)
    else names.push(name)
  }
  return names
}

/** None: deleted while we walk, or not ours to read. */
const entriesOf = (folder: string) => tried(() => readdirSync(folder, { withFileTypes: true }), [])

function fileIdentity(path: string, byLooks: boolean, earlier: KnownFile | undefined, keep: (known: KnownFile) => void): string {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  if (!stat) return 'gone'
  const mode = stat.mode & 0o111n ? 'x' : ''
  if (stat.isSymbolicLink()) return `link ${tried(() => readlinkSync(path), 'unreadable')}`
  if (!stat.isFile()) return 'special' // a pipe would block forever
  if (byLooks || stat.size > MAX_READ_BYTES) return `file${mode} ${stat.size} ${stat.mtimeNs}`
  const looks = looksOf(stat)
  const identity =
    earlier?.looks === looks
      ? earlier.identity
      : tried(() => createHash('sha1').update(readRegular(path)).digest('hex'), 'unreadable')
  if (Date.now() - Number(stat.mtimeMs) > TOO_YOUNG_MS) keep({ looks, identity })
  return `file${mode} ${identity}`
}

const looksOf = (stat: BigIntStats): string => `${stat.size} ${stat.mtimeNs} ${stat.ctimeNs} ${stat.ino}`
