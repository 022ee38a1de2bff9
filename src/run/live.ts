/** A run while it lives: the loop and its doors, signals, the inbox, the views, and its end. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { hashFiles } from '../adapters/files/tree-hash.ts'
import { keepGit } from '../adapters/git/rescue/hooks-and-config.ts'
import { ofRun } from '../adapters/process/marks.ts'
import { endSurvivors } from '../adapters/process/survivors.ts'
import { openWitness } from '../adapters/process/witness.ts'
import type { Log } from '../adapters/project/event-log.ts'
import { ensureIgnored } from '../adapters/project/gitignore.ts'
import { finishRequest, refusedNotice, takeRequests, watchInbox } from '../adapters/project/inbox.ts'
import { logsFolder } from '../adapters/project/layout.ts'
import { personKey } from '../adapters/project/person-key.ts'
import { claimsAmong, isCheckable } from '../core/decide/hand-marked.ts'
import { exitCode } from '../core/decide/outcome.ts'
import { evolve } from '../core/evolve/evolve.ts'
import { hasEnded } from '../core/evolve/flights.ts'
import { leftAmong, maxListed } from '../core/evolve/users-files.ts'
import { EXIT, Failure } from '../core/failure.ts'
import { isAnybodyAtWork } from '../core/plan/questions.ts'
import { storyNamed } from '../core/plan/stories.ts'
import { ignoredAtStart, maxIgnored } from '../core/proof/hidden-files.ts'
import type { State } from '../core/state.ts'
import type { Policy, Report, Reporter, StoryId } from '../core/types.ts'
import type { Io } from '../io.ts'
import { type Loop, startLoop } from '../loop.ts'
import type { Account } from '../views/status/account.ts'
import { forgetStale } from './failure/checkpoint.ts'
import { saveLate } from './failure/put-aside.ts'
import { finish } from './finish/finish.ts'
import { finishedBeside } from './history/other-features.ts'
import { clearJudges } from './iteration/guard-judge.ts'
import { mustBeHome, noteBranch } from './iteration/own-branch.ts'
import { ownLinks } from './iteration/restore-files.ts'
import { saveWhole } from './iteration/review.ts'
import { forgetUsers } from './iteration/users-files.ts'
import { unlearnedIn } from './learning/lessons-since.ts'
import { keepViews, rebuildCsv } from './outputs/keep-views.ts'
import { masked } from './outputs/masked.ts'
import type { OpenMonitor } from './outputs/monitor-pane.ts'
import { openNotices } from './outputs/notices.ts'
import { setUp, worldOf } from './parallel/worktree.ts'
import { keepDecideFile } from './people/decide-file.ts'
import { type Performer, performer } from './perform.ts'
import { settingsOfRun } from './preflight/after-kill.ts'
import type { Opened } from './preflight/begin.ts'
import { changedSinceKill, isUnfinished, leftFlips, lostIteration } from './preflight/resume.ts'
import { onStopSignals } from './signals.ts'
import type { World } from './world.ts'

export type Live = {
  world: World
  inputs: Opened
  log: Log
  /** As the log has it so far. */
  state: State
  account: Account
  policy: Policy
  io: Io
  isJson: boolean
  isArchiving: boolean
  /** Work of an iteration that was killed which is not on the branch. */
  astray: string | null
  /** Of a run that died while somebody was at work: stories that were marked done since then, and what was uncommitted then. */
  isMarkedSince(id: StoryId): boolean
  dirtyAtDeath: string[] | null
  /** Opens the monitor, where it was asked for. */
  beside?: () => OpenMonitor
}

