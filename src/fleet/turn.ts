/** One turn: a worker's time with one feature, from the working copy to the outcome, limited by its lease. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { replaceFile } from '../adapters/files/files.ts'
import { masker } from '../adapters/mask/mask.ts'
import { childEnv, heldOutVariable } from '../adapters/process/child-env.ts'
import { ofRun } from '../adapters/process/process-mark.ts'
import { endTree } from '../adapters/process/survivors.ts'
import { ralphHome } from '../adapters/project/find.ts'
import { eventLogPath } from '../adapters/project/layout.ts'
import { leashVariable } from '../adapters/project/leash.ts'
import { forgetCopy } from '../adapters/project/log/second-copy.ts'
import { placeRequest } from '../adapters/project/signed-inbox.ts'
import { shippedPath } from '../adapters/project/templates.ts'
import { signalExit } from '../core/exit-codes.ts'
import { EXIT, Failure } from '../core/failure.ts'
import type { State } from '../core/state.ts'
import { isTrouble } from './database.ts'
import type { Feature } from './features.ts'
import { settleTurn, type TakenLease, type TurnResult } from './leases.ts'
import { serveLeash } from './leash-server.ts'
import { BranchMoved, keepRecord } from './mirror-run.ts'
import { tryWhileLeased } from './try-again.ts'
import type { TurnParts } from './turn-parts.ts'
import { type Copy, GitTrouble, makeCopy, removeCopy } from './working-copy.ts'
import { logUpTo, requestsFor } from './write-turn.ts'

export type Turn = {
  taken: TakenLease
  /** What is wanted of it now: stop, or pause after its iteration. */
  want(wanted: Wanted): void
  /** New requests of people; called at each renewal. */
  takeRequests(): void
  /** It is reporting its end: from now on its lease need not be renewed. */
  isSettling(): boolean
  /** Returns the feature at once, in the middle of its iteration. */
  abandon(): void
  /** How it ended; `lost`: the lease was lost, and nothing was pushed or settled since. */
  ended: Promise<TurnResult | 'lost'>
}

type Wanted = Feature['wanted'] | 'hand over'

const remoteAwayMs = 30 * 60_000

export function startTurn(parts: TurnParts): Turn {
  const { fleet, taken, watch } = parts
  let wanted = 'run' as Wanted
  let run: Running | null = null
  let lastRequest = 0
  let isSettling = false
  const deliver = async (): Promise<void> => {
    if (run === null) return
    for (const { id, request } of await requestsFor(fleet, taken.key, lastRequest)) {
      lastRequest = id
      run.drop(requestName(id), request)
    }
  }
  let acts = 0
  let acted = 'run' as Wanted
  const act = (): void => {
    if (run === null || wanted === acted) return
    acted = wanted
    acts += 1
    const name = `fleet-turn-${taken.token}-${acts}.json` // a run takes each name once
    if (wanted === 'cancel') run.drop(name, { kind: 'stop.requested', by: 'user', now: true })
    else run.drop(name, { kind: wanted === 'run' ? 'resume.requested' : 'pause.requested', id: '' })
  }
  const through = async (): Promise<TurnResult | 'lost'> => {
    const copy = await tryWhileLeased(() => makeCopy(parts.place, taken, parts.env), watch, {
      isWorthIt: (error) => error instanceof GitTrouble,
      forMs: remoteAwayMs,
    })
    if (copy === null) return 'lost'
    if (copy.outcome !== null) return copy.outcome
    const lines = await tryWhileLeased(() => logUpTo(fleet, taken, copy.seq), watch)
    if (lines === null) return 'lost'
    if (lines.length > 0) {
      forgetCopy({ root: copy.folder, home: ralphHome(parts.env), dir: copy.dir }) // from another turn on this machine: the fleet's version counts
      replaceFile(eventLogPath(copy.dir), `${lines.join('\n')}\n`)
    }
    const known = new Set(lines.flatMap((line) => /"id":"(fleet-[^"]+)"/.exec(line)?.[1] ?? []))
    const leash = await serveLeash(fleet, taken, parts.account, watch)
    const keeper = keepRecord(parts, copy, lines)
    try {
      const asked = (await tryWhileLeased(() => requestsFor(fleet, taken.key, 0), watch)) ?? []
      lastRequest = asked.at(-1)?.id ?? 0
      for (const { id, request } of asked)
        if (!known.has(requestName(id))) placeRequest(copy.dir, ralphHome(parts.env), requestName(id), request)
      run = startRun(parts, copy, leash.path)
      act()
      keeper.onPaused(() => wanted !== 'run' && wanted !== 'cancel' && run?.end('rests'))
      keeper.onBroken(() => run?.end('exited'))
      watch.lost.addEventListener('abort', () => run?.end('lost'))
      if (watch.lost.aborted) run.end('lost')
      const { exitCode, words, why } = await run.ended(() => keeper.state())
      if (why === 'lost' || watch.lost.aborted) return 'lost'
      const said = masker(parts.env).text(words)
      const how = (): TurnResult => outcome({ exitCode, words: said, why }, wanted, keeper.state(), taken.feature)
      return (await keeper.finish(how)) ? how() : 'lost'
    } catch (error) {
      const done = error instanceof BranchMoved ? await copy.completedThere() : null
      if (done === null) throw error
      return done
    } finally {
      run = null
      keeper.close()
      leash.close()
    }
  }
  const ended = through()
    .catch(
      (error: Error): TurnResult => ({
        state: isTrouble(error) ? 'queued' : 'failed',
        exitCode: error instanceof Failure ? error.exit : EXIT.fault,
        reason: error.message,
      }),
    )
    .then(async (settled) => {
      isSettling = true
      const isSettled =
        settled === 'lost' ? null : await tryWhileLeased(() => settleTurn(fleet, taken, settled), watch).catch(() => null)
      watch.close()
      removeCopy(parts.place, taken, parts.env)
      return isSettled === true ? settled : 'lost'
    })
  return {
    taken,
    want(now) {
      if (now === wanted || wanted === 'cancel') return
      wanted = now
      act()
    },
    takeRequests: () => void deliver().catch(() => {}), // the next renewal comes soon
    isSettling: () => isSettling,
    abandon() {
      wanted = 'hand over'
      if (run === null) watch.lose('the worker stops')
      else run.end('rests')
    },
    ended,
  }
}

