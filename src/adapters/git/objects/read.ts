/** Reads git's objects through one `git cat-file --batch`: some 40 between two iterations, each in 0.05 ms instead of a process of 3 ms. */
import { Failure } from '../../../core/failure.ts'
import { quietEnv } from '../run.ts'
import { type Batch, type FirstAnswer, startBatch } from './batch.ts'
import { falseObject, idOf } from './verify.ts'

/** A commit, tree or blob as git keeps it. */
export type GitObject = { id: string; type: string; body: Buffer }

export type Objects = {
  /** By id, or by a name such as HEAD. null: it does not exist. */
  read(name: string): Promise<GitObject | null>
  close(): void
}

export function openObjects(top: string, env: NodeJS.ProcessEnv): Objects {
  let batch: Batch<GitObject | null> | undefined
  async function ask(name: string): Promise<GitObject | null> {
    batch = batch?.isOpen() ? batch : startBatch(top, quietEnv(env), ['cat-file', '--batch'], firstObject)
    const object = await batch.ask(`${name}\n`)
    if (object !== null && !isWhole(object)) throw falseObject(object.id, top)
    return object
  }
  return {
    // Try again: someone who cleaned up may have killed the process.
    read: (name) => ask(name).catch((error) => (error instanceof Failure ? Promise.reject(error) : ask(name))),
    close: () => batch?.end(),
  }
}

/** The same for a worktree: everything but HEAD is shared. */
export const objectsFrom = (objects: Objects, worktree: string): Objects => ({
  read: (name) => objects.read(name.replace(/^HEAD(?=$|[~^:@])/, `worktrees/${worktree}/HEAD`)),
  close: () => {}, // whoever opened it closes it
})

/** git does not look. */
const isWhole = ({ id, type, body }: GitObject): boolean => idOf(type, body, id.length) === id

/** `<id> <type> <size>`, a line end, the content, a line end; or one line that says what is missing. */
const firstObject: FirstAnswer<GitObject | null> = (buffer) => {
  const end = buffer.indexOf(0x0a)
  if (end === -1) return null
  const [id, type, size] = buffer.toString('latin1', 0, end).split(' ')
  if (id === undefined || type === undefined || size === undefined || !/^\d+$/.test(size))
    return { answer: null, length: end + 1 }
  const bodyEnd = end + 1 + Number(size)
  if (buffer.length < bodyEnd + 1) return null
  return { answer: { id, type, body: buffer.subarray(end + 1, bodyEnd) }, length: bodyEnd + 1 }
}
