/** Reads git's objects through one `git cat-file --batch`: some 40 between two iterations, each in 0.05 ms instead of a process of 3 ms. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { EXIT, Failure } from '../../../core/failure.ts'
import { cannotStart, gitProgram, quietEnv } from '../run.ts'
import { falseObject, idOf } from './verify.ts'

/** A commit, tree or blob as git keeps it. */
export type GitObject = { id: string; type: string; body: Buffer }

export type Objects = {
  /** By id, or by a name such as HEAD. null: it does not exist. */
  read(name: string): Promise<GitObject | null>
  close(): void
}

export function openObjects(top: string, env: NodeJS.ProcessEnv): Objects {
  let batch: Batch | undefined
  async function ask(name: string): Promise<GitObject | null> {
    batch = batch?.isOpen() ? batch : startBatch(top, env)
    return batch.ask(name)
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

type Batch = { ask(name: string): Promise<GitObject | null>; isOpen(): boolean; end(): void }
type WaitingRead = { resolve(object: GitObject | null): void; reject(error: Error): void; limit: NodeJS.Timeout }

const LIMIT_MS = 60_000

function startBatch(cwd: string, env: NodeJS.ProcessEnv): Batch {
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(gitProgram(env), ['cat-file', '--batch'], {
    cwd,
    env: { ...quietEnv(env), LC_ALL: 'C' },
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true, // Ctrl+C is for us
  })
  const waiting: WaitingRead[] = []
  let isOpen = true
  child.once('error', (error) => fail(cannotStart(cwd, error)))
  // No file descriptors left for its streams; 'error' follows a moment later.
  if (!child.stdout || !child.stdin) throw cannotStart(cwd, Object.assign(new Error('spawn git EMFILE'), { code: 'EMFILE' }))
  const output = child.stdout as Socket
  const input = child.stdin as Socket
  let buffer: Buffer = Buffer.alloc(0)
  child.unref()
  input.unref()
  output.unref()

  function fail(error: Error): void {
    isOpen = false
    for (const { reject, limit } of waiting.splice(0)) {
      clearTimeout(limit)
      reject(error)
    }
  }

  output.on('data', (chunk: Buffer) => {
    buffer = buffer.length === 0 ? chunk : Buffer.concat([buffer, chunk])
    for (let answer = firstAnswer(buffer); answer && waiting.length > 0; answer = firstAnswer(buffer)) {
      buffer = buffer.subarray(answer.length)
      const first = waiting.shift()
      clearTimeout(first?.limit)
      if (answer.object !== null && !isWhole(answer.object)) first?.reject(falseObject(answer.object.id, cwd))
      else first?.resolve(answer.object)
    }
    if (waiting.length === 0) output.unref() // an idle reader must not keep Ralph alive
  })
  input.on('error', fail)
  child.once('close', () => fail(new Error('git cat-file ended')))

  return {
    isOpen: () => isOpen,
    end() {
      fail(new Error('closed'))
      child.kill()
    },
    ask(name) {
      const { promise, resolve, reject } = Promise.withResolvers<GitObject | null>()
      const limit = setTimeout(() => {
        fail(
          new Failure(
            EXIT.data,
            `git cat-file did not answer for ${name} in ${LIMIT_MS / 1000} s. Check the repository in ${cwd}.`,
          ),
        )
        child.kill('SIGKILL')
      }, LIMIT_MS)
      waiting.push({ resolve, reject, limit })
      output.ref()
      input.write(`${name}\n`)
      return promise
    },
  }
}

/** git does not look. */
const isWhole = ({ id, type, body }: GitObject): boolean => idOf(type, body, id.length) === id

/** `<id> <type> <size>`, a line end, the content, a line end; or one line that says what is missing. */
function firstAnswer(buffer: Buffer): { object: GitObject | null; length: number } | null {
  const end = buffer.indexOf(0x0a)
  if (end === -1) return null
  const [id, type, size] = buffer.toString('latin1', 0, end).split(' ')
  if (id === undefined || type === undefined || size === undefined || !/^\d+$/.test(size))
    return { object: null, length: end + 1 }
  const bodyEnd = end + 1 + Number(size)
  if (buffer.length < bodyEnd + 1) return null
  return { object: { id, type, body: buffer.subarray(end + 1, bodyEnd) }, length: bodyEnd + 1 }
}
