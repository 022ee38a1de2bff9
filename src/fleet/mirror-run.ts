/** Runs beside a run: mirrors its log line by line, folds it for people, and pushes each settled iteration. */

import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { readTail } from '../adapters/files/tail.ts'
import { logsIn } from '../adapters/logs/files.ts'
import { eventOf } from '../adapters/project/event-log.ts'
import { eventLogPath, logsFolder, projectLogsFolder } from '../adapters/project/layout.ts'
import { evolve } from '../core/evolve/evolve.ts'
import { initialState } from '../core/evolve/initial.ts'
import { EXIT, Failure } from '../core/failure.ts'
import { openQuestions } from '../core/plan/questions.ts'
import type { State } from '../core/state.ts'
import { jsonIn } from '../core/text/json.ts'
import { msBetween } from '../core/text/time.ts'
import type { Event, Signal } from '../core/types.ts'
import { statusOf } from '../views/status/status.ts'
import type { NeedsPerson } from './features.ts'
import { followLines } from './follow.ts'
import type { TurnResult } from './leases.ts'
import { tryWhileLeased } from './try-again.ts'
import type { TurnParts } from './turn-parts.ts'
import type { Copy, Push } from './working-copy.ts'
import { type Checkpoint, keepLog, keepStatus, type LogLine, mayPush, mirror, noteUsageLimit, pushed } from './write-turn.ts'

export type Recorder = {
  state(): State
  onPaused(callback: () => void): void
  /** Its results cannot be stored any more: `finish` says why. */
  onBroken(callback: () => void): void
  /** After the run: everything mirrored and pushed. False: the lease was lost before. */
  finish(outcome: () => TurnResult): Promise<boolean>
  close(): void
}

export function keepRecord(parts: TurnParts, copy: Copy, before: string[]): Recorder {
  const { fleet, taken, watch } = parts
  const log = eventLogPath(copy.dir)
  let state = before.reduce((folded, line, index) => evolve(folded, eventOf(jsonIn(line), log, index + 1)), initialState)
  let seq = before.length
  let lastKind: Event['kind'] | null = null
  let seenAt = 0
  let agent = ''
  let isFruit = false
  let onPaused = (): void => {}
  let onBroken = (): void => {}
  const pushes = pusher(parts, copy, () => onBroken())
  const follower = followLines(log, seq, () => void take())
  /** One batch after the other, in the order of the log. */
  let working: Promise<boolean> = Promise.resolve(true)
  const take = (): Promise<boolean> => {
    const lines = follower.read()
    if (lines.length > 0) working = working.then((isHeld) => isHeld && record(lines)).catch(lostBy)
    return working
  }
  const lostBy = (error: Error): boolean => {
    watch.lose(error.message)
    return false
  }

  async function record(lines: LogLine[]): Promise<boolean> {
    if ((await tryWhileLeased(() => mirror(fleet, taken, lines), watch)) !== true)
      return lostBy(new Error('another worker has the feature now'))
    for (const { seq: number, line } of lines) {
      const event = eventOf(jsonIn(line), log, number)
      state = evolve(state, event)
      seq = number
      lastKind = event.kind
      await noted(event)
    }
    await show()
    return true
  }

  async function noted(event: Event): Promise<void> {
    if (event.kind === 'run.paused') return onPaused()
    if (event.kind === 'iteration.judged') isFruit ||= !['lost', 'interrupted'].includes(event.verdict)
    if (event.kind === 'iteration.settled' && event.repo.head !== null) {
      const to = { head: event.repo.head, seq, files: await copy.ownFiles(), isFruit }
      await copy.keepWork(event.repo.dirt !== '')
      pushes.want(to, event.iteration)
      return
    }
    if (event.kind === 'call.requested') agent = event.agent
    const limited = limitIn(event)
    if (limited === undefined) return
    const forMs = limited.until === undefined ? unknownLimitMs : msBetween(event.at, limited.until)
    await tryWhileLeased(() => noteUsageLimit(fleet, `${parts.account}/${agent}`, Math.max(0, forMs)), watch)
  }

  /** At most once a second, and at the end. */
  async function show(isLast = false): Promise<void> {
    if (!isLast && performance.now() - seenAt < showMs) return
    seenAt = performance.now()
    await tryWhileLeased(() => keepStatus(fleet, taken, statusOf(state, lastKind), asksOf(state)), watch)
  }

  return {
    state: () => state,
    onPaused: (callback) => {
      onPaused = callback
    },
    onBroken: (callback) => {
      onBroken = callback
    },
    async finish(outcome) {
      if (!(await take())) return false
      await show(true)
      pushes.want({ head: await copy.head(), seq, files: await copy.ownFiles(), isFruit, outcome: outcome() }, state.iteration)
      return pushes.done()
    },
    close: () => follower.close(),
  }
}

