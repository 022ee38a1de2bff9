/** A fleet run is on a leash of its worker: it asks the worker for calls, and ends when the worker is gone or has lost its lease. */
import { connect } from 'node:net'
import { jsonIn, recordOf } from '../../core/text/json.ts'
import { later } from '../../core/text/time.ts'
import type { Instant } from '../../core/types.ts'
import { lineSplitter } from '../files/lines.ts'
import type { Granted } from './rate-limit.ts'

export type Leash = {
  /** null: the leash is lost, and the run is ending. */
  ask(agent: string, now: () => Instant): Promise<Granted | null>
}
/** What the worker sends: how much longer the run may continue, or the answer to a question. */
export type FromWorker = { leftMs: number } | { id: number; granted: boolean; waitMs: number; by: 'rate' | 'usage-limit' }
export type FromRun = { id: number; agent: string }

/** Set by a worker: where it listens. Not passed on to agents. */
export const leashVariable = 'RALPH_FLEET_SOCKET'

/** One per process. null: not a fleet run. */
export function heldLeash(env: Record<string, string | undefined>): Leash | null {
  const path = env[leashVariable]
  if (path === undefined || path === '') return null
  held ??= holdLeash(path, endThisRun)
  return held
}

let held: Leash | null = null

/** Like Ctrl+C, and again soon after in case it hangs: what another worker does now must not be done twice. */
function endThisRun(): void {
  process.kill(process.pid, 'SIGTERM')
  setTimeout(() => process.kill(process.pid, 'SIGTERM'), hangsMs)
}

const hangsMs = 800
const checkMs = 250

export function holdLeash(path: string, onLost: () => void): Leash {
  const waiting = new Map<number, { resolve(answer: Granted | null): void; now(): Instant }>()
  let asked = 0
  let isLost = false
  // Until the worker says more, the run may continue for this long.
  let end = deadline(firstMs)
  const socket = connect(path)
  socket.unref()
  socket.on('error', () => lose())
  socket.on('close', () => lose())
  const lines = lineSplitter((line) => {
    const said = saidIn(line)
    if (said === null) return lose()
    if ('leftMs' in said) {
      end = deadline(said.leftMs)
      return
    }
    const question = waiting.get(said.id)
    waiting.delete(said.id)
    // By our own clock: those of the worker and the database may differ.
    question?.resolve(
      said.granted ? { granted: true } : { granted: false, until: later(question.now(), said.waitMs), by: said.by },
    )
  })
  socket.on('data', lines.push)
  const timer = setInterval(() => leftUntil(end) <= 0 && lose(), checkMs).unref()

  function lose(): void {
    if (isLost) return
    isLost = true
    clearInterval(timer)
    socket.destroy()
    for (const { resolve } of waiting.values()) resolve(null)
    onLost()
  }

  return {
    ask(agent, now) {
      if (isLost || leftUntil(end) <= 0) return Promise.resolve(null)
      asked += 1
      const { promise, resolve } = Promise.withResolvers<Granted | null>()
      waiting.set(asked, { resolve, now })
      socket.write(`${JSON.stringify({ id: asked, agent } satisfies FromRun)}\n`)
      return promise
    },
  }
}

/** null: nothing that a worker says. */
function saidIn(line: string): FromWorker | null {
  const { leftMs, id, granted, waitMs, by } = recordOf(jsonIn(line))
  if (typeof leftMs === 'number') return { leftMs }
  if (typeof id !== 'number' || typeof granted !== 'boolean' || typeof waitMs !== 'number') return null
  return { id, granted, waitMs, by: by === 'usage-limit' ? by : 'rate' }
}

const firstMs = 30_000

/** By both clocks: one stops while the machine sleeps, the other can be set. */
export type Deadline = { mono: number; wall: number }
export const deadline = (ms: number, from: Deadline = { mono: performance.now(), wall: Date.now() }): Deadline => ({
  mono: from.mono + ms,
  wall: from.wall + ms,
})
export const leftUntil = ({ mono, wall }: Deadline): number => Math.min(mono - performance.now(), wall - Date.now())
