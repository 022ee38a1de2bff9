/** `ralph run`: the loop, from its first check to its exit code. */
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { endOutsideRuns } from '../adapters/process/calls-outside-runs.ts'
import { heldOutVariable } from '../adapters/process/child-env.ts'
import { findRoot, lockPath, ralphHome } from '../adapters/project/find.ts'
import {
  archiveFolder,
  inboxFolder,
  learningsFolder,
  logsFolder,
  projectLogsFolder,
  stateFolder,
} from '../adapters/project/layout.ts'
import { readLock, takeLock } from '../adapters/project/lock.ts'
import { learnedFiles, sweepTemporaries } from '../adapters/project/temporaries.ts'
import { flagSettings } from '../config/flags.ts'
import { policyOf } from '../config/policy.ts'
import { ensureUserConfig } from '../config/user-file.ts'
import { initialState } from '../core/evolve/initial.ts'
import { EXIT, Failure } from '../core/failure.ts'
import type { Io } from '../io.ts'
import { finishArchives } from '../run/finish/archive.ts'
import { type LastNotice, openLastNotice } from '../run/finish/last-notice.ts'
import type { MonitorPlace } from '../run/outputs/monitor-pane.ts'
import { openScreen, screenOptions } from '../run/outputs/screen.ts'
import { isWorkspace } from '../run/parallel/workspace-place.ts'
import { checkOnly, openInputs, openSetup } from '../run/preflight/begin.ts'
import { dryRun } from '../run/preflight/dry-run.ts'
import { openHeldOut } from '../run/preflight/held-out.ts'
import { fallbackOf, learnerOf, reviewersOf, rivalsOf } from '../run/preflight/roles.ts'
import { runUnderLock, SettingsRestored } from '../run/preflight/start-or-refuse.ts'
import { findProject, type Project, settingsOf } from '../run/project.ts'

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
  yes?: boolean
}

export async function runRun(args: RunArgs, started: Io): Promise<number> {
  const given: Io = { ...started, env: { ...started.env } }
  delete process.env[heldOutVariable] // only the settings are read from it: nothing that is started inherits it
  // If only the end is printed, or a program reads the output, nobody sees a question.
  const io: Io = { ...given, isAttended: given.isAttended && !args.json && !args.quiet && !args.yes && !isInCi(given) }
  // Git and agents do the work: V8's second optimizing compiler would take 5 MB, and more processor time than it saves.
  setFlagsFromString('--no-turbofan')
  // An agent that prints without end only makes short-lived garbage: a fixed young generation halves the memory.
  setFlagsFromString('--semi-space-growth-factor=1')
  const flags = flagSettings(args)
  const found = await findProject(io, args.feature).catch((error) => featureGone(error, args, io))
  const read = await settingsOf(io, found, flags)
  const { project, loaded } = args.dryRun ? { project: found, loaded: read } : await inItsPlace(found, read, args, io)
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
    return await runWith({ project, loaded, last, beside }, args, io)
  } catch (error) {
    if (error instanceof SettingsRestored)
      return runWith({ project, loaded: await settingsOf(io, project, flags), last, beside }, args, io)
    if (!args.dryRun) last.failed(error)
    throw error
  }
}

/** In the user's checkout, or in the feature's own worktree, which is made if that is wanted. */
async function inItsPlace(
  found: Project,
  read: ReadSettings,
  args: RunArgs,
  io: Io,
): Promise<Pick<Loaded, 'project' | 'loaded'>> {
  const here = { project: found, loaded: read }
  if (isWorkspace(found)) return here
  const { enterWorkspace, wantsWorkspace } = await import('../run/preflight/workspace.ts')
  if (read.settings.workspace !== 'worktree' && !(await wantsWorkspace(found, read, screenOptions(args, io), io))) return here
  const project = await enterWorkspace(found, read.settings, io)
  return { project, loaded: await settingsOf(io, project, flagSettings(args)) }
}

type ReadSettings = Awaited<ReturnType<typeof settingsOf>>

/** A build server may give its jobs a terminal, but nobody sits there. */
const isInCi = ({ env }: Io): boolean => ![undefined, '', '0', 'false'].includes(env['CI'])

/** How to open the monitor. */
type Wanted = { monitor: typeof import('../run/outputs/monitor-pane.ts'); place: MonitorPlace }

type Loaded = {
  project: Project
  loaded: ReadSettings
  last: LastNotice
  beside: Wanted | undefined
}

