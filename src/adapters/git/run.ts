/** Starts git: no shell, nobody to ask, a time limit, and its own words when it refuses. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { EXIT, Failure } from '../../core/failure.ts'
import { noNeeds } from '../../ports.ts'
import { errorCode } from '../files/files.ts'
import { endAtExit } from '../process/at-exit.ts'
import { ofNobody } from '../process/marks.ts'
import { adviceAt, againMs, isShortage } from '../process/shortage.ts'
import { endTree } from '../process/survivors.ts'
import type { Sandbox } from '../sandbox/wrapped.ts'
import { upkeepInFront, withoutUpkeep, withSettings } from './settings.ts'
import { type Waiting, waitingFor } from './waiting.ts'

export type Said = { code: number; out: Buffer /** git's own words on a refusal */; words: string }

type Kind = 'read' | 'write' | 'hooks' | 'upkeep'

export type How = {
  /**
   * `read` takes no lock that another git could want; `hooks` may take long and speaks the user's language; `upkeep` is a git that
   * packs, which has a hook too, and is the only one that may.
   */
  kind?: Kind
  input?: string
  env?: Record<string, string>
}

export type RunGit = (args: string[], how?: How) => Promise<Said>

/** What fails for want of room, memory or processes is asked once more, a moment later; not what runs the user's own hooks. */
export function gitIn(cwd: string, env: NodeJS.ProcessEnv): RunGit {
  return async (args, how = {}) => {
    const first = await start(cwd, env, args, how).catch((error: Error) => error)
    if (!isInNeed(first, how)) return orStarted(cwd, first)
    await pause(againMs)
    return orStarted(cwd, await start(cwd, env, args, how).catch((error: Error) => error))
  }
}

/** From now on every git is a part of this run: should Ralph be killed, the next run finds it by this and ends it. */
export function tagGit(run: string): void {
  tag = { RALPH_RUN: `${run}:git` }
}

/** From now on hooks run inside it, or not at all: the project's files may name them, and an agent writes those. */
export function shutInHooks(within: typeof sandboxAt): void {
  sandboxAt = within
}

/**
 * What any git of ours runs with: it must never wait for someone to type. What asks is answered with a no.
 * A program that a repository's configuration names as its monitor would run at every look at it.
 */
export const quietEnv = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...withSettings(env, { 'core.fsmonitor': 'false' }),
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'false',
  // Holds for ssh whatever the user's own command for it is, which a GIT_SSH_COMMAND of ours would replace.
  SSH_ASKPASS: 'false',
  SSH_ASKPASS_REQUIRE: 'force',
  GCM_INTERACTIVE: 'never',
  GIT_EDITOR: ':',
  GIT_SEQUENCE_EDITOR: ':',
  GPG_TTY: undefined,
  // They change what our own paths and comparisons mean.
  GIT_LITERAL_PATHSPECS: undefined,
  GIT_GLOB_PATHSPECS: undefined,
  GIT_NOGLOB_PATHSPECS: undefined,
  GIT_ICASE_PATHSPECS: undefined,
  // What an object was replaced by is only this repository's view of it: whoever is given the branch gets the object itself.
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_EXTERNAL_DIFF: undefined,
  GIT_DIFF_OPTS: undefined,
})

/** For the case that git cannot be started at all. */
export function cannotStart(cwd: string, error: Error): Failure {
  if (!existsSync(cwd)) return new Failure(EXIT.data, `${cwd} is gone. Go to the project's folder and run again.`)
  const advice = adviceAt(errorCode(error)) ?? 'Install git, or put it into PATH'
  return new Failure(EXIT.missing, `git could not be started: ${error.message}. ${advice}, then run again.`)
}

const NEEDS_IN_WORDS =
  /No space left on device|Resource temporarily unavailable|Too many open files|Cannot allocate memory|Input\/output error|^git \S+ was killed$/m

/** Whether the world, and neither a hook nor the repository, kept git from it: the same works once there is room, or the lock is gone. */
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

