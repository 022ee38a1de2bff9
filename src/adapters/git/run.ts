/** Starts git: no shell, no prompts, a time limit, and git's own words when it fails. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { EXIT, Failure } from '../../core/failure.ts'
import { noNeeds } from '../../ports.ts'
import { errorCode } from '../files/files.ts'
import { endAtExit } from '../process/at-exit.ts'
import { noteOthers } from '../process/other-programs.ts'
import { ofNobody } from '../process/process-mark.ts'
import { findProgram } from '../process/program.ts'
import { adviceAt, againMs, isShortage } from '../process/shortage.ts'
import { endTree } from '../process/survivors.ts'
import type { Sandbox } from '../sandbox/wrapped.ts'
import { type Waiting, waitingFor } from './hanging-git.ts'
import { upkeepInFront, withoutUpkeep, withSettings } from './settings.ts'

export type Said = { code: number; out: Buffer /** git's own words on failure */; words: string }

type Kind = 'read' | 'write' | 'hooks' | 'upkeep'

export type How = {
  /**
   * `read` takes no lock that another git could want; `hooks` may take long and uses the user's language; `upkeep` packs, may run a hook, and
   * is the only kind that may pack.
   */
  kind?: Kind
  input?: string | Buffer
  env?: Record<string, string>
}

export type RunGit = (args: string[], how?: How) => Promise<Said>

/** Failures from a lack of space, memory or processes are retried once after a moment, except where the user's hooks run. */
export function gitIn(cwd: string, env: NodeJS.ProcessEnv): RunGit {
  return async (args, how = {}) => {
    const first = await start(cwd, env, args, how).catch((error: Error) => error)
    if (!isInNeed(first, how)) return orStarted(cwd, first)
    await pause(againMs)
    return orStarted(cwd, await start(cwd, env, args, how).catch((error: Error) => error))
  }
}

/** Marks every git as part of this run: if Ralph is killed, the next run finds and ends it. */
export function tagGit(run: string): void {
  tag = { RALPH_RUN: `${run}:git` }
}

/** From now on hooks run in the sandbox, or not at all: the project's files may name them, and an agent writes those. */
export function shutInHooks(within: typeof sandboxAt): void {
  sandboxAt = within
}

/**
 * Common options: git must never wait for input. Every prompt is answered with no. A file system monitor from the repository's configuration
 * would run with every command; a commit graph could say something else than the commits themselves, and an index over several packs something
 * else than those of the packs.
 */
export const quietEnv = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...withSettings(env, { 'core.fsmonitor': 'false', 'core.commitGraph': 'false', 'core.multiPackIndex': 'false' }),
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'false',
  // Works with any ssh command of the user, which setting GIT_SSH_COMMAND would replace.
  SSH_ASKPASS: 'false',
  SSH_ASKPASS_REQUIRE: 'force',
  GCM_INTERACTIVE: 'never',
  GIT_EDITOR: ':',
  GIT_SEQUENCE_EDITOR: ':',
  GPG_TTY: undefined,
  // They would change what Ralph's paths and comparisons mean.
  GIT_LITERAL_PATHSPECS: undefined,
  GIT_GLOB_PATHSPECS: undefined,
  GIT_NOGLOB_PATHSPECS: undefined,
  GIT_ICASE_PATHSPECS: undefined,
  // Replaced objects exist only in this repository: whoever gets the branch gets the original object.
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_EXTERNAL_DIFF: undefined,
  GIT_DIFF_OPTS: undefined,
})

const programs = new Map<string, string>()

/** As PATH found it first: whoever puts another git before it later does not get to run it in Ralph's place. */
export function gitProgram(env: NodeJS.ProcessEnv): string {
  const path = env['PATH'] ?? ''
  const known = programs.get(path)
  if (known !== undefined) return known
  const found = findProgram('git', '/', env)
  if (found !== null) programs.set(path, found)
  return found ?? 'git'
}