async function runWith({ project, loaded: read, last, beside: wanted }: Loaded, args: RunArgs, given: Io): Promise<number> {
  const { [heldOutVariable]: _hidden, ...env } = given.env
  const io = { ...given, env }
  const opened = await openInputs(project, io)
  const { heldOut, warning: none } = await openHeldOut(read, { ...project, git: opened.git, env })
  // From here on nobody can say by mistake what it is.
  const settings = { ...read.settings, 'proof.held_out': heldOut === undefined ? '' : 'set' }
  const loaded = { ...read, settings, warnings: [...read.warnings, ...(none === undefined ? [] : [none])] }
  if (args.story !== undefined) checkOnly(opened.plan, args.story)
  const screen = openScreen(screenOptions(args, io))
  if (project.main !== undefined) screen.say('plain', `Working in ${project.root}. Your checkout stays as it is.`)
  const isAsked = io.isAttended && wanted?.place !== 'terminal' && read.sources['gates.baseline'] === 'default'
  const asksBaseline = isAsked ? { asksBaseline: true as const } : {}
  const promptFile = args.prompt === undefined ? undefined : resolve(io.cwd, args.prompt)
  const setup = {
    ...openSetup(project, loaded, { io, screen, promptFile }),
    ...(heldOut === undefined ? {} : { heldOut }),
    ...asksBaseline,
  }
  const { agents } = setup
  if (args.agent !== undefined) checkFlag(() => agents.agentFor(initialState, null))
  const agentOf = (name: string | undefined) =>
    name === undefined ? agents.agentFor(initialState, null) : agents.reviewer(name).agent
  const review = reviewersOf(loaded, agentOf)
  const policy = {
    // In its place, the monitor has the keyboard: nobody can be asked.
    ...policyOf(loaded.settings, args.story, io.isAttended && wanted?.place !== 'terminal', review),
    ...learnerOf(loaded, agentOf),
    ...fallbackOf(loaded, agentOf),
    ...rivalsOf(loaded, agentOf),
  }
  const warn = (texts: string[]): void => {
    for (const text of texts) screen.say('warn', `! ${text}`)
  }
  if (args.dryRun) {
    warn([...loaded.warnings, ...opened.warnings])
    return dryRun(setup, { opened, policy }, io, { isReset: args.resetCircuit === true, isWhole: args.verbose === true })
  }

  const before = readLock(lockPath(project.root))
  const lock = takeLock(lockPath(project.root), { feature: project.feature, run: '', purpose: 'run' })
  try {
    sweepTemporaries(ownFolders(project), learnedFiles(project.root))
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
    const exit = await runUnderLock({ setup, args, io, opened, policy, killed, note, mayWrite, last, beside })
    if (last.hasBegun && (settings['git.pr'] !== 'off' || settings['git.push'] !== 'never' || settings['tracker.sync'])) {
      const { sendWork } = await import('../run/finish/send-work.ts')
      await sendWork(project, settings, io, (text) => (args.json ? io.err : io.out)(`${text}\n`))
    }
    return exit
  } finally {
    screen.close()
    opened.git?.close()
    lock.release()
  }
}

const ownFolders = ({ root, dir }: Project): string[] => [
  dirname(lockPath(root)),
  stateFolder(root),
  ...[dir, logsFolder(dir), inboxFolder(dir), learningsFolder(dir)],
  projectLogsFolder(root), // ralph import and ralph plan write there
]

/** It may be missing because Ralph was killed between creating and committing its archive: commit it now. */
async function featureGone(error: unknown, args: RunArgs, io: Io): Promise<never> {
  const home = ralphHome(io.env)
  const root = findRoot(io.cwd, home)
  if (args.dryRun || !existsSync(archiveFolder(root))) throw error
  const { settings } = await settingsOf(io, { root, home })
  const lock = takeLock(lockPath(root), { feature: '', run: '', purpose: 'command' })
  try {
    for (const line of await finishArchives(root, io.env, settings['git.commit_state'])) io.err(`${line}\n`)
  } finally {
    lock.release()
  }
  throw error
}

/** A wrong word on the command line is a usage error, whatever it would be in a file. */
function checkFlag(check: () => unknown): void {
  try {
    check()
  } catch (error) {
    throw error instanceof Failure && error.exit === EXIT.config ? new Failure(EXIT.usage, error.message) : error
  }
}
