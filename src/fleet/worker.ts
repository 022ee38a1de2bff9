/** A worker: takes features while it has free slots, renews its leases, and recovers what other workers lost. */
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { takeLock } from '../adapters/project/lock.ts'
import { EXIT, Failure } from '../core/failure.ts'
import { sweep } from './clean-up.ts'
import { type Fleet, isTrouble } from './database.ts'
import { type LeaseWatch, rightNow, watchLease } from './lease-deadline.ts'
import { freeExpiredLeases, renewLeases, type TakenLease, takeFeatures } from './leases.ts'
import { oneRow } from './sql.ts'
import { startTurn, type Turn } from './turn.ts'
import { removeCopies } from './working-copy.ts'

export type WorkerOptions = {
  fleet: Fleet
  /** Where clones and working copies are. */
  place: string
  slots: number
  labels: string[]
  account: string
  env: NodeJS.ProcessEnv
  /** Patterns of the repositories that it takes. */
  allow: string[]
  /** How often an idle worker looks for work. */
  pollMs: number
  /** Exits when there is nothing left to do. */
  isUntilEmpty: boolean
  say(text: string): void
}
export type Worker = {
  id: string
  /** After their iterations the features go back to the queue, and the worker exits. */
  drain(): void
  /** The same, without waiting for the iterations. */
  stopNow(): void
  ended: Promise<void>
}

type HeldTurn = { turn: Turn; watch: LeaseWatch }

