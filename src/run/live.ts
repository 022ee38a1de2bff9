/** A live run: the loop and its hands, signals, the inbox, the views, and its end. */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { collectGarbageSoon } from '../adapters/process/garbage.ts'
import { ofRun } from '../adapters/process/process-mark.ts'
import { endSurvivors } from '../adapters/process/survivors.ts'
import { openWitness } from '../adapters/process/witness.ts'
import type { Log } from '../adapters/project/event-log.ts'
import { ensureIgnored } from '../adapters/project/gitignore.ts'
import { logsFolder } from '../adapters/project/layout.ts'
import { personKey } from '../adapters/project/person-key.ts'
import { finishRequest, refusedNotice, takeRequests, watchInbox } from '../adapters/project/signed-inbox.ts'
import { evolve } from '../core/evolve/evolve.ts'
import { exitCode } from '../core/exit-codes.ts'
import { EXIT, Failure } from '../core/failure.ts'
import type { Estimate } from '../core/figures/estimate.ts'
import type { State } from '../core/state.ts'
import type { Policy, Report, Reporter } from '../core/types.ts'
import type { Io } from '../io.ts'
import { type Loop, startLoop } from '../loop.ts'
import type { Account } from '../views/status/account.ts'
import { forgetStale } from './failure/checkpoint.ts'
import { endOf, finish } from './finish/finish.ts'
import { clearJudges } from './iteration/guard-judge.ts'
import { noteBranch } from './iteration/own-branch.ts'
import { keepOwn, type OwnFiles } from './iteration/restore-ralph-files.ts'
import { saveWhole } from './iteration/review.ts'
import { forgetUsers } from './iteration/users-files.ts'
import { type Noticed, noticed } from './noticed.ts'
import type { OpenMonitor } from './outputs/monitor-pane.ts'
import { openOutputs } from './outputs/outputs.ts'
import { setUp } from './parallel/worktree.ts'
import type { Setup } from './parts.ts'
import { keepDecideFile } from './people/decide-file.ts'
import { otherBranch } from './people/find-branch.ts'
import { runLastHooks } from './people/hooks.ts'
import { writeRequest } from './people/write-requests.ts'
import { type Performer, performer } from './perform.ts'
import { gatePrograms } from './preflight/gate-programs.ts'
import { isUnfinished } from './preflight/left-by-kill.ts'
import { type AfterKill, resumeRun } from './preflight/resume-run.ts'
import { runStarted } from './preflight/start-run.ts'
import { keptTexts } from './preflight/users-settings.ts'
import { onStopSignals } from './stop-signals.ts'
import { type Identified, openWorld, type World } from './world.ts'

export type Live = {
  setup: Setup
  begun: Identified
  log: Log
  /** From the log so far. */
  state: State
  account: Account
  policy: Policy
  io: Io
  isJson: boolean
  isArchiving: boolean
  /** What is to be known about the time since the last run. */
  since: Noticed[]
  estimate: Estimate | null
  /** Opens the monitor, if requested. */
  beside?: () => OpenMonitor
} & AfterKill

/** Runs until the end, and returns the exit code. */
export async function runToTheEnd(live: Live): Promise<number> {
  const { setup, begun, log, state, account, io, isJson } = live
  const { run, git } = begun
  personKey(setup.home) // as it is before the first agent: one that an agent puts in its place signs nothing for this run
  const fault = Promise.withResolvers<never>()
  fault.promise.catch(() => {}) // it may come while we begin or resume, before anyone waits for it: it is looked at then
  let work: Performer
  let beside: OpenMonitor | undefined
  const decide = keepDecideFile(setup, (fact) => loop.report(fact))
  const doors = { loop: () => loop, fault: fault.reject }
  const outputs = await openOutputs({ setup, run, log, state, account, io, isJson }, decide, doors)
  const own = await keepOwnFiles(live, decide)
  const branch = (isUnfinished(state) ? state.home?.branch : undefined) ?? (await git?.currentBranch()) ?? null
  const loop: Loop = startLoop(state, {
    run,
    now: setup.now,
    append: outputs.append,
    perform: (decision, now) => work.perform(decision, now),
    show: (events, now) => {
      outputs.show(events, now)
      const isAlone = now.flights.length === 1 // otherwise another one's work may be waiting to be looked at
      if (isAlone && events.some(({ kind }) => kind === 'iteration.started')) collectGarbageSoon()
    },
  })
  loop.ended.catch(() => {}) // as with a fault
  const world = openWorld(setup, { ...begun, branch, own, state: loop.state })
  work = performer(world, loop.report, fault.reject)
  const signals = onStopSignals(
    (by) => loop.report({ kind: 'stop.requested', by, now: true }),
    () => endSurvivors(ofRun(run), { graceMs: 0, keep: [] }),
  )
  const takeInbox = (): void => takeFromInbox(world, loop, fault.reject)
  const unwatch = watchInbox(setup.dir, takeInbox)
  const witness = openWitnessOf(world)
  const alive = setInterval(() => {}, 60_000) // during a pause nothing else keeps the process alive
  try {
    await prepare(world, () => keepOwnFiles(live, decide, Date.now() + 1))
    await startOrResume(live, { world, loop, work })
    if (log.torn > 0)
      loop.report(noticed('log-torn', `the last line of the log was incomplete (${log.torn} bytes) and was removed`))
    if (outputs.noTelemetry !== null) loop.report(noticed('telemetry-failed', outputs.noTelemetry))
    for (const fact of live.since) loop.report(fact)
    takeInbox()
    beside = live.beside?.()
    const ended = await Promise.race([loop.ended, fault.promise])
    witness.close() // not after a bug: what the user does then must be distinguishable from what was there before
    work.stopAll() // a wait that nobody needs any more
    await work.idle()
    await outputs.close() // before the log moves to the archive
    unwatch() // it would recreate the inbox while the folder moves to the archive
    const told: Reporter = (fact) => {
      if (fact.kind === 'noticed') setup.screen.say('warn', `! ${fact.detail}`)
    }
    const atEnd = (): Promise<void> => runLastHooks(world, loop.state(), outputs.recordAfterEnd, told)
    const lines = await finish(world, ended, { archive: live.isArchiving, status: outputs.status(), atEnd }, told)
    await beside?.close()
    setup.screen.close()
    const print = isJson ? io.err : io.out
    print(`\n${lines.join('\n')}\n`)
    return exitCode(endOf(ended).outcome, ended.stop)
  } catch (error) {
    loop.halt()
    work.stopAll()
    // Without its repository, nothing may be created where that was.
    const isThere = git === null || existsSync(git.dir)
    if (error instanceof Failure && isThere && loop.state().run === run) outputs.recordHalt(error)
    await Promise.all([work.idle(), outputs.close(0), beside?.close()])
    throw error
  } finally {
    clearInterval(alive)
    outputs.closeViews()
    unwatch()
    signals()
  }
}

