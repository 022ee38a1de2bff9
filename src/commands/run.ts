/** `ralph run`: the loop, from its first check to its exit code. */
import { randomBytes } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { shutInHooks, tagGit } from '../adapters/git/run.ts'
import { readPlan } from '../adapters/plan/read.ts'
import { endOutsideRuns } from '../adapters/process/calls-outside-runs.ts'
import { openLog } from '../adapters/project/event-log.ts'
import { findRoot, lockPath, ralphHome } from '../adapters/project/find.ts'
import { rememberProject } from '../adapters/project/known-projects.ts'
import { readLock, takeLock } from '../adapters/project/lock.ts'
import { copyPathOf, matchLog } from '../adapters/project/log/second-copy.ts'
import { sweepTemporaries } from '../adapters/project/temporaries.ts'
import { flagSettings } from '../config/flags.ts'
import { policyOf } from '../config/policy.ts'
import { ensureUserConfig } from '../config/user-file.ts'
import { evolve } from '../core/evolve/evolve.ts'
import { initialState } from '../core/evolve/initial.ts'
import { adoptPlan } from '../core/evolve/run.ts'
import { EXIT, Failure } from '../core/failure.ts'
import type { State } from '../core/state.ts'
import { instantOf } from '../core/text/time.ts'
import type { Plan, Policy } from '../core/types.ts'
import type { Io } from '../io.ts'
import { archiveLastRun, finishArchives } from '../run/finish/archive.ts'
import { finishKilled } from '../run/finish/finish.ts'
import { type LastNotice, openLastNotice } from '../run/finish/last-notice.ts'
import { bookOf, emptyBook } from '../run/history/folded-log.ts'
import { homeAfterKill } from '../run/iteration/own-branch.ts'
import { checkPlugins } from '../run/iteration/plugins.ts'
import { type Live, live } from '../run/live.ts'
import type { MonitorPlace } from '../run/outputs/monitor-pane.ts'
import { openScreen, type Screen, screenOptions } from '../run/outputs/screen.ts'
import { askForAnswers, askForFresh } from '../run/people/ask-before-run.ts'
import { appendFacts, factsBefore, recordFact } from '../run/people/facts-since-last-run.ts'
import { markedSince, restoreAfterKill, seenAtDeath } from '../run/preflight/after-kill.ts'
import {
  checkAgents,
  checkBudget,
  checkOnly,
  checkParallel,
  checkSession,
  enterBranch,
  learnerOf,
  type Opened,
  openInputs,
  openWorld,
  reviewersOf,
} from '../run/preflight/begin.ts'
import { dryRun } from '../run/preflight/dry-run.ts'
import { handWritten, refusal } from '../run/preflight/refusal.ts'
import { checkRepository, checkStillGit, mendDamage } from '../run/preflight/repository.ts'
import { isUnfinished, planAfterKill, reapTree } from '../run/preflight/resume.ts'
import { freshFacts, startFresh, triedStories } from '../run/preflight/start-fresh.ts'
import { findProject, type Project, settingsOf } from '../run/project.ts'
import type { World } from '../run/world.ts'

export type RunArgs = Record<string, unknown> & {
  feature?: string
  agent?: string
  prompt?: string
  story?: string
  verbose?: boolean
  quiet?: boolean
  json?: boolean
  archive?: boolean
  resetCircuit?: boolean
  dryRun?: boolean
  resume?: boolean
  fresh?: boolean
  monitor?: boolean
}

export async function runRun(args: RunArgs, given: Io): Promise<number> {
  // Where nothing but the end is printed, or programs read, nobody sees a question.
  const io: Io = { ...given, isAttended: given.isAttended && !args.json && !args.quiet }
  // An agent that prints without end makes only short-lived garbage: a young generation that does not grow holds it at half the memory.
  setFlagsFromString('--semi-space-growth-factor=1')
  const flags = flagSettings(args)
  const project = await findProject(io, args.feature).catch((error) => featureGone(error, args, io))
  const loaded = await settingsOf(io, project, flags)
  const monitor = args.monitor && !args.dryRun ? await import('../run/outputs/monitor-pane.ts') : null
  let place = monitor?.monitorPlace(given)
  if (monitor !== null && place === 'session') {
    const exit = await monitor.runBeside(given)
    if (exit !== null) return exit
    place = 'terminal'
  }
  const last = openLastNotice(project, loaded.settings, given)
  const beside = monitor === null || place === undefined ? undefined : { monitor, place }
  try {
    return await runWith(project, loaded, args, io, last, beside)
  } catch (error) {
    if (error instanceof SettingsRestored) return runWith(project, await settingsOf(io, project, flags), args, io, last, beside)
    if (!args.dryRun) last.failed(error)
    throw error
  }
}

/** Settings are read before the log says that they are not the user's: they are read again. */
class SettingsRestored extends Error {}

/** How the monitor is to be opened. */
type Wanted = { monitor: typeof import('../run/outputs/monitor-pane.ts'); place: MonitorPlace }