/** Runs until the end, and gives the exit code. */
export async function live({
  world,
  inputs,
  log,
  state,
  account,
  policy,
  io,
  isJson,
  isArchiving,
  astray,
  isMarkedSince,
  dirtyAtDeath,
  ...more
}: Live): Promise<number> {
  const { dir } = world
  personKey(world.home) // as it is before the first agent: one that an agent puts in its place signs nothing for this run
  const fault = Promise.withResolvers<never>()
  fault.promise.catch(() => {}) // it may come while we begin or resume, before anyone waits for it: it is looked at then
  let restored = 0
  let work: Performer
  let beside: OpenMonitor | undefined
  const views = keepViews(world, { state, account }, await finishedBeside(world), (error) => fault.reject(error))
  const decide = keepDecideFile(world, (fact) => loop.report(fact))
  const { git } = world
  const begun = (isUnfinished(state) ? state.unwatched : undefined) ?? (await git?.unwatched())
  const hooks = git && (await git.keepHooks())
  const notices = openNotices(world, io.isTerminal && !isJson ? io.out : null, (detail) => {
    const fact: Report = { kind: 'noticed', what: 'notice-failed', detail, tell: false }
    if (loop.state().run === world.run && loop.state().outcome !== undefined) recordAfterEnd(fact)
    else loop.report(fact)
  })
  const loop: Loop = startLoop(state, {
    run: world.run,
    now: world.now,
    append: (events) => log.append(events.map((event) => masked(event, world.mask))),
    perform: (decision, now) => work.perform(decision, now),
    show: (events, now) => {
      if (isJson) for (const event of events) io.out(`${JSON.stringify(masked(event, world.mask))}\n`)
      world.screen.events(events, now)
      views.take(events)
      notices.take(events, now)
      decide.show(now)
      if (log.restored() > restored) {
        restored = log.restored()
        loop.report({
          kind: 'noticed',
          what: 'log-restored',
          detail: 'the event log was deleted or changed from outside, and was restored',
          tell: true,
        })
      }
    },
  })
  /** At the time of the end: it changes nothing about that. */
  const recordAfterEnd: Reporter = (fact) => {
    const event = masked({ at: loop.state().at, run: world.run, ...fact }, world.mask)
    log.append([event])
    if (isJson) io.out(`${JSON.stringify(event)}\n`)
    world.screen.events([event], loop.state())
  }
  loop.ended.catch(() => {}) // the same
  world.common.state = loop.state
  work = performer(world, loop.report, (error) => fault.reject(error))
  const signals = onStopSignals(
    (by) => loop.report({ kind: 'stop.requested', by, now: true }),
    () => endSurvivors(ofRun(world.run), { graceMs: 0, keep: [] }),
  )
  const takeInbox = (): void => {
    const { requests, refused } = takeRequests(dir, world.home)
    if (refused.length > 0) loop.report(refusedNotice(refused))
    for (const { id, report } of requests) {
      takeRequest(world, { ...report, id } as Report, loop, (error) => fault.reject(error))
      if (loop.state().taken.includes(id)) finishRequest(dir, id)
    }
  }
  const unwatch = watchInbox(dir, takeInbox)
  const planFile = join(dir, world.plan.current()?.file ?? 'prd.json')
  const kept = world.configFiles.map(({ text }) => text)
  const witness = openWitness(world, [planFile, ...world.configFiles.map(({ path }) => path)], kept)
  const alive = setInterval(() => {}, 60_000) // a pause has nothing else that keeps the process
  try {
    mkdirSync(logsFolder(dir), { recursive: true, mode: 0o700 }) // masked, but nobody else's business
    const kept = { git: git && keepGit(git.dir, world.env), hooks, unwatched: new Set(begun) }
    world.common.own = { ...kept, decide, links: ownLinks(world) }
    world.plan.remember()
    await clearJudges(world) // a run that was killed may have left some
    ensureIgnored(world.root) // an agent that adds everything would commit our logs
    if (world.leash !== null) await prepareCopy(world)
    world.common.branch = (isUnfinished(state) ? state.home?.branch : undefined) ?? (await world.git?.currentBranch()) ?? null
    const aliases = await noteBranch(world, state, isUnfinished(state))
    if (isUnfinished(state)) await resume({ world, inputs, policy, astray, isMarkedSince, dirtyAtDeath }, loop, work)
    else {
      if (policy.review.final.length > 0) await saveWhole(world, state)
      const begins = await started({ world, inputs, policy }, state, aliases)
      await forgetUsers(world)
      await forgetStale(world, evolve(state, { at: world.now(), run: world.run, ...begins }))
      loop.report(begins)
    }
    if (log.torn > 0)
      loop.report({
        kind: 'noticed',
        what: 'log-torn',
        detail: `the last line of the log was torn (${log.torn} bytes) and was cut`,
        tell: false,
      })
    takeInbox()
    beside = more.beside?.()
    const ended = await Promise.race([loop.ended, fault.promise])
    witness.close() // not after a fault: what the user does then is told from what was there before
    work.stopAll() // a wait that nobody needs any more
    await work.idle()
    await notices.close() // before the log moves to the archive
    unwatch() // it would make the inbox again while the folder moves to the archive
    const lines = await finish(world, ended, { archive: isArchiving, status: views.status() }, (fact) => {
      if (fact.kind === 'noticed') world.screen.say('warn', `! ${fact.detail}`)
    })
    await beside?.close()
    world.screen.close()
    const print = isJson ? io.err : io.out
    print(`\n${lines.join('\n')}\n`)
    return exitCode(ended.outcome!.outcome, ended.stop)
  } catch (error) {
    loop.halt()
    work.stopAll()
    await Promise.all([work.idle(), notices.close(0), beside?.close()])
    throw error
  } finally {
    clearInterval(alive)
    views.close()
    unwatch()
    signals()
  }
}

