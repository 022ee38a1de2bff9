/** Compares objects with their ids: git does not when it reads them, so whoever overwrites one gives old commits another content. */
import { createHash } from 'node:crypto'
import { lstatSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { inflateSync } from 'node:zlib'
import { EXIT, Failure, tried } from '../../../core/failure.ts'
import { readPlain, stateOf } from '../../files/kept-file.ts'
import { searchNames } from '../../files/search-names.ts'
import type { RunGit } from '../run.ts'

/** As git makes it: of the type, the length and the content. */
export function idOf(type: string, body: Buffer, length: number): string {
  const hash = createHash(length === 64 ? 'sha256' : 'sha1')
  return hash.update(`${type} ${body.length}\0`).update(body).digest('hex')
}

/** `name`: the id of an object, or the file of a pack. */
export const falseObject = (name: string, where: string): Failure =>
  new Failure(
    EXIT.data,
    `${name} in ${where} does not have the content that its id stands for: something overwrote or damaged it. Delete that file, fetch it from another clone (git fetch), then run again.`,
  )

export type Verified = {
  /**
   * Looks at what was written since a time, in milliseconds, and throws where content and id differ. Gives the packs that are too large to look at: their
   * paths, and their sizes in bytes.
   */
  verify(since: number): Promise<LargePack[]>
}
export type LargePack = { path: string; bytes: number }

/** About five seconds. */
const mostPackBytes = 128 * 1024 * 1024

/** `folder`: where they are. Each is looked at once, unless somebody writes to it again. */
export function verifiedIn(folder: string, run: RunGit): Verified {
  const seen = new Map<string, string>()
  const isNew = (path: string): boolean => seen.get(path) !== stateOf(path)
  async function verifyPack(path: string, objects: string): Promise<void> {
    const { code } = await run(['verify-pack', path.replace(/\.pack$/, '.idx')])
    // It may have been replaced meanwhile.
    if (code !== 0 && stateOf(path) !== '') throw falseObject(basename(path), objects)
  }
  return {
    async verify(since) {
      const large: LargePack[] = []
      for (const objects of withAlternates(folder)) {
        for (const path of packsIn(objects).filter((pack) => isWrittenSince(pack, since) && isNew(pack))) {
          const { size: bytes } = lstatSync(path)
          if (bytes > mostPackBytes) large.push({ path, bytes })
          else {
            await verifyPack(path, objects)
            seen.set(path, stateOf(path))
          }
        }
        for (const { path, id } of looseIn(objects)) {
          const stat = lstatSync(path, { throwIfNoEntry: false })
          if (stat === undefined || stat.ctimeMs < Math.floor(since)) continue
          const state = `${stat.ino} ${stat.size} ${stat.ctimeMs}`
          if (seen.get(path) === state) continue
          if (!isTrue(path, id)) throw falseObject(id, objects)
          seen.set(path, state) // as it was before it was read
        }
      }
      return large
    },
  }
}

const changedMs = (path: string): number => lstatSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0
/** The index of a pack says where in it an object is. */
const isWrittenSince = (pack: string, since: number): boolean =>
  [pack, pack.replace(/\.pack$/, '.idx')].some((path) => changedMs(path) >= since)

const packsIn = (objects: string): string[] =>
  namesIn(join(objects, 'pack'))
    .filter((name) => name.endsWith('.pack'))
    .map((name) => join(objects, 'pack', name))

type LooseObject = { path: string; id: string }

const looseIn = (objects: string): LooseObject[] =>
  namesIn(objects)
    .filter((name) => /^[0-9a-f]{2}$/.test(name))
    .flatMap((start) => looseOf(`${objects}/${start}`, start))

/** By the names of a folder, which are the same list until something in it changes. */
const listed = new WeakMap<string[], LooseObject[]>()

function looseOf(folder: string, start: string): LooseObject[] {
  const names = namesIn(folder)
  const known = listed.get(names)
  if (known !== undefined) return known
  const found = names
    .map((rest) => ({ path: `${folder}/${rest}`, id: start + rest }))
    .filter(({ id }) => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(id))
  listed.set(names, found)
  return found
}

/** Those that the user's repository borrows objects from. */
const withAlternates = (objects: string): string[] => [
  objects,
  ...(readPlain(join(objects, 'info', 'alternates')) ?? '')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => resolve(objects, line)),
]

/** One that is gone meanwhile, or cannot be read, is git's to tell. */
function isTrue(path: string, id: string): boolean {
  const packed = tried(() => readFileSync(path), null)
  if (packed === null || packed.length === 0) return true
  const whole = tried(() => inflateSync(packed), null)
  return (
    whole !== null &&
    createHash(id.length === 64 ? 'sha256' : 'sha1')
      .update(whole)
      .digest('hex') === id
  )
}

const namesIn = searchNames(() => true)