/** If git cannot be started at all. */
export function cannotStart(cwd: string, error: Error): Failure {
  if (!existsSync(cwd)) return new Failure(EXIT.data, `${cwd} no longer exists. Change to the project folder and run again.`)
  const advice = adviceAt(errorCode(error)) ?? 'Install git, or add it to PATH'
  return new Failure(EXIT.missing, `git could not be started: ${error.message}. ${advice}, then run again.`)
}

const NEEDS_IN_WORDS =
  /No space left on device|Resource temporarily unavailable|Too many open files|Cannot allocate memory|Input\/output error|^git \S+ was killed$/m

/** Whether a temporary problem stopped git, not a hook or the repository: it works once there is space, or the lock is gone. */
export const isOfTheWorld = (words: string): boolean =>
  NEEDS_IN_WORDS.test(words) || /\.lock': File exists|git could not be started/.test(words)

function isInNeed(said: Said | Error, { kind }: How): boolean {
  if (said instanceof Error) return isShortage(errorCode(said))
  return said.code !== 0 && !mayRunHooks(kind) && NEEDS_IN_WORDS.test(said.words)
}

const mayRunHooks = (kind: How['kind']): boolean => kind === 'hooks' || kind === 'upkeep'

function orStarted(cwd: string, said: Said | Error): Said {
  if (said instanceof Error) throw cannotStart(cwd, said)
  return said
}

/** RALPH_GIT_SECONDS changes it: a huge repository may need longer. */
const LIMIT_SECONDS = 60
/** A hook may run a whole test suite. */
const HOOKS_FACTOR = 10
/** A daemon started by a hook may keep git's output open. */
const AFTER_EXIT_MS = 500
/** git removes its lock files when it is terminated, but not when it is killed. */
const GRACE_MS = 1000

let tag: { RALPH_RUN?: string } = {}
/** By work tree; null: hooks run without a sandbox. */
let sandboxAt: ((top: string) => Sandbox | null) | null = null

function start(cwd: string, env: NodeJS.ProcessEnv, args: string[], { kind = 'read', input, env: more }: How): Promise<Said> {
  const { promise, resolve, reject } = Promise.withResolvers<Said>()
  const gitEnv = { ...envOf(env, kind), ...more, ...tag }
  let isOthers = mayRunHooks(kind)
  if (isOthers) noteOthers(1)
  const othersEnded = (): void => {
    if (isOthers) noteOthers(-1)
    isOthers = false
  }
  const own = mayRunHooks(kind) ? shutIn(cwd, args, gitEnv) : { command: gitProgram(env), args, env: gitEnv }
  const child = spawn(own.command, own.args, {
    cwd,
    env: own.env,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    detached: true, // no terminal for a passphrase prompt, and one process group to end
  })
  child.once('error', (error) => {
    othersEnded()
    unwatch()
    reject(error)
  })
  const out: Buffer[] = []
  const err: Buffer[] = []
  let ended = ''
  let exited: NodeJS.Timeout | undefined
  const { pid } = child
  const isOver = pid === undefined ? () => {} : endAtExit(pid)
  const unwatch = watch(pid, limitSeconds(env), kind, (seconds, waiting) => {
    ended = endedWords(cwd, args, seconds, waiting)
    if (pid !== undefined) endTree(pid, ofNobody, { graceMs: GRACE_MS, keep: [] }).finally(() => finish(null))
  })

  function finish(code: number | null): void {
    othersEnded()
    unwatch()
    clearTimeout(exited)
    isOver()
    child.stdout?.destroy()
    child.stderr?.destroy()
    const output = Buffer.concat(out)
    const killed = code === null && ended === '' ? `git ${verbOf(args)} was killed` : ''
    const words = [Buffer.concat(err).toString().trim(), ended, killed].filter(Boolean).join('\n')
    const fallback = output.toString().trim() || `git ${verbOf(args)} failed (exit ${code})`
    resolve({ code: code ?? -1, out: output, words: words || fallback })
  }

  // Without file descriptors there are no streams; 'error' reports it.
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => err.push(chunk))
  child.stdin?.on('error', () => {}) // it ended without reading: its exit code says why
  child.stdin?.end(input)
  child.once('close', finish)
  child.once('exit', (code) => {
    exited = setTimeout(() => finish(code), AFTER_EXIT_MS)
  })
  return promise
}

