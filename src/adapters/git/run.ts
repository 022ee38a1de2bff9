/** Starts git: no shell, nothing to type into, a time limit, and its own words when it refuses. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { EXIT, Failure } from '../../core/failure.ts'

export type Said = { code: number; out: Buffer /** git's own words on a refusal */; words: string }

export type How = {
  /** `read` takes no lock that another git could want; `hooks` may take long and speaks the user's language. */
  kind?: 'read' | 'write' | 'hooks'
  input?: string
  env?: Record<string, string>
}

export type RunGit = (args: string[], how?: How) => Promise<Said>

export function gitIn(cwd: string, env: NodeJS.ProcessEnv): RunGit {
  return (args, how = {}) => start(cwd, env, args, how)
}

/** What any git of ours runs with: it must never wait for someone to type. */
export const quietEnv = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({ ...env, GIT_TERMINAL_PROMPT: '0' })

/** For the case that git cannot be started at all. */
export function cannotStart(cwd: string, error: Error): Failure {
  if (!existsSync(cwd)) return new Failure(EXIT.data, `${cwd} is gone. Go to the project's folder and run again.`)
  return new Failure(EXIT.missing, `git could not be started: ${error.message}. Install git, or put it into PATH.`)
}

const LIMIT_MS = { read: 60_000, write: 60_000, hooks: 600_000 }
/** A daemon started by a hook may keep git's output open. */
const AFTER_EXIT_MS = 500

function start(cwd: string, env: NodeJS.ProcessEnv, args: string[], { kind = 'read', input, env: more }: How): Promise<Said> {
  const { promise, resolve, reject } = Promise.withResolvers<Said>()
  const child = spawn('git', args, {
    cwd,
    env: {
      ...quietEnv(env),
      ...(kind === 'read' && { GIT_OPTIONAL_LOCKS: '0' }),
      ...(kind !== 'hooks' && { LC_ALL: 'C' }),
      ...more,
    },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    detached: true, // no terminal for a passphrase prompt to wait at, and one group to end
  }) as ChildProcessByStdio<Writable | null, Readable, Readable>
  const out: Buffer[] = []
  const err: Buffer[] = []
  let isTooLong = false
  const limit = setTimeout(() => {
    isTooLong = true
    endGroup(child.pid)
  }, LIMIT_MS[kind])
  let exited: NodeJS.Timeout | undefined

  function finish(code: number | null): void {
    clearTimeout(limit)
    clearTimeout(exited)
    child.stdout.destroy()
    child.stderr.destroy()
    const output = Buffer.concat(out)
    const ended = isTooLong ? `git ${args[0]} took longer than ${LIMIT_MS[kind] / 1000} s and was ended` : ''
    const words = [Buffer.concat(err).toString().trim(), ended].filter(Boolean).join('\n')
    resolve({ code: code ?? -1, out: output, words: words || output.toString().trim() || `git ${args[0]} failed (exit ${code})` })
  }

  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
  child.stdin?.on('error', () => {}) // it ended without reading: its exit code tells
  child.stdin?.end(input)
  child.once('close', finish)
  child.once('exit', (code) => {
    exited = setTimeout(() => finish(code), AFTER_EXIT_MS)
  })
  child.once('error', (error) => {
    clearTimeout(limit)
    reject(cannotStart(cwd, error))
  })
  return promise
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return // it never started: 'error' has told, or will tell
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // gone meanwhile
  }
}