/** RALPH_GIT_SECONDS sets another: a huge repository may need longer. */
const LIMIT_SECONDS = 60
/** A hook may run a whole test suite. */
const HOOKS_FACTOR = 10
/** A daemon started by a hook may keep git's output open. */
const AFTER_EXIT_MS = 500
/** git takes its lock files away when it is told to end, and not when it is killed. */
const GRACE_MS = 1000

let tag: { RALPH_RUN?: string } = {}
/** By the folder of the work tree; null: hooks are not shut in. */
let sandboxAt: ((top: string) => Sandbox | null) | null = null

function start(cwd: string, env: NodeJS.ProcessEnv, args: string[], { kind = 'read', input, env: more }: How): Promise<Said> {
  const { promise, resolve, reject } = Promise.withResolvers<Said>()
  const gitEnv = {
    ...withSettings(quietEnv(env), {
      ...(kind === 'upkeep' ? upkeepInFront : withoutUpkeep),
      // Hooks run with commits of work and where branches are switched, and nowhere else.
      ...(!mayRunHooks(kind) && { 'core.hooksPath': '/dev/null' }),
    }),
    ...(kind === 'read' && { GIT_OPTIONAL_LOCKS: '0' }),
    ...(!mayRunHooks(kind) && { LC_ALL: 'C' }),
    ...more,
    ...tag,
  }
  const own = mayRunHooks(kind) ? shutIn(cwd, args, gitEnv) : { command: 'git', args, env: gitEnv }
  const child = spawn(own.command, own.args, {
    cwd,
    env: own.env,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    detached: true, // no terminal for a passphrase prompt to wait at, and one group to end
  })
  child.once('error', (error) => {
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

  // Without a descriptor to be had for them there are no streams; 'error' tells.
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => err.push(chunk))
  child.stdin?.on('error', () => {}) // it ended without reading: its exit code tells
  child.stdin?.end(input)
  child.once('close', finish)
  child.once('exit', (code) => {
    exited = setTimeout(() => finish(code), AFTER_EXIT_MS)
  })
  return promise
}

function shutIn(
  cwd: string,
  args: string[],
  env: NodeJS.ProcessEnv,
): { command: string; args: string[]; env: NodeJS.ProcessEnv } {
  const inner = { command: 'git', args, cwd, env: env as Record<string, string>, needs: noNeeds, files: [], isReadOnly: false }
  return sandboxAt?.(cwd)?.wrap(inner) ?? inner
}

/** The first word that is no option of git itself. */
export const verbOf = (args: string[]): string =>
  args.find((arg, index) => !arg.startsWith('-') && args[index - 1] !== '-c') ?? ''

function limitSeconds(env: NodeJS.ProcessEnv): number {
  const seconds = Number(env['RALPH_GIT_SECONDS'])
  return seconds > 0 ? seconds : LIMIT_SECONDS
}

/** A hook is given its time; a program that asks and was seen asking half the usual time ago is not: nobody will answer. */
function watch(
  pid: number | undefined,
  seconds: number,
  kind: How['kind'],
  tooLong: (seconds: number, waiting: Waiting | null) => void,
): () => void {
  if (pid === undefined) return () => {} // it never started: 'error' has told, or will tell
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
  const longer = `Try it by hand in ${cwd}; RALPH_GIT_SECONDS gives git longer.`
  if (waiting === null) return `${command} did not end in ${seconds} s and was ended. ${longer}`
  const waited = `${command} waited for "${waiting.command}" for ${seconds} s and was ended`
  switch (waiting.asks) {
    case null:
      return `${waited}. ${longer}`
    case 'signature':
      return (
        `${waited}: signing may ask for a passphrase or a touch, and nobody is here to answer. ` +
        'Unlock the key before the run, or turn signing off in this repository: git config commit.gpgsign false'
      )
    case 'login':
      return (
        `${waited}: it may ask for a password or a passphrase, and nobody is here to answer. ` +
        'Give it to ssh-agent or to a credential helper before the run.'
      )
  }
}