export const envOf = (env: NodeJS.ProcessEnv, kind: Kind): NodeJS.ProcessEnv => ({
  ...withSettings(quietEnv(env), {
    ...(kind === 'upkeep' ? upkeepInFront : withoutUpkeep),
    // Hooks run only with commits of work and when branches are switched.
    ...(!mayRunHooks(kind) && { 'core.hooksPath': '/dev/null' }),
  }),
  ...(kind === 'read' && { GIT_OPTIONAL_LOCKS: '0' }),
  ...(!mayRunHooks(kind) && { LC_ALL: 'C' }),
})

function shutIn(
  cwd: string,
  args: string[],
  env: NodeJS.ProcessEnv,
): { command: string; args: string[]; env: NodeJS.ProcessEnv } {
  const inner = { command: 'git', args, cwd, env: env as Record<string, string>, needs: noNeeds, files: [], isReadOnly: false }
  return sandboxAt?.(cwd)?.wrap(inner) ?? { ...inner, command: gitProgram(env) }
}

/** The first word that is not an option of git itself. */
export const verbOf = (args: string[]): string =>
  args.find((arg, index) => !arg.startsWith('-') && args[index - 1] !== '-c') ?? ''

function limitSeconds(env: NodeJS.ProcessEnv): number {
  const seconds = Number(env['RALPH_GIT_SECONDS'])
  return seconds > 0 ? seconds : LIMIT_SECONDS
}

/** A hook gets its full time. A program seen prompting half the usual time ago does not: nobody will answer. */
function watch(
  pid: number | undefined,
  seconds: number,
  kind: How['kind'],
  tooLong: (seconds: number, waiting: Waiting | null) => void,
): () => void {
  if (pid === undefined) return () => {} // it never started: 'error' reports it
  const whole = mayRunHooks(kind) ? seconds * HOOKS_FACTOR : seconds
  let asking: Waiting | null = null
  const looks = setInterval(() => {
    const waiting = waitingFor(pid)
    if (waiting === null || waiting.asks === null) asking = null
    else if (asking?.pid === waiting.pid) end(seconds / 2, waiting)
    else asking = waiting
  }, seconds * 500)
  const limit = setTimeout(() => end(whole, waitingFor(pid)), whole * 1000)
  function stop(): void {
    clearInterval(looks)
    clearTimeout(limit)
  }
  function end(after: number, waiting: Waiting | null): void {
    stop()
    tooLong(after, waiting)
  }
  return stop
}

function endedWords(cwd: string, args: string[], seconds: number, waiting: Waiting | null): string {
  const command = `git ${args.find((word, index) => word !== '-c' && args[index - 1] !== '-c')}`
  const longer = `Try it by hand in ${cwd}, or set RALPH_GIT_SECONDS to a longer time.`
  if (waiting === null) return `${command} timed out after ${seconds} s. ${longer}`
  const waited = `${command} waited for "${waiting.command}" for ${seconds} s and was stopped`
  switch (waiting.asks) {
    case null:
      return `${waited}. ${longer}`
    case 'signature':
      return (
        `${waited}: signing may ask for a passphrase or a touch, and nobody is there to answer. ` +
        'Unlock the key before the run, or turn signing off in this repository: git config commit.gpgsign false'
      )
    case 'login':
      return (
        `${waited}: it may ask for a password or a passphrase, and nobody is there to answer. ` +
        'Add it to ssh-agent or a credential helper before the run.'
      )
  }
}
