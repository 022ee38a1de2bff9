/** Reads what git keeps in separate files, the newest objects and branch heads, without waking another process. */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { LONGEST_TEXT, readRegular } from '../../files/open.ts'
import { commonDirOf, objectsDirOf } from '../worktree-folders.ts'
import type { GitObject } from './object.ts'

/** `undefined`: git must be asked. */
type LooseAnswer<T> = T | null | undefined

/** Reads by id or by name. null: it does not exist; undefined: git must be asked, because it knows packs and other ref formats. */
export function looseReader(dir: string, env: NodeJS.ProcessEnv): (name: string) => LooseAnswer<GitObject> {
  const [common, folder] = [commonDirOf(dir), objectsDirOf(dir, env)]
  const hasNamesInFiles = !existsSync(join(common, 'reftable'))

  function idOf(name: string): LooseAnswer<string> {
    if (isId.test(name)) return name
    if (!hasNamesInFiles) return undefined
    if (isBranch.test(name)) return tipIn(common, name)
    const head = name === 'HEAD' ? textOf(join(dir, name)) : isOthersHead.test(name) ? textOf(join(common, name)) : null
    const branch = head?.startsWith('ref: ') ? head.slice(5).trimEnd() : null
    return branch === null ? onlyId(head) : isBranch.test(branch) ? tipIn(common, branch) : undefined
  }

  return (name) => {
    const id = idOf(name)
    return typeof id === 'string' ? objectIn(join(folder, id.slice(0, 2), id.slice(2)), id) : id
  }
}

const isId = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/
/** Branches, and Ralph's own refs. Other expressions, such as the parent of a commit, are left to git. */
const isBranch = /^refs\/(?:heads|ralph)\/(?!.*\.\.)[^:~^@{\s]+$/
const isOthersHead = /^worktrees\/[^/:~^@{\s]+\/HEAD$/

/** Its own file comes first, as in git. If it is in the file of packed refs, git is asked. */
function tipIn(common: string, name: string): LooseAnswer<string> {
  const own = textOf(join(common, name))
  if (own !== null) return onlyId(own)
  const packed = join(common, 'packed-refs')
  const size = statSync(packed, { throwIfNoEntry: false })?.size ?? 0
  if (size === 0) return null
  return size > mostBytes || textOf(packed)?.includes(` ${name}\n`) !== false ? undefined : null
}

const onlyId = (text: string | null): string | undefined =>
  text !== null && isId.test(text.trimEnd()) ? text.trimEnd() : undefined

/** Anything larger is worth a separate process. */
const mostBytes = 256 * 1024
/** Commits and folders are small: with zlib's default of 16 KiB each, memory would grow by 10 MB now and then. */
const chunkSize = 2048

function objectIn(path: string, id: string): GitObject | undefined {
  try {
    if (statSync(path).size > mostBytes) return undefined
    const whole = inflateSync(readRegular(path), { chunkSize, maxOutputLength: mostBytes * 8 })
    const start = whole.indexOf(0) + 1
    const [, type, size] = /^([a-z]+) (\d+)\0$/.exec(whole.toString('latin1', 0, start)) ?? []
    const body = whole.subarray(start)
    return type !== undefined && body.length === Number(size) ? { id, type, body } : undefined
  } catch {
    return undefined // packed, or damaged: git knows which
  }
}

/** When an object was written to its own file, in milliseconds; null: it is packed. */
export const looseSince = (folder: string, id: string): number | null =>
  statSync(join(folder, id.slice(0, 2), id.slice(2)), { throwIfNoEntry: false })?.mtimeMs ?? null

/** null: there is no such file. */
const textOf = (path: string): string | null => {
  try {
    return readRegular(path, LONGEST_TEXT).toString('latin1')
  } catch {
    return null
  }
}
