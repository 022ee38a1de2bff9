/** Writes git objects as git does, but without starting git: a landing would need several. */
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { EXIT, Failure } from '../../../core/failure.ts'
import { dropFile } from '../../files/files.ts'
import type { RunGit } from '../run.ts'
import { objectsDirOf } from '../worktree-folders.ts'
import type { Objects } from './read.ts'

export type Store = {
  /** Returns its id. */
  write(type: 'tree' | 'commit', body: Buffer): string
  /** The author line of a new commit: the user, if git knows one. */
  makers(): Promise<{ author: string; committer: string }>
}

/** For Ralph itself. */
export const ourselves = (at = new Date()): { author: string; committer: string } => {
  const name = `ralph <ralph@localhost> ${stampOf(at)}`
  return { author: name, committer: name }
}

export function storeIn(
  { dir, algorithm }: { dir: string; algorithm: string },
  run: RunGit,
  objects: Objects,
  env: NodeJS.ProcessEnv,
): Store {
  const folder = objectsDirOf(dir, env)
  let known: Promise<{ author: string; committer: string } | null> | undefined
  async function askWho(): Promise<{ author: string; committer: string } | null> {
    const identity = (role: string) => run(['var', `GIT_${role}_IDENT`])
    const [author, committer] = await Promise.all([identity('AUTHOR'), identity('COMMITTER')])
    const isKnown = author.code === 0 && committer.code === 0
    return isKnown ? { author: author.out.toString().trim(), committer: committer.out.toString().trim() } : null
  }
  return {
    write(type, body) {
      const whole = Buffer.concat([Buffer.from(`${type} ${body.length}\0`), body])
      const id = createHash(algorithm).update(whole).digest('hex')
      try {
        keep(folder, id, whole)
      } catch (error) {
        throw new Failure(EXIT.data, `git's objects in ${folder} cannot be written: ${(error as Error).message}`)
      }
      objects.remember({ id, type, body })
      return id
    },
    async makers() {
      known ??= askWho()
      const who = await known
      if (who === null) return ourselves()
      const now = (role: string, line: string): string =>
        env[`GIT_${role}_DATE`] === undefined ? line.replace(/\d+ [+-]\d+$/, stampOf(new Date())) : line
      return { author: now('AUTHOR', who.author), committer: now('COMMITTER', who.committer) }
    },
  }
}

let written = 0

/** Atomic; if a kill leaves a file with this name prefix, git itself removes it. */
function keep(folder: string, id: string, whole: Buffer): void {
  const inside = join(folder, id.slice(0, 2))
  const path = join(inside, id.slice(2))
  if (isFresh(path)) return
  if (!existsSync(inside)) {
    mkdirSync(inside, { recursive: true })
    chmodSync(inside, statSync(folder).mode & 0o7777) // as readable as git's own files
  }
  const temporary = join(inside, `tmp_obj_ralph_${process.pid}_${written++}`)
  try {
    writeFileSync(temporary, deflateSync(whole, { level: 1 }), { mode: 0o444 })
    renameSync(temporary, path)
  } catch (error) {
    dropFile(temporary)
    throw error
  }
}

/** Like git does for an object that exists: renew its time, so that a concurrent gc keeps it. */
function isFresh(path: string): boolean {
  try {
    utimesSync(path, new Date(), new Date())
    return true
  } catch {
    return false
  }
}

/** Seconds, and the local time zone. */
function stampOf(date: Date): string {
  const east = -date.getTimezoneOffset()
  const [hours, minutes] = [Math.trunc(Math.abs(east) / 60), Math.abs(east) % 60]
  const two = (number: number): string => String(number).padStart(2, '0')
  return `${Math.floor(date.getTime() / 1000)} ${east < 0 ? '-' : '+'}${two(hours)}${two(minutes)}`
}