/** Ralph's own files as they are now; `since`: what was put there until then is the user's too. */
function keepOwnFiles(
  { setup, begun: { git, plan }, state, policy }: Live,
  decide: ReturnType<typeof keepDecideFile>,
  since?: number,
): Promise<OwnFiles> {
  const known = isUnfinished(state) ? state : undefined
  return keepOwn({ ...setup, git, plan }, decide, {
    unwatched: known?.unwatched,
    links: known && (known.links ?? []),
    programs: {
      ...gatePrograms(setup, policy, plan.current()?.plan ?? null, known?.programs),
      ...(since === undefined ? {} : { since }),
    },
  })
}

/** Watches over the plan and the settings that must survive a kill. */
function openWitnessOf(world: World): ReturnType<typeof openWitness> {
  const kept = [
    ...world.configFiles.map(({ path, text }) => ({ path, bytes: text === null ? null : Buffer.from(text) })),
    ...keptTexts(world),
  ]
  return openWitness(
    world,
    [join(world.dir, world.plan.current()?.file ?? 'prd.json'), ...kept.map(({ path }) => path)],
    kept.map(({ bytes }) => bytes),
  )
}

/** Folders, copies and worktrees, before the first fact. */
async function prepare(world: World, keepAgain: () => Promise<OwnFiles>): Promise<void> {
  mkdirSync(logsFolder(world.dir), { recursive: true, mode: 0o700 }) // masked, but still private
  world.plan.remember()
  await clearJudges(world) // a killed run may have left some
  ensureIgnored(world.root) // an agent that adds everything would commit our logs
  // What is installed by then is the user's, and hooks that its installer set are too: neither was changed since.
  // The clock has whole milliseconds and files have parts of them: what was put there in this one is not newer.
  if (await isPreparedNow(world)) world.own = await keepAgain()
}

async function startOrResume(
  { setup, state, policy, estimate, ...more }: Live,
  { world, loop, work }: { world: World; loop: Loop; work: Performer },
): Promise<void> {
  const aliases = await noteBranch(world, state, isUnfinished(state))
  if (isUnfinished(state)) return resumeRun({ world, policy, ...more }, loop, work)
  if (policy.review.final.length > 0) await saveWhole(world, state)
  const begins = await runStarted(world, policy, state, { aliases, estimate })
  await forgetUsers(world)
  await forgetStale(world, evolve(state, { at: setup.now(), run: world.run, ...begins }))
  loop.report(begins)
}

function takeFromInbox(world: World, loop: Loop, fault: (error: unknown) => void): void {
  const { requests, refused } = takeRequests(world.dir, world.home)
  if (refused.length > 0) loop.report(refusedNotice(refused))
  for (const { id, report } of requests) {
    takeRequest(world, { ...report, id } as Report, loop.report, fault)
    if (loop.state().taken.includes(id)) finishRequest(world.dir, id)
  }
}

/** A copy that a fleet worker has just created, or the worktree of a feature. false: nothing was put there. */
async function isPreparedNow(world: World): Promise<boolean> {
  if (world.main !== undefined) return (await import('./preflight/workspace.ts')).prepareWorkspace(world)
  if (world.leash === null) return false
  const problem = await setUp(world, 'whole', new AbortController().signal)
  if (problem !== null) throw new Failure(EXIT.data, problem)
  return true
}

/** A request that changes the plan changes the file too: only the run writes it, and never that of another branch. */
function takeRequest(world: World, report: Report, tell: Reporter, fault: (error: unknown) => void): void {
  if (report.kind !== 'story.retried' && report.kind !== 'story.skipped') return tell(report)
  if (otherBranch(world, world.state()) !== null) return tell({ ...report, unwritten: true })
  writeRequest(world.plan, report.story, report.kind === 'story.retried' ? 'retried' : 'skipped').catch(fault)
  tell(report)
}
