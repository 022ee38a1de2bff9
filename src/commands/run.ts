/** `ralph run`: the loop, from its first check to its exit code. */
import { randomBytes } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { appendLines, readIfThere, replaceFile } from '../adapters/files.ts'
import { finishRequest, takeRequests, watchInbox } from '../adapters/inbox.ts'
import { takeLock } from '../adapters/lock.ts'
import { readPlan } from '../adapters/plan/keeper.ts'
import { lockPath } from '../adapters/project.ts'
import { foldLog, type Log, openLog, readLog } from '../adapters/store.ts'
import { endSurvivors } from '../adapters/survivors.ts'
import { hashFiles } from '../adapters/tree-hash.ts'
import { flagSettings } from '../config/flags.ts'
import { ensureUserConfig } from '../config/user-file.ts'
import { evolve } from '../core/evolve.ts'
import { initialState } from '../core/initial.ts'
import { exitCode } from '../core/outcome.ts'
import { instantOf } from '../core/time.ts'
import type { Event, Policy, Report, State } from '../core/types.ts'
import type { Io } from '../io.ts'
import { type Loop, startLoop } from '../loop.ts'
import { type Performer, performer } from '../perform.ts'
import { archiveLastRun } from '../run/archive.ts'
import { checkAgents, checkOnly, enterBranch, type Opened, openInputs, openWorld } from '../run/begin.ts'
import { dryRun } from '../run/dry-run.ts'
import { finish } from '../run/finish.ts'
import { findProject, type Project, policyOf, settingsOf } from '../run/project.ts'
import { refusal } from '../run/refusal.ts'
import { isUnfinished, leftFlips, lostIteration, reapTree } from '../run/resume.ts'
import { openScreen, type Screen } from '../run/screen.ts'
import { onStopSignals } from '../run/signals.ts'
import type { World } from '../run/world.ts'
import { csvHeader, csvOf, csvRow } from '../views/csv.ts'
import { statusOf } from '../views/status.ts'

export type RunArgs = Record<string, unknown> & {
  feature?: string
  prompt?: string
  story?: string
  verbose?: boolean
  quiet?: boolean
  json?: boolean
  archive?: boolean
  resetCircuit?: boolean
  dryRun?: boolean
  fresh?: boolean
}

export async function runRun(args: RunArgs, io: Io): Promise<number> {
  const flags = flagSettings(args)
  const project = await findProject(io, args.feature)
  const loaded = await settingsOf(io, project, flags)
  const opened = await openInputs(project, io)
  const policy = policyOf(loaded.settings, args.story)
  if (args.story !== undefined) checkOnly(opened.plan, args.story)
  const screen = openScreen(screenOptions(args, io))
  const promptFile = args.prompt === undefined ? undefined : resolve(io.cwd, args.prompt)
  const openNow = (run: string, inputs: Opened): World => openWorld(project, loaded, inputs, run, io, screen, promptFile)
  if (args.dryRun) return dryRun(openNow('dry-run', opened), opened, policy, io)

  const lock = takeLock(lockPath(project.root), { feature: project.feature, run: '', purpose: 'run' })
  try {
    const warning = ensureUserConfig(project.home)
    for (const text of [...loaded.warnings, ...opened.warnings, ...(warning ? [warning] : [])]) screen.say('warn', `! ${text}`)
    return await runLocked({ project, args, io, opened, policy, screen, openNow, note: (run) => lock.update({ run }) })
  } finally {
    screen.close()
    opened.git?.close()
    lock.release()
  }
}

type Locked = {
  project: Project
  args: RunArgs
  io: Io
  opened: Opened
  policy: Policy
  screen: Screen
  openNow(run: string, opened: Opened): World
  note(run: string): void
}

