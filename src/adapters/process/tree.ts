/** Runs one program with everything it starts, and returns only when all of that has ended. */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { longestTimerMs } from '../../core/text/time.ts'
import { endAtExit } from './at-exit.ts'
import { interrupt } from './interrupt.ts'
import { inputPipe, outputPipe } from './named-pipe.ts'
import { noteOthers } from './other-programs.ts'
import { countNow } from './pids.ts'
import { ofCall, withMark } from './process-mark.ts'
import { adviceAt, againMs, isShortage } from './shortage.ts'
import { endTree } from './survivors.ts'

/** How a tree is known, and what ends it. */
export type TreeLimits = {
  /** RALPH_RUN of every process in the tree. */
  tag: string
  /** Infinity: no limit. */
  timeoutMs: number
  graceMs: number
  keep: string[]
  stop: AbortSignal
}
export type TreeOptions = TreeLimits & {
  command: string
  args: string[]
  cwd: string
  /** The child's whole environment, except its tag. */
  env: Record<string, string>
  /** Written completely, then closed: some agents wait forever on an open stdin. */
  stdin: string
  /** Through a named pipe, not a socket. */
  isStdinPipe?: boolean | undefined
  onOutput(chunk: Buffer, stream: 'out' | 'err'): void
  /** Aborts when the agent has reported its end: it may take a moment to exit, and counts as exited. */
  finished?: AbortSignal
  lingerMs?: number
  /** At 80 % of the time limit. */
  onSoft?: () => void
  /** Both outputs through one pipe, in the order they were written, as 'out'. */
  isMerged?: boolean
  /** If it must be ended, it gets SIGINT alone and a moment to report what it used: see `interrupt.ts`. Called just before. */
  onInterrupt?: (() => void) | undefined
}

export type TreeEnd = {
  how: 'exited' | 'timeout' | 'stopped' | 'missing'
  code: number | null
  signal: string | null
  durationMs: number
  /** Other processes of the tree that had to be ended. */
  killed: number
  /** Why it could not be started. */
  error?: string
}

/** Never throws because of the program; an error in `onOutput` ends the tree and is rethrown. */
export async function runTree(options: TreeOptions): Promise<TreeEnd> {
  const startedAt = performance.now()
  const ended = (how: TreeEnd['how'], more: Partial<TreeEnd> = {}): TreeEnd => {
    return { how, code: null, signal: null, durationMs: Math.round(performance.now() - startedAt), killed: 0, ...more }
  }
  if (options.stop.aborted) return ended('stopped')

  const before = countNow()
  const start = await startedOrAgain(options)
  if ('error' in start) return ended('missing', start)
  const { stdin, outputs, root, exit, flow } = start
  noteOthers(1)
  const isOver = endAtExit(root)
  changeRoots(() => roots.add(root))
  stdin?.on('error', () => {}) // it ended, or closed its input, without reading the whole prompt
  stdin?.end(options.stdin)

  const ending = { graceMs: options.graceMs, keep: options.keep }
  const whose = ofCall(options.tag)
  const first = await firstReason(options, exit, flow.failed)
  if (options.onInterrupt && (first === 'timeout' || first === 'stopped')) {
    options.onInterrupt()
    await interrupt(root, { exit, finished: options.finished })
  }
  let killed = first === 'exited' ? 0 : await endTree(root, whose, ending, before)
  const { code, signal } = await within(exit, exitWaitMs, { code: null, signal: null })
  const end = ended(first === 'lingered' || first === 'failed' ? 'exited' : first, { code, signal })
  await flow.drained()
  killed += await endTree(root, whose, ending, before)
  await flow.drained()
  isOver()
  noteOthers(-1)
  changeRoots(() => roots.delete(root))
  for (const { stream } of outputs) stream.destroy()
  flow.rethrow()
  return { ...end, killed }
}

/** Calls back with the leaders of all running trees whenever one starts or ends. Returns a function to stop. */
export function onRoots(listener: (roots: number[]) => void): () => void {
  heardBy = listener
  return () => {
    heardBy = () => {}
  }
}

const roots = new Set<number>()
let heardBy: (roots: number[]) => void = () => {}
function changeRoots(change: () => void): void {
  change()
  heardBy([...roots])
}

type Started = { child: ChildProcess; stdin: Writable | null; outputs: Output[] }
type Living = Started & {
  root: number
  exit: Promise<ProcessExit>
  flow: ReturnType<typeof flowOf>
}

/** A story must not fail because no process was available for a moment. */
async function startedOrAgain(options: TreeOptions, isAgain = false): Promise<Living | { error: string }> {
  const start = started(options)
  if ('error' in start) return start
  const { child, stdin, outputs } = start
  const exit = exitOf(child)
  const flow = flowOf(outputs, options.onOutput)
  const root = await spawned(child)
  if (typeof root === 'number') return { child, stdin, outputs, root, exit, flow }
  for (const { stream } of outputs) stream.destroy()
  stdin?.destroy()
  if (isAgain || !isShortage(root)) return { error: whyMissing(options, root) }
  await pause(againMs)
  return startedOrAgain(options, true)
}

type Output = { stream: Readable; name: 'out' | 'err' }
type ProcessExit = { code: number | null; signal: string | null }