export function startWorker(options: WorkerOptions): Worker {
  const { fleet, place, slots, labels, say } = options
  const id = `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`
  const lock = lockedPlace(place)
  removeCopies(place, options.env)
  const held = new Set<HeldTurn>()
  const wake = bell()
  let isDraining = false
  let isAway = false
  /** A permanent error of the database: the worker returns what it has, and exits with it. */
  const faults: unknown[] = []
  const trouble = (error: unknown): void => {
    if (!isTrouble(error)) {
      faults.push(error)
      return stopNow()
    }
    if (!isAway) say(`lost the database: ${(error as Error).message}`)
    isAway = true
  }
  const back = (): void => {
    if (isAway) say('the database is back')
    isAway = false
  }

  /** As many as there are free slots, in one statement. */
  async function fill(): Promise<boolean> {
    const asked = rightNow()
    const { leaseMs, taken: all } = await takeFeatures(fleet, { worker: id, labels, allow: options.allow }, slots - held.size)
    for (const taken of all) begin(taken, watchLease(asked, leaseMs))
    return all.length > 0
  }

  function begin(taken: TakenLease, watch: LeaseWatch): void {
    const turn = startTurn({ ...options, taken, watch })
    const one = { turn, watch }
    held.add(one)
    say(`${taken.feature}: turn ${taken.turn} begins`)
    watch.lost.addEventListener('abort', () => say(`${taken.feature}: turn ${taken.turn} is lost: ${watch.lost.reason}`))
    turn.ended
      .then((how) =>
        say(
          how === 'lost'
            ? `${taken.feature}: turn ${taken.turn} ended without an error message`
            : `${taken.feature}: ${how.state}${how.reason === '' ? '' : `: ${how.reason}`}`,
        ),
      )
      .finally(() => {
        held.delete(one)
        wake.ring()
      })
    if (isDraining) turn.want('hand over')
  }

  async function takeWork(): Promise<void> {
    let waitMs = options.pollMs
    while (!isDraining) {
      let found = false
      try {
        found = held.size < slots && (await fill())
        back()
      } catch (error) {
        trouble(error)
      }
      if (options.isUntilEmpty && !found && held.size === 0 && !isAway && (await isEmpty().catch(trouble))) return
      // Polls less often while there is nothing, with jitter, or a hundred idle workers would ask at the same moment.
      if (!found) await wake.orAfter(waitMs * (0.75 + Math.random() / 2))
      waitMs = found || held.size === slots ? options.pollMs : Math.min(waitMs * 1.5, options.pollMs * 5)
    }
  }

  const isEmpty = async (): Promise<boolean> => {
    const { left } = await oneRow<{ left: number }>(
      fleet,
      `select count(*)::int as left from ralph.features where state in ('queued', 'running')`,
    )
    return left === 0
  }

  /** Renews every lease in one statement, reports that we are alive, and receives what is wanted. */
  async function keepLeases(): Promise<number> {
    const asked = rightNow()
    const mine = [...held]
    const wanted = await renewLeases(
      fleet,
      mine.map(({ turn }) => turn.taken),
    )
    const { lease_ms: leaseMs, wanted: wish } = await oneRow<{ lease_ms: number; wanted: string }>(
      fleet,
      `with me as (
         insert into ralph.workers (id, host, pid, slots, labels, account) values ($1, $2, $3, $4, $5, $6)
         on conflict (id) do update set seen_at = clock_timestamp() returning wanted
       ) select lease_ms, me.wanted from ralph.settings, me`,
      [id, hostname(), process.pid, slots, labels, options.account],
    )
    for (const { turn, watch } of mine) {
      const now = wanted.get(turn.taken.key)
      if (now === undefined) {
        if (!turn.isSettling()) watch.lose('another worker has the feature now')
        continue
      }
      watch.extend(asked, leaseMs)
      turn.want(isDraining && now === 'run' ? 'hand over' : now)
      turn.takeRequests()
    }
    if (wish === 'drain') drain()
    return leaseMs
  }

  async function live(): Promise<void> {
    let leaseMs = 3000
    let reapedAt = 0
    let sweptAt = performance.now()
    while (!isOver) {
      try {
        leaseMs = await keepLeases()
        back()
        if (performance.now() - reapedAt > leaseMs / 4) {
          reapedAt = performance.now()
          await freeExpiredLeases(fleet)
        }
        if (performance.now() - sweptAt > sweepMs) {
          sweptAt = performance.now()
          await sweep(fleet)
        }
      } catch (error) {
        trouble(error)
      }
      await pause(isAway ? Math.min(1000, leaseMs / 10) : Math.min(leaseMs / 5, longestBeatMs), undefined, {
        signal: over.signal,
      }).catch(() => {})
    }
  }

  function drain(): void {
    if (isDraining) return
    isDraining = true
    say(`taking no more features; ${held.size} still running`)
    for (const { turn } of held) turn.want('hand over')
    wake.ring()
  }

  function stopNow(): void {
    drain()
    for (const { turn } of held) turn.abandon()
  }

  let isOver = false
  const over = new AbortController()
  const living = live()
  const ended = (async () => {
    await takeWork()
    while (held.size > 0) await Promise.allSettled([...held].map(({ turn }) => turn.ended))
    isOver = true
    over.abort()
    await living
    await fleet.query('delete from ralph.workers where id = $1', [id]).catch(() => {})
    lock.release()
    if (faults.length > 0) throw faults[0]
  })()
  return {
    id,
    drain,
    stopNow,
    ended,
  }
}

const longestBeatMs = 10_000
const sweepMs = 3_600_000

/** Two workers in one folder would remove each other's copies. */
function lockedPlace(place: string): ReturnType<typeof takeLock> {
  try {
    return takeLock(join(place, 'worker.lock'), { feature: '', run: '', purpose: 'command' })
  } catch (error) {
    if (!(error instanceof Failure) || error.exit !== EXIT.busy) throw error
    throw new Failure(EXIT.busy, `Another worker uses ${place}. Give this one its own folder: --folder <path>`)
  }
}

/** Something to wait for, with a time limit. */
function bell(): { ring(): void; orAfter(ms: number): Promise<void> } {
  let ring = (): void => {}
  return {
    ring: () => ring(),
    orAfter: (ms) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, ms)
        ring = () => {
          clearTimeout(timer)
          resolve()
        }
      }),
  }
}