async function runLocked({ project, args, io, opened, policy, screen, openNow, note }: Locked): Promise<number> {
  const logPath = join(project.dir, 'events.jsonl')
  let { value: state } = foldLog(logPath, initialState, evolve)
  if (state.plan !== null && opened.plan !== null && isOtherBranch(state, opened)) {
    const folder = archiveLastRun(project, instantOf(Date.now()), state.plan)
    screen.say('plain', `The plan's branch changed: the last run is in ${folder}`)
    state = initialState
  }
  const isResumed = isUnfinished(state)
  const run = isResumed ? state.run : newRun()
  note(run)
  const log = openLog(logPath)
  try {
    const facts = await factsBefore(project, state, args)
    state = appendFacts(log, state, run, facts)
    const refused = refusal(state, policy, instantOf(Date.now()), project.label)
    if (refused !== null) {
      io.err(`${refused.lines.join('\n')}\n`)
      return refused.exit
    }
    const world = openNow(run, opened)
    checkAgents(world, opened.plan, state)
    if (isResumed) await reapTree(world, state.run)
    const isMoved = await enterBranch(world, opened.plan?.plan.branch ?? '')
    const inputs = isMoved ? { ...opened, plan: (await readPlan(project.dir, project.label)).plan } : opened
    return await live({ world: isMoved ? openNow(run, inputs) : world, inputs, log, logPath, state, policy, args, io, isResumed })
  } finally {
    log.close()
  }
}

type Live = {
  world: World
  inputs: Opened
  log: Log
  logPath: string
  state: State
  policy: Policy
  args: RunArgs
  io: Io
  isResumed: boolean
}