async function runWith(
  project: Project,
  loaded: Awaited<ReturnType<typeof settingsOf>>,
  args: RunArgs,
  io: Io,
  last: LastNotice,
  wanted: Wanted | undefined,
): Promise<number> {
  const opened = await openInputs(project, io)
  if (args.story !== undefined) checkOnly(opened.plan, args.story)
  const screen = openScreen(screenOptions(args, io))
  const promptFile = args.prompt === undefined ? undefined : resolve(io.cwd, args.prompt)
  const openNow = (run: string, inputs: Opened): World => openWorld(project, loaded, inputs, run, io, screen, promptFile)
  if (args.agent !== undefined) checkFlag(() => openNow('', opened).agentFor(initialState, null))
  const sight = openNow('', opened)
  const agentOf = (name: string | undefined) =>
    name === undefined ? sight.agentFor(initialState, null) : sight.reviewer(name).agent
  const review = reviewersOf(loaded, agentOf)
  const policy = {
    // In place the monitor has the keys: nobody can be asked.
    ...policyOf(loaded.settings, args.story, io.isAttended && wanted?.place !== 'terminal', review),
    ...learnerOf(loaded, agentOf),
  }
  const warn = (texts: string[]): void => {
    for (const text of texts) screen.say('warn', `! ${text}`)
  }
  if (args.dryRun) {
    warn([...loaded.warnings, ...opened.warnings])
    return dryRun(openNow('dry-run', opened), opened, policy, io, { isReset: args.resetCircuit === true })
  }

  const before = readLock(lockPath(project.root))
  const lock = takeLock(lockPath(project.root), { feature: project.feature, run: '', purpose: 'run' })
  try {
    sweepTemporaries(ownFolders(project))
    await endOutsideRuns(project.home)
    const warning = ensureUserConfig(project.home)
    warn([...loaded.warnings, ...(warning ? [warning] : [])])
    const killed = before?.purpose === 'run' ? before.run : ''
    const beside = wanted && (() => wanted.monitor.openBeside(wanted.place, project, io, screen))
    const note = (run: string): void => {
      lock.update({ run })
      last.run = run
    }
    const mayWrite = lock.check
    return await runLocked({ project, args, io, opened, policy, screen, openNow, killed, note, mayWrite, last, beside })
  } finally {
    screen.close()
    opened.git?.close()
    lock.release()
  }
}

const ownFolders = ({ root, dir }: Project): string[] => [
  dirname(lockPath(root)),
  join(root, '.ralph'),
  ...['', 'logs', 'inbox'].map((name) => join(dir, name)),
]

/** It may be gone because Ralph was killed when its archive was made and not yet committed: then that is done now. */
async function featureGone(error: unknown, args: RunArgs, io: Io): Promise<never> {
  const home = ralphHome(io.env)
  const root = findRoot(io.cwd, home)
  if (args.dryRun || !existsSync(join(root, '.ralph', 'archive'))) throw error
  const { settings } = await settingsOf(io, { root, home })
  const lock = takeLock(lockPath(root), { feature: '', run: '', purpose: 'command' })
  try {
    for (const line of await finishArchives(root, io.env, settings['git.commit_state'])) io.err(`${line}\n`)
  } finally {
    lock.release()
  }
  throw error
}

