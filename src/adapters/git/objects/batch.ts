/** One git that stays and answers requests in order, for what would take a process of 3 ms each time. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { EXIT, Failure } from '../../../core/failure.ts'
import { cannotStart, gitProgram } from '../run.ts'

export type Batch<T> = { ask(request: string): Promise<T>; isOpen(): boolean; end(): void }

/** The first whole answer in what git has said, and its length; null: not there yet. */
export type FirstAnswer<T> = (said: Buffer) => { answer: T; length: number } | null

type Asked<T> = { resolve(answer: T): void; reject(error: Error): void; limit: NodeJS.Timeout }

const LIMIT_MS = 60_000

export function startBatch<T>(
  cwd: string,
  env: NodeJS.ProcessEnv,
  args: [verb: string, ...string[]],
  firstAnswer: FirstAnswer<T>,
): Batch<T> {
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(gitProgram(env), args, {
    cwd,
    env: { ...env, LC_ALL: 'C' },
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true, // Ctrl+C is for us
  })
  const waiting: Asked<T>[] = []
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
    for (let first = firstAnswer(buffer); first && waiting.length > 0; first = firstAnswer(buffer)) {
      buffer = buffer.subarray(first.length)
      const asked = waiting.shift()
      clearTimeout(asked?.limit)
      asked?.resolve(first.answer)
    }
    if (waiting.length === 0) output.unref() // an idle reader must not keep Ralph alive
  })
  input.on('error', fail)
  child.once('close', () => fail(new Error(`git ${args[0]} ended`)))

  return {
    isOpen: () => isOpen,
    end() {
      fail(new Error('closed'))
      child.kill()
    },
    ask(request) {
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      const limit = setTimeout(() => {
        const what = request.trim().slice(0, 200)
        const words = `git ${args[0]} did not answer for ${what} in ${LIMIT_MS / 1000} s. Check the repository in ${cwd}.`
        fail(new Failure(EXIT.data, words))
        child.kill('SIGKILL')
      }, LIMIT_MS)
      waiting.push({ resolve, reject, limit })
      output.ref()
      input.write(request)
      return promise
    },
  }
}
