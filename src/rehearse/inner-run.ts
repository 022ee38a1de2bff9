/** One whole run of the ordinary program in the copy, watched through its event log. */
import { spawn } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { endAtExit } from '../adapters/process/at-exit.ts'
import { ofRun } from '../adapters/process/process-mark.ts'
import { endTree } from '../adapters/process/survivors.ts'
import { foldLog, type ReadTo, readLog } from '../adapters/project/event-log.ts'
import { eventLogPath } from '../adapters/project/layout.ts'
import { shippedPath } from '../adapters/project/templates.ts'
import { evolve } from '../core/evolve/evolve.ts'
import { initialState } from '../core/evolve/initial.ts'
import { tried } from '../core/failure.ts'
import type { State } from '../core/state.ts'
import type { Event } from '../core/types.ts'
import { rehearsal, type Stage } from './stage.ts'

/** Steps of the scripted agent: docs/scripted-agent.md. */
export type Steps = Record<string, unknown>[]

/** `env`: settings that this run needs, as variables. `through`: a program that starts it, with its arguments. */
export type Acted = { iterations: Steps[]; limit: number; env: Record<string, string>; through: string[] }

/** `code` null: it was ended. `words`: the end of what it wrote to standard error. `isLate`: it had to be ended. */
export type EndedRun = { code: number | null; words: string; events: Event[]; state: State; isLate: boolean }

/** `stop` ends the run properly, `kill` at once. */
export type Stops = { stop: AbortSignal; kill: AbortSignal }

/** `onEvent` returns true to end the run; so does the limit. */
export type Watched = Stops & { limitMs(): number; onEvent?(event: Event): boolean }

export async function innerRun(stage: Stage, acted: Acted, watched: Watched): Promise<EndedRun> {
  writeFileSync(stage.script, JSON.stringify({ iterations: acted.iterations }))
  const flags = ['--feature', rehearsal, '--no-archive', '--quiet', '--max-iterations', String(acted.limit)]
  const [command = '', ...args] = [...acted.through, process.execPath, shippedPath('bin/ralph.js'), 'run', ...flags]
  const child = spawn(command, args, {
    cwd: stage.root,
    env: { ...stage.env, ...acted.env },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true, // Ctrl+C is for the rehearsal, which ends it
  })
  const { pid } = child
  const isOver = pid === undefined ? () => {} : endAtExit(pid)
  let words = ''
  child.stderr?.on('data', (chunk) => {
    words = `${words}${chunk}`.slice(-4000)
  })
  const exit = new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      words = error.message
      resolve(null)
    })
    child.once('close', (code) => resolve(code))
  })
  const unwatch = watching(watched, eventLogPath(stage.dir), (signal) => {
    if (pid !== undefined) tried(() => process.kill(signal === 'SIGKILL' ? -pid : pid, signal), false)
  })
  const code = await exit
  const isLate = unwatch()
  const { events } = tried(() => readLog(eventLogPath(stage.dir)), { events: [] })
  const state = events.reduce(evolve, initialState)
  // It ends its agents itself; after a kill nobody else does.
  if (pid !== undefined) await endTree(pid, ofRun(state.run), { graceMs: 300, keep: [] })
  isOver()
  return { code, words, events, state, isLate }
}

const lookMs = 100

/** Ends the run when it is time. Returns a function to stop watching, which says whether the run took too long. */
function watching(
  { stop, kill, limitMs, onEvent }: Watched,
  path: string,
  end: (signal: 'SIGTERM' | 'SIGKILL') => void,
): () => boolean {
  const isEnough = onEvent === undefined ? () => false : reader(path, onEvent)
  const startedAt = performance.now()
  let [isEnding, isLate] = [false, false]
  const endOnce = (): void => {
    if (!isEnding) end('SIGTERM')
    isEnding = true
  }
  const killNow = (): void => end('SIGKILL')
  stop.addEventListener('abort', endOnce)
  kill.addEventListener('abort', killNow)
  if (stop.aborted) endOnce()
  const timer = setInterval(() => {
    if (isEnough()) endOnce()
    if (isEnding || performance.now() - startedAt < limitMs()) return
    isLate = true
    endOnce()
  }, lookMs)
  return () => {
    clearInterval(timer)
    stop.removeEventListener('abort', endOnce)
    kill.removeEventListener('abort', killNow)
    isEnough()
    return isLate
  }
}

/** Reads a log while it is written: each event once. */
function reader(path: string, onEvent: (event: Event) => boolean): () => boolean {
  let readTo: ReadTo = { bytes: 0, lines: 0 }
  let isEnough = false
  const step = (_: null, event: Event): null => {
    isEnough = onEvent(event) || isEnough
    return null
  }
  return () => {
    if (existsSync(path)) readTo = foldLog(path, null, step, readTo).readTo
    return isEnough
  }
}