/** A wrong word on the command line is wrong usage, whatever it would be in a file. */
function checkFlag(check: () => unknown): void {
  try {
    check()
  } catch (error) {
    throw error instanceof Failure && error.exit === EXIT.config ? new Failure(EXIT.usage, error.message) : error
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
  /** The run, of whichever feature, that left its lock behind; empty: none. */
  killed: string
  note(run: string): void
  mayWrite(): void
  last: LastNotice
  beside: Live['beside']
}

async function runLocked({
  project,
  args,
  io,
  opened,
  policy,
  screen,
  openNow,
  killed,
  note,
  mayWrite,
  last,
  beside,
}: Locked): Promise<number> {
  await finishArchives(project.root, io.env, false)
  const logWords = matchLog(project)
  if (logWords !== null) screen.say('warn', `! ${logWords}`)
  let { state, account } = bookOf(project)
  const mended = await mendDamage(opened.git, state, project, io)
  if (mended !== null) {
    opened = { ...opened, git: mended.git }
    state = recordFact(project, openNow(state.run, opened), state, mended.fact)
  }
  const changed = await checkStillGit(opened.git, state, project)
  if (changed !== null) state = recordFact(project, openNow(state.run, opened), state, changed)
  for (const text of opened.warnings) screen.say('warn', `! ${text}`)
  const runs = new Set([killed, isUnfinished(state) ? state.run : ''].filter((run) => run !== ''))
  for (const run of runs) await reapTree(openNow(run, opened), run)
  const seen = await seenAtDeath(project, state)
  const put = restoreAfterKill(project, state, seen)
  for (const fact of put) state = recordFact(project, openNow(state.run, opened), state, fact)
  if (put.length > 0) throw new SettingsRestored()
  const astray = isUnfinished(state) ? await homeAfterKill(openNow(state.run, opened), state) : null
  const isReadAgain = runs.size > 0 || logWords !== null // the log says which of several files is the plan
  const { facts: ofPlan, ...left } = isReadAgain ? await planAfterKill(project, state, screen, seen) : { facts: [] }
  opened = { ...opened, ...left }
  if (state.plan !== null && isOtherBranch(state, opened)) {
    const folder = archiveLastRun(project, instantOf(Date.now()), state.plan)
    screen.say('plain', `The plan's branch changed: the last run is in ${relative(project.root, folder)}`)
    ;({ state, account } = emptyBook())
  }
  const run = isUnfinished(state) ? state.run : newRun()
  note(run)
  tagGit(run)
  const checked = openNow(run, opened)
  await checkAgents(checked, opened.plan, state, policy.review)
  shutInHooks(checked.sandbox && hooksPlace(checked))
  checkBudget(checked, opened.plan, state, policy.review)
  await checkPlugins(checked)
  checkSession(checked, state)
  await checkParallel(checked)
  await checkRepository(opened.git, state, screen)
  rememberProject(project.home, project.root)
  const log = openLog(join(project.dir, 'events.jsonl'), () => copyPathOf(project), mayWrite)
  try {
    if (logWords !== null)
      state = appendFacts(checked, log, state, [{ kind: 'noticed', what: 'log-restored', detail: logWords, tell: false }])
    await finishKilled(checked, { state, account })
    const before = factsBefore(checked, state, { isReset: args.resetCircuit === true })
    state = appendFacts(checked, log, state, [...ofPlan, ...before])
    const plan = opened.plan?.plan ?? null
    if (io.isAttended && state.blocked === undefined)
      state = appendFacts(checked, log, state, await askForAnswers(checked, adoptPlan(state, plan, 'given')))
    const refused = refusalNow(state, plan, policy, project, args.fresh === true)
    if (refused !== null) {
      io.err(`${refused.lines.join('\n')}\n`)
      last.refused(refused.exit, refused.lines)
      return refused.exit
    }
    const isFresh = args.fresh === true || (!args.resume && io.isAttended && (await wantsFresh(checked, state, plan)))
    const isMoved = await enterBranch(checked, plan?.branch ?? '')
    // Another branch may have another plan file.
    const there = isMoved ? { ...opened, plan: (await readPlan(project.dir, project.label)).plan } : opened
    const world = isMoved ? openNow(run, there) : checked
    if (isFresh) state = await startFresh(world, log, state)
    const inputs = isFresh ? { ...there, plan: world.plan.current() } : there
    last.hasBegun = true
    const [isMarkedSince, dirtyAtDeath] = [await markedSince(state, seen), seen?.dirty ?? null]
    const how = { isJson: args.json === true, isArchiving: args.archive !== false, astray, beside, isMarkedSince, dirtyAtDeath }
    return await live({ world, inputs, log, state, account, policy, io, ...how })
  } finally {
    log.close()
  }
}

/** A worktree of a story has its own. */
function hooksPlace({ git, root, feature, sandboxFor }: World): (top: string) => World['sandbox'] {
  const within = git === null ? '' : relative(git.top, realpathSync(root))
  return (top) => sandboxFor(join(top, within), join(top, within, '.ralph', feature))
}

/** As the run would begin; one that was killed goes on, and comes to its own end. */
function refusalNow(state: State, plan: Plan | null, policy: Policy, project: Project, isFresh: boolean) {
  const files = handWritten(project.dir, state)
  if (isUnfinished(state) && files.blocked === null && files.asked.length === 0) return null
  const at = instantOf(Date.now())
  const facts = isFresh ? freshFacts(triedStories(state, plan)) : []
  const fresh = facts.reduce<State>(
    (next, fact) => evolve(next, { at, run: state.run, ...fact }),
    adoptPlan(state, plan, 'given'),
  )
  return refusal(fresh, policy, at, project.label, files)
}

/** A run that was killed goes on; one that ended may be begun again, if it left something to forget. */
async function wantsFresh(world: World, state: State, plan: Plan | null): Promise<boolean> {
  const tried = isUnfinished(state) ? [] : triedStories(state, plan)
  const isKept = existsSync(join(world.dir, 'state.md')) || tried.some((story) => story.failed !== undefined)
  return tried.length > 0 && isKept && askForFresh(world, tried)
}

const isOtherBranch = (state: State, opened: Opened): boolean =>
  state.plan !== null &&
  state.plan.branch !== '' &&
  opened.plan !== null &&
  opened.plan.plan.branch !== '' &&
  opened.plan.plan.branch !== state.plan.branch

function newRun(): string {
  const time = instantOf(Date.now()).replaceAll(/[-:]/g, '').replace('T', '-').slice(0, 15)
  return `${time}-${randomBytes(2).toString('hex')}`
}