/** The provider said that this account's quota is used up. */
function limitIn(event: Event): ThrottledSignal | undefined {
  const signals =
    event.kind === 'iteration.ended' ? event.signals : 'throttled' in event && event.throttled ? [event.throttled] : []
  return signals.find((signal): signal is ThrottledSignal => signal.kind === 'throttled' && signal.by === 'usage-limit')
}

type ThrottledSignal = Extract<Signal, { kind: 'throttled' }>

/** An hour, like a local run without a known end. */
const unknownLimitMs = 3_600_000
const showMs = 1000

const asksOf = (state: State): NeedsPerson[] => [
  ...openQuestions(state).map(({ story, question }): NeedsPerson => ({ kind: 'question', story, text: question })),
  ...(state.blocked === undefined ? [] : [{ kind: 'blocked', story: null, text: state.blocked.reason } satisfies NeedsPerson]),
]

/** Whether this turn has finished an iteration by then. */
type ToPush = Checkpoint & { isFruit: boolean }

/** One push at a time; of several waiting, the newest includes the others. */
function pusher({ fleet, taken, watch, say }: TurnParts, copy: Copy, onBroken: () => void) {
  let next: ToPush | null = null
  let under: Promise<boolean> = Promise.resolve(true)
  let isBusy = false
  const iterations = new Set<number>()

  async function all(): Promise<boolean> {
    while (next !== null) {
      const to = next
      next = null
      if (!(await one(to))) return false
      await keepLogs()
    }
    return true
  }

  async function one(to: ToPush): Promise<boolean> {
    const giveUpAt = performance.now() + longestRefusalMs
    for (let isFirst = true; ; isFirst = false) {
      const leftMs = watch.leftMs()
      const mayBe = await tryWhileLeased(() => mayPush(fleet, taken, { ...to, branch: copy.branch }, leftMs / 2), watch)
      if (mayBe === null) return false
      const result: Push = mayBe ? await copy.push(to, Math.max(1, leftMs / 2000)) : { refused: 'the lease was about to end' }
      if (watch.lost.aborted) return false
      if (result === 'done') return (await tryWhileLeased(() => pushed(fleet, taken, to.isFruit), watch)) !== null
      if ('moved' in result) throw new BranchMoved(EXIT.data, movedWords(copy.branch, result.moved, taken.feature))
      if (next !== null) return true
      if (isFirst) say(`${taken.feature}: push failed, retrying: ${result.refused.split('\n').at(-1)}`)
      if (performance.now() > giveUpAt) throw new Failure(EXIT.data, `Push failed for half an hour: ${result.refused}`)
      await pause(refusedMs, undefined, { signal: watch.lost }).catch(() => {})
    }
  }

  async function keepLogs(): Promise<void> {
    for (const iteration of iterations) {
      iterations.delete(iteration)
      await tryWhileLeased(async () => keepLog(fleet, taken, iteration, logText(copy, iteration)), watch)
    }
  }

  return {
    want(to: ToPush, iteration: number): void {
      next = to
      iterations.add(iteration)
      if (isBusy) return
      isBusy = true
      under = all().finally(() => {
        isBusy = false
      })
      under.catch(onBroken) // reported where it is awaited
    },
    /** False: the lease was lost before everything was stored. */
    done: async (): Promise<boolean> => (await under) && next === null,
  }
}

const refusedMs = 1000
const longestRefusalMs = 30 * 60_000

/** Somebody else pushed: a person, or, after the database was restored from a backup, a worker that it has forgotten. */
export class BranchMoved extends Failure {}

const movedWords = (branch: string, to: string, feature: string): string =>
  `Somebody else pushed to ${branch} while a worker had ${feature} (it is at ${to} now). Merge both there, then submit ${feature} again.`

/** Its end: the worker has all of it as long as it has the copy. */
function logText(copy: Copy, iteration: number): string {
  for (const folder of [logsFolder(copy.dir), ...archivedLogs(copy)]) {
    const log = logsIn(folder).get(iteration)
    if (log !== undefined && log.member === undefined) return readTail(log.path, mostLines).replaceAll('\0', '')
  }
  return ''
}

const mostLines = 2000

function archivedLogs({ folder }: Copy): string[] {
  const logs = projectLogsFolder(folder)
  return existsSync(logs) ? readdirSync(logs).map((name) => join(logs, name)) : []
}