/** Sorts in order of arrival, and distinguishes a request from one in the log. */
const requestName = (id: number): string => `fleet-${String(id).padStart(12, '0')}.json`

type Why = 'exited' | 'rests' | 'lost'
type RunEnd = { exitCode: number | null; words: string; why: Why }
type Running = {
  drop(name: string, request: object): void
  end(why: Why): void
  ended(state: () => State): Promise<RunEnd>
}

/** The ordinary program, in the copy, in its own process group. */
function startRun({ env, taken }: TurnParts, copy: Copy, socket: string): Running {
  const args = [shippedPath('bin/ralph.js'), 'run', '--feature', taken.feature, '--quiet', '--resume']
  const child: ChildProcess = spawn(process.execPath, args, {
    cwd: copy.folder,
    env: { ...withoutDatabase(env), [leashVariable]: socket },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  })
  let words = ''
  let why: Why = 'exited'
  child.stderr?.on('data', (chunk) => {
    words = (words + chunk).slice(-4000)
  })
  const exit = new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      words = error.message
      resolve(null)
    })
    child.once('exit', (code) => resolve(code))
  })
  return {
    drop: (name, request) => existsSync(copy.dir) && placeRequest(copy.dir, ralphHome(env), name, request),
    end(because) {
      why = because
      // At once: what it would still write belongs to nobody, or to the next worker.
      if (child.pid !== undefined) signalGroup(child.pid)
    },
    async ended(state) {
      const exitCode = await exit
      const { run } = state()
      if (child.pid !== undefined) await endTree(child.pid, ofRun(run), { graceMs: 0, keep: [] })
      return { exitCode, words, why }
    },
  }
}

function signalGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // gone meanwhile
  }
}

/** Only the worker may access the database. The run itself hides from its agents what they must not know. */
const withoutDatabase = (env: NodeJS.ProcessEnv): Record<string, string> => {
  const { [heldOutVariable]: heldOut } = env
  const passed = Object.entries({ ...childEnv(env), ...(heldOut === undefined ? {} : { [heldOutVariable]: heldOut }) })
  return Object.fromEntries(passed.filter(([name]) => !/^(PG[A-Z]|RALPH_FLEET_)/.test(name)))
}

function outcome({ exitCode, words, why }: RunEnd, wanted: string, state: State, feature: string): TurnResult {
  const because = state.outcome?.because ?? words.trim().split('\n').at(-1) ?? ''
  const is = (settled: TurnResult['state'], reason = because): TurnResult => ({ state: settled, exitCode, reason })
  if (why === 'rests')
    return wanted === 'pause' ? is('paused', 'paused') : { ...is('queued', 'handed over by its worker'), isHandedOver: true }
  if (exitCode === 0) return is('completed')
  if (exitCode === 2 || exitCode === 3) return is('waiting')
  if (exitCode === signalExit.SIGINT && wanted === 'cancel') return is('cancelled', 'cancelled')
  // A stop that nobody here asked for, a busy copy, a bug: not the feature's fault.
  if (exitCode === null || [EXIT.busy, EXIT.fault, ...Object.values(signalExit)].includes(exitCode as never))
    return is('queued', `the run of ${feature} ended with ${exitCode ?? 'a signal'}: ${words.trim().split('\n').at(-1) ?? ''}`)
  return is('failed')
}