/** How long an agent may take to exit after its last message. */
const defaultLingerMs = 5000
const softShare = 0.8
/** After the exit, read what is already in the pipes: until they end, fall silent, or this time is over. */
const drainMs = 250
const drainGapMs = 15
/** A process stuck in the kernel may ignore even SIGKILL: continue without its exit code. */
const exitWaitMs = 2000

function started({ command, args, cwd, env, tag, isMerged, isStdinPipe }: TreeOptions): Started | { error: string } {
  const pipe = isMerged ? outputPipe() : undefined
  const input = isStdinPipe ? inputPipe() : undefined
  try {
    const marked = withMark({ command, args }, tag, cwd, env)
    const child = spawn(marked.command, marked.args, {
      cwd,
      env: { ...env, RALPH_RUN: tag },
      detached: true, // its own session and group
      stdio: [input?.read ?? 'pipe', pipe?.write ?? 'pipe', pipe?.write ?? 'pipe'],
    })
    const stdin = input?.write ?? child.stdin
    if (pipe) return { child, stdin, outputs: [{ stream: pipe.read(), name: 'out' }] }
    // Without file descriptors there are no streams; 'error' reports it.
    if (!child.stdout || !child.stderr) return { child, stdin, outputs: [] }
    return {
      child,
      stdin,
      outputs: [
        { stream: child.stdout, name: 'out' },
        { stream: child.stderr, name: isMerged ? 'out' : 'err' },
      ],
    }
  } catch (error) {
    pipe?.read().destroy()
    input?.write.destroy()
    return { error: (error as Error).message } // for example, an argument list that is too long
  } finally {
    if (pipe) closeSync(pipe.write)
    if (input) closeSync(input.read)
  }
}

/** Its pid, or the error code that kept it from starting. */
function spawned(child: ChildProcess): Promise<number | string> {
  return new Promise((resolve) => {
    child.once('spawn', () => resolve(child.pid ?? 'ESRCH'))
    child.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
  })
}

function whyMissing({ command, cwd }: TreeOptions, code: string): string {
  if (!existsSync(cwd)) return `the folder ${cwd} is missing`
  if (code === 'ENOENT') return `${command}: no such program`
  if (code === 'EACCES') return `${command}: not allowed to run it`
  const advice = adviceAt(code)
  if (advice !== undefined) return `${command}: ${code}. ${advice}.`
  return `${command}: ${code}`
}

function exitOf(child: ChildProcess): Promise<ProcessExit> {
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })))
}

/** Passes on what the streams bring, and knows when they are done. */
function flowOf(outputs: Output[], onOutput: TreeOptions['onOutput']) {
  let open = outputs.length
  let chunks = 0
  let fault: { error: unknown } | undefined
  const failed = new AbortController()
  const closed = new AbortController()
  for (const { stream, name } of outputs) {
    stream.on('error', () => {})
    stream.once('close', () => --open === 0 && closed.abort())
    stream.on('data', (chunk: Buffer) => {
      chunks += 1
      if (fault) return
      try {
        onOutput(chunk, name)
      } catch (error) {
        fault = { error }
        failed.abort()
      }
    })
  }

  async function drained(): Promise<void> {
    const until = performance.now() + drainMs
    for (let before = -1; open > 0 && before !== chunks && performance.now() < until; ) {
      before = chunks
      await quiet(closed.signal)
    }
  }
  const rethrow = () => {
    if (fault) throw fault.error
  }
  return { drained, rethrow, failed: failed.signal }
}

/** Waits for a short silence, or less if all are closed. A busy process runs timers before input, hence one more turn. */
function quiet(closed: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      closed.removeEventListener('abort', done)
      setImmediate(resolve)
    }
    const timer = setTimeout(done, drainGapMs)
    closed.addEventListener('abort', done)
    if (closed.aborted) done()
  })
}

type Reason = 'exited' | 'timeout' | 'stopped' | 'lingered' | 'failed'

function firstReason(options: TreeOptions, exit: Promise<ProcessExit>, failed: AbortSignal): Promise<Reason> {
  const { timeoutMs, stop, finished, onSoft } = options
  const timers: NodeJS.Timeout[] = []
  const left = new AbortController()
  const after = (ms: number, then: () => void) => timers.push(setTimeout(then, Math.min(ms, longestTimerMs)))
  const on = (signal: AbortSignal | undefined, then: () => void) => {
    if (signal?.aborted) then()
    else signal?.addEventListener('abort', then, { once: true, signal: left.signal })
  }
  return new Promise<Reason>((resolve) => {
    exit.then(() => resolve('exited'))
    if (timeoutMs <= longestTimerMs) {
      if (onSoft) after(timeoutMs * softShare, onSoft)
      after(timeoutMs, () => resolve('timeout'))
    }
    on(stop, () => resolve('stopped'))
    on(failed, () => resolve('failed'))
    on(finished, () => {
      for (const timer of timers) clearTimeout(timer) // after its reported end it cannot time out any more
      after(options.lingerMs ?? defaultLingerMs, () => resolve('lingered'))
    })
  }).finally(() => {
    left.abort()
    for (const timer of timers) clearTimeout(timer)
  })
}

function within<T>(promise: Promise<T>, ms: number, otherwise: T): Promise<T> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(otherwise), ms)
    promise.then((value) => {
      clearTimeout(timer)
      resolve(value)
    })
  })
}