async function live({ world, inputs, log, logPath, state, policy, args, io, isResumed }: Live): Promise<number> {
  const { dir } = world
  const csvPath = join(dir, 'logs', 'summary.csv')
  const fault = Promise.withResolvers<never>()
  let restored = 0
  let work: Performer
  let shown = state
  const loop: Loop = startLoop(state, {
    run: world.run,
    now: world.now,
    append: (events) => log.append(events.map((event) => maskedEvent(event, world))),
    perform: (decision, now) => work.perform(decision, now),
    show: (events, now) => {
      for (const event of events) {
        if (event.kind === 'iteration.settled')
          appendLines(csvPath, (existsSync(csvPath) ? '' : csvHeader) + csvRow(shown, event))
        shown = evolve(shown, event)
        if (args.json) io.out(`${JSON.stringify(maskedEvent(event, world))}\n`)
      }
      world.screen.events(events, now)
      replaceFile(join(dir, 'status.json'), `${JSON.stringify(statusOf(now, events.at(-1)!.kind), null, 2)}\n`)
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
  work = performer(world, loop.report, (error) => fault.reject(error))
  const signals = onStopSignals(
    (by) => loop.report({ kind: 'stop.requested', by, now: true }),
    () => endSurvivors((tag) => tag.startsWith(`${world.run}:`), { graceMs: 0, keep: [] }),
  )
  const takeInbox = (): void => {
    for (const { id, report } of takeRequests(dir)) {
      takeRequest(world, { ...report, id } as Report, loop, (error) => fault.reject(error))
      if (loop.state().taken.includes(id)) finishRequest(dir, id)
    }
  }
  const unwatch = watchInbox(dir, takeInbox)
  const alive = setInterval(() => {}, 60_000) // a pause has nothing else that keeps the process
  try {
    if (log.torn > 0)
      loop.report({
        kind: 'noticed',
        what: 'log-torn',
        detail: `the last line of the log was torn (${log.torn} bytes) and was cut`,
        tell: false,
      })
    if (isResumed) await resume(world, inputs, policy, loop, work, () => replaceFile(csvPath, csvOf(readLog(logPath).events)))
    else loop.report(await started(world, inputs, policy))
    takeInbox()
    const ended = await Promise.race([loop.ended, fault.promise])
    await work.idle()
    const lines = await finish(world, ended, { archive: args.archive !== false }, () => {})
    world.screen.close()
    const print = args.json ? io.err : io.out
    print(`\n${lines.join('\n')}\n`)
    return exitCode(ended.outcome!.outcome, ended.stop)
  } catch (error) {
    work.stopAll()
    await work.idle()
    throw error
  } finally {
    clearInterval(alive)
    unwatch()
    signals()
  }
}

async function started(world: World, inputs: Opened, policy: Policy): Promise<Report> {
  const plan = inputs.plan?.plan ?? null
  const common = { kind: 'run.started', log: 1, feature: world.feature, plan, policy, pid: process.pid } as const
  if (world.git === null) return { ...common, repo: repoOf(hashFiles(world.root)), dirty: [] }
  const snapshot = await world.git.snapshot()
  return { ...common, repo: repoOf(snapshot), dirty: snapshot.uncommitted }
}

async function resume(
  world: World,
  inputs: Opened,
  policy: Policy,
  loop: Loop,
  work: Performer,
  rebuild: () => void,
): Promise<void> {
  const before = loop.state()
  const { byFlight, strays } = leftFlips(inputs.plan, before)
  if (strays.length > 0) await world.plan.setPasses(strays.map((id) => ({ id, passes: false })))
  rebuild()
  loop.report({ kind: 'run.resumed', plan: inputs.plan?.plan ?? null, policy, repo: before.repo, pid: process.pid })
  for (const id of strays)
    loop.report({
      kind: 'noticed',
      what: 'flip-unproven',
      detail: `${id} was set back: it passed without a gate when Ralph was killed`,
      tell: true,
    })
  for (const flight of before.flights) {
    if (flight.judged) work.settleAgain(flight, loop.state())
    else if (flight.ended === undefined)
      loop.report(await lostIteration(world, flight, loop.state(), byFlight.get(flight.iteration) ?? []))
  }
}

/** A request that changes the plan changes the file too: the run is its only writer. */
function takeRequest(world: World, report: Report, loop: Loop, fault: (error: unknown) => void): void {
  if (report.kind === 'story.retried')
    Promise.all([world.plan.setFailed(report.story, undefined), world.plan.setSkip(report.story, false)]).catch(fault)
  if (report.kind === 'story.skipped') world.plan.setSkip(report.story, true).catch(fault)
  loop.report(report)
}

/** What a person did while no run was live: reset, answers, unblocking, a fresh start. */
async function factsBefore(project: Project, state: State, args: RunArgs): Promise<Report[]> {
  const facts: Report[] = []
  if (args.resetCircuit) facts.push({ kind: 'breaker.reset' })
  if (state.blocked !== undefined && readIfThere(join(project.dir, 'blocked.txt')) === null)
    facts.push({ kind: 'unblocked', note: '' })
  if (state.answer !== undefined && state.answer.text === undefined) {
    const { answerIn } = await import('../views/people.ts')
    const path = join(project.dir, 'decide.txt')
    const text = answerIn(readIfThere(path) ?? '')
    if (text !== '') facts.push({ kind: 'question.answered', text })
    if (text !== '') rmSync(path, { force: true })
  }
  if (args.fresh) {
    const known = (state.plan?.stories ?? []).filter((story) => story.failed || (state.stories[story.id]?.attempts ?? 0) > 0)
    facts.push(...known.filter((story) => !story.passes).map((story): Report => ({ kind: 'story.retried', story: story.id })))
  }
  return facts
}

function appendFacts(log: Log, state: State, run: string, facts: Report[]): State {
  const events = facts.map((fact): Event => ({ at: instantOf(Date.now()), run, ...fact }))
  log.append(events)
  return events.reduce(evolve, state)
}

const repoOf = ({ head, tree, dirt }: { head: string | null; tree: string; dirt: string }) => ({ head, tree, dirt })

const isOtherBranch = (state: State, opened: Opened): boolean =>
  state.plan !== null &&
  state.plan.branch !== '' &&
  opened.plan !== null &&
  opened.plan.plan.branch !== '' &&
  opened.plan.plan.branch !== state.plan.branch

function maskedEvent(event: Event, world: World): Event {
  const text = JSON.stringify(event)
  const masked = world.mask.text(text)
  return masked === text ? event : JSON.parse(masked)
}

function newRun(): string {
  const time = instantOf(Date.now()).replaceAll(/[-:]/g, '').replace('T', '-').slice(0, 15)
  return `${time}-${randomBytes(2).toString('hex')}`
}

function screenOptions(args: RunArgs, io: Io): Parameters<typeof openScreen>[0] {
  const isTerminal = io.isTerminal && !args.json
  return {
    mode: args.quiet ? 'quiet' : args.verbose ? 'verbose' : 'normal',
    isTerminal,
    hasColour: isTerminal && !io.env['NO_COLOR'] && io.env['TERM'] !== 'dumb',
    columns: () => process.stdout.columns ?? 80,
    write: args.json ? io.err : io.out,
    now: () => instantOf(Date.now()),
  }
}
