/** `ralph doctor`: checks whether a run could start, runs the gates once, and says how to fix what is missing. */
import { type Git, openGit } from '../../adapters/git/git.ts'
import { findProgram } from '../../adapters/process/program.ts'
import { findRoot, listFeatures, lockPath, ralphHome } from '../../adapters/project/find.ts'
import { stateFolder } from '../../adapters/project/layout.ts'
import { readLock } from '../../adapters/project/lock.ts'
import { templatePath } from '../../adapters/project/templates.ts'
import { type LoadedSettings, loadSettings } from '../../config/sources.ts'
import { exitCode } from '../../core/exit-codes.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import type { State } from '../../core/state.ts'
import type { Io } from '../../io.ts'
import { runsAround } from '../../run/people/request.ts'
import { findProject, type Project } from '../../run/project.ts'
import { onStopSignals } from '../../run/stop-signals.ts'
import { plural } from '../../views/status/status.ts'
import { featureFindings } from './feature.ts'
import { attempt, type DoctorFinding, findingLines } from './finding.ts'
import { gateFindings, gatesIn, heldOutFindings, mutantsFindings, noGateFinding } from './gates.ts'
import { agentFindings, diskFindings, folderFinding, gitFinding, nodeFinding, sandboxFinding } from './machine.ts'

type DoctorArgs = { feature?: string; gates?: boolean }

export async function runDoctor(args: DoctorArgs, io: Io): Promise<number> {
  const problems: DoctorFinding[] = []
  const say = (finding: DoctorFinding): void => {
    if (finding.mark === '✗') problems.push(finding)
    io.out(findingLines(finding))
  }
  const stop = new AbortController()
  const unlisten = onStopSignals(
    (by) => stop.abort(by),
    () => Promise.resolve(),
  )
  const feature = await check(args, io, say, stop.signal).finally(unlisten)
  if (stop.signal.aborted) {
    const { reason: by } = stop.signal as { reason: NonNullable<State['stop']>['by'] }
    return exitCode('interrupted', { by })
  }
  const run = `ralph run${feature === null || listFeatures(findRoot(io.cwd, ralphHome(io.env))).length < 2 ? '' : ` -f ${feature}`}`
  const [first] = problems
  io.out(
    first === undefined
      ? `\nReady to run. Next: ${run}\n`
      : `\n${plural(problems.length, 'problem')} found. Next: ${first.next ?? `fix what is marked ✗, then: ralph doctor`}\n`,
  )
  return first === undefined ? 0 : EXIT.missing
}

/** Returns the feature that would run; null: none. */
async function check(args: DoctorArgs, io: Io, say: (finding: DoctorFinding) => void, stop: AbortSignal): Promise<string | null> {
  const home = ralphHome(io.env)
  const root = findRoot(io.cwd, home)
  const all = (findings: DoctorFinding[]): void => findings.forEach(say)
  say(nodeFinding(process.versions.node))
  const ofGit = await gitFinding(root, io)
  say(ofGit)
  const loaded = await attempt(() => loadSettings({ root, home, env: io.env, flags: {} }))
  all(settingsFindings(loaded))
  const { findings: ofProject, project } = await projectFindings(root, args.feature, io)
  all(ofProject)
  const lock = lockFinding(root)
  const git = ofGit.mark === '✗' || findProgram('git', root, io.env) === null ? null : await openGit(root, io.env)
  try {
    if (!(loaded instanceof Failure)) await checkSettings({ args, loaded, root, home, project, git, io, stop, say, lock })
  } finally {
    git?.close()
  }
  say(lock)
  say(folderFinding('project files', stateFolder(root)))
  say(folderFinding('user files', home))
  all(diskFindings([root, home]))
  return project?.feature ?? null
}

type Settled = {
  args: DoctorArgs
  loaded: LoadedSettings
  root: string
  home: string
  project: Project | null
  git: Git | null
  io: Io
  stop: AbortSignal
  say(finding: DoctorFinding): void
  lock: DoctorFinding
}

/** What depends on the settings. */
async function checkSettings({ args, loaded, project, say, lock, ...place }: Settled): Promise<void> {
  const { root, home, git, io } = place
  const all = (findings: DoctorFinding[]): void => findings.forEach(say)
  const agent = await agentFindings(loaded, root, io)
  all(agent)
  const { sandbox, findings, isBroken } = await sandboxFinding(loaded, root, io)
  all([...findings, ...templateFinding(loaded, root, home)])
  const isAgentThere = !agent.some(({ what, mark }) => what === 'agent' && mark === '✗')
  if (project !== null) all(await featureFindings({ project, loaded, git, io, isAgentThere }))
  const gates = { ...place, loaded, sandbox }
  const gateWords = gatesIn(loaded).map(({ command }) => command)
  const notRun = (why: string): void => say({ mark: '!', what: 'gates', found: [...gateWords, `not run: ${why}`].join('\n') })
  if (gateWords.length === 0) say(noGateFinding(root, io.env))
  else if (args.gates === false) notRun('--no-gates')
  else if (lock.mark === '✗') notRun('a run is live here')
  else if (isBroken) notRun('the sandbox does not work')
  else await gateFindings(gates, say)
  // An agent that asks is not told whether there is one.
  if (runsAround(io.env).length === 0) all(await heldOutFindings(gates))
  all(mutantsFindings(gates))
}

function settingsFindings(loaded: LoadedSettings | Failure): DoctorFinding[] {
  if (loaded instanceof Failure)
    return [{ mark: '✗', what: 'settings', found: loaded.message, advice: 'correct the settings named above' }]
  const files = loaded.files.map(({ path }) => path).join('\n')
  const warnings = loaded.warnings.map((found): DoctorFinding => ({ mark: '!', what: 'settings', found }))
  return [{ mark: '✓', what: 'settings', found: files === '' ? 'defaults' : files }, ...warnings]
}

function templateFinding({ settings }: LoadedSettings, root: string, home: string): DoctorFinding[] {
  try {
    templatePath(root, home, settings['prompt.template'])
    return []
  } catch (error) {
    return [
      { mark: '✗', what: 'template', found: (error as Error).message, advice: 'set prompt.template to an existing template' },
    ]
  }
}

/** The feature that `ralph run` would choose. */
async function projectFindings(
  root: string,
  asked: string | undefined,
  io: Io,
): Promise<{ findings: DoctorFinding[]; project: Project | null }> {
  const what = 'project'
  const features = listFeatures(root)
  const project = await attempt(() => findProject(io, asked))
  if (!(project instanceof Failure))
    return { findings: [{ mark: '✓', what, found: `${root} (${features.join(', ')})` }], project }
  const next = features.length === 0 ? 'ralph init <feature>' : 'ralph doctor -f <feature>'
  return { findings: [{ mark: '✗', what, found: project.message, next }], project: null }
}

function lockFinding(root: string): DoctorFinding {
  const held = readLock(lockPath(root))
  if (held === null) return { mark: '✓', what: 'lock', found: 'free' }
  if (!held.isLive)
    return { mark: '!', what: 'lock', found: `left by pid ${held.pid}, which is dead`, advice: 'the next run takes it over' }
  const whose = held.purpose === 'run' ? `a live run of "${held.feature}"` : 'a command'
  const found = `held by ${whose}, pid ${held.pid} on ${held.host}`
  return { mark: '✗', what: 'lock', found, advice: 'wait for its end, or stop it: ralph stop', next: 'ralph status' }
}