/** A worker of a fleet has just made this copy. */
async function prepareCopy(world: World): Promise<void> {
  const problem = await setUp(world, 0, new AbortController().signal)
  if (problem !== null) throw new Failure(EXIT.data, problem)
}

async function started(
  { world, inputs, policy }: Pick<Live, 'world' | 'inputs' | 'policy'>,
  before: State,
  aliases: string[],
): Promise<Report> {
  const plan = inputs.plan?.plan ?? null
  const learned = policy.learn === undefined ? {} : { unlearned: unlearnedIn(world.root) }
  const links = [...(world.common.own?.links.users ?? []), ...aliases]
  const also = { settings: settingsOfRun(world), ...learned, ...(links.length === 0 ? {} : { links }) }
  const common = { kind: 'run.started', log: 1, feature: world.feature, plan, policy, pid: process.pid, ...also } as const
  if (world.git === null) return { ...common, repo: repoOf(hashFiles(world.root)), dirty: [] }
  const snapshot = await world.git.snapshotWithIgnored()
  const ignored = ignoredAtStart(snapshot.ignored, before)
  const unwatched = [...(world.common.own?.unwatched ?? [])]
  const { head } = before.repo
  const committed = head === null || head === snapshot.head ? [] : await world.git.diffFiles(head, 'HEAD')
  const left = leftAmong(before, snapshot.uncommitted, committed)
  return {
    ...common,
    repo: repoOf(snapshot),
    dirty: snapshot.uncommitted,
    ...(ignored.length <= maxIgnored ? { ignored } : {}),
    ...(unwatched.length <= maxListed ? { unwatched } : {}),
    branch: world.common.branch,
    ...(left.length === 0 ? {} : { left }),
  }
}

type Killed = Pick<Live, 'world' | 'inputs' | 'policy' | 'astray' | 'isMarkedSince' | 'dirtyAtDeath'>

async function resume(
  { world, inputs, policy, astray, isMarkedSince, dirtyAtDeath }: Killed,
  loop: Loop,
  work: Performer,
): Promise<void> {
  const before = loop.state()
  await mustBeHome(world)
  const { byFlight, strays: found } = leftFlips(inputs.plan, before)
  const plan = inputs.plan?.plan ?? null
  const claims = claimsAmong(before, { policy, plan }, found, isMarkedSince)
  const strays = found.filter((id) => !claims.includes(id))
  const unproven = [...strays, ...claims.filter((id) => isCheckable(policy, plan, id))]
  if (unproven.length > 0) await world.plan.setPasses(unproven.map((id) => ({ id, passes: false })))
  rebuildCsv(world.dir)
  const common = {
    kind: 'run.resumed',
    log: 1,
    plan,
    policy,
    repo: before.repo,
    pid: process.pid,
    settings: settingsOfRun(world),
  } as const
  loop.report({ ...common, ...(claims.length === 0 ? {} : { claims }) })
  if (isAnybodyAtWork(before)) for (const fact of changedSinceKill(before, plan, policy)) loop.report(fact)
  for (const id of strays)
    loop.report({
      kind: 'noticed',
      what: 'flip-unproven',
      detail: `${id} was set back: an agent may have marked it done before Ralph was killed, and no gate has seen it. If you finished it yourself: ralph pause, mark it again in the plan, ralph resume.`,
      tell: true,
    })
  for (const flight of before.flights) {
    if (flight.phase === 'judged') work.settleAgain(flight, loop.state())
    else if (!hasEnded(flight)) {
      await saveLate(world, flight, loop.state(), loop.report)
      const there = await worldOf(world, flight.iteration, before)
      const flips = byFlight.get(flight.iteration) ?? []
      loop.report(
        await lostIteration(there, flight, { flips, astray, dirtyAtDeath }, { state: loop.state(), report: loop.report }),
      )
    }
  }
  const { failing } = before
  if (failing !== undefined) {
    const because = storyNamed(before.plan, failing.story)?.failed?.reason ?? ''
    work.failAgain({ ...failing, because }, loop.state())
  }
}

/** A request that changes the plan changes the file too: the run is its only writer. */
function takeRequest(world: World, report: Report, loop: Loop, fault: (error: unknown) => void): void {
  if (report.kind === 'story.retried')
    Promise.all([world.plan.setFailed(report.story, undefined), world.plan.setSkip(report.story, false)]).catch(fault)
  if (report.kind === 'story.skipped') world.plan.setSkip(report.story, true).catch(fault)
  loop.report(report)
}

const repoOf = ({ head, tree, dirt }: { head: string | null; tree: string; dirt: string }) => ({ head, tree, dirt })
