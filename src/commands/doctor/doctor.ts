/** `ralph doctor`: checks everything that a run needs, and says how to fix what is missing. */
import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { agentNamed, agentNames } from '../../adapters/agents/list.ts'
import { readPlan } from '../../adapters/plan/read.ts'
import { findProgram, whyNoProgram } from '../../adapters/process/program.ts'
import { runTree } from '../../adapters/process/tree.ts'
import { foldLog } from '../../adapters/project/event-log.ts'
import { findRoot, gitDir, listFeatures, lockPath, ralphHome } from '../../adapters/project/find.ts'
import { knownProjects } from '../../adapters/project/known-projects.ts'
import { eventLogPath, featureFolder, featureLabel, projectConfig, stateFolder } from '../../adapters/project/layout.ts'
import { readLock } from '../../adapters/project/lock.ts'
import { templatePath } from '../../adapters/project/templates.ts'
import { openSandbox } from '../../adapters/sandbox/sandbox.ts'
import { findTestCommand } from '../../adapters/test-command/find.ts'
import { policyOf } from '../../config/policy.ts'
import { type LoadedSettings, loadSettings } from '../../config/sources.ts'
import type { Settings } from '../../config/table.ts'
import { EXIT, Failure, tried } from '../../core/failure.ts'
import type { Gate, GateResult } from '../../core/types.ts'
import type { Io } from '../../io.ts'
import type { Agent } from '../../ports.ts'
import type { OnEmpty } from '../../rehearse/gates-on-empty.ts'
import { plural } from '../../views/status/status.ts'

type DoctorFinding = { mark: '✓' | '!' | '✗'; what: string; found: string; advice?: string }

export async function runDoctor(_args: object, io: Io): Promise<number> {
  const home = ralphHome(io.env)
  const root = findRoot(io.cwd, home)
  const loaded = await attempt(() => loadSettings({ root, home, env: io.env, flags: {} }))
  const findings = [
    nodeFinding(process.versions.node),
    await gitFinding(root, io),
    ...settingsFindings(loaded),
    ...(loaded instanceof Failure
      ? []
      : [
          await agentFinding(loaded, root, io),
          ...(await sandboxFinding(loaded, root, io)),
          await gatesFinding(loaded, root, io),
          ...templateFinding(loaded, root, home),
        ]),
    rootFinding(root),
    ...(await planFindings(root)),
    lockFinding(root),
    folderFinding('project files', stateFolder(root)),
    folderFinding('user files', home),
  ]
  const width = Math.max(...findings.map(({ what }) => what.length))
  for (const { mark, what, found, advice } of findings) {
    const lines = [`${mark} ${what.padEnd(width)}  ${found.replaceAll('\n', `\n${' '.repeat(width + 4)}`)}`]
    if (advice !== undefined) lines.push(`${' '.repeat(width + 4)}→ ${advice}`)
    io.out(`${lines.join('\n')}\n`)
  }
  const broken = findings.filter(({ mark }) => mark === '✗').length
  io.out(broken === 0 ? '\nReady to run.\n' : `\n${plural(broken, 'problem')} found.\n`)
  return broken === 0 ? 0 : EXIT.missing
}

/** The value, or the Failure that says why there is none. */
async function attempt<T>(make: () => T | Promise<T>): Promise<T | Failure> {
  try {
    return await make()
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

function nodeFinding(version: string): DoctorFinding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isNewEnough = major > 22 || (major === 22 && minor >= 12)
  if (isNewEnough) return { mark: '✓', what: 'Node', found: version }
  return { mark: '✗', what: 'Node', found: version, advice: 'install Node 22.12 or newer' }
}

async function gitFinding(root: string, io: Io): Promise<DoctorFinding> {
  const found = findProgram('git', root, io.env) && (await versionOf('git', root, io))
  if (!found) return { mark: '✗', what: 'git', found: 'not found', advice: 'install git, or put it on PATH' }
  const isRepository = gitDir(root) !== null
  if (isRepository) return { mark: '✓', what: 'git', found }
  return { mark: '!', what: 'git', found: `${found}; not a repository`, advice: '"git init" gives branches and rollback' }
}

function settingsFindings(loaded: LoadedSettings | Failure): DoctorFinding[] {
  if (loaded instanceof Failure)
    return [{ mark: '✗', what: 'settings', found: loaded.message, advice: 'correct the settings named above' }]
  const files = loaded.files.map(({ path }) => path).join('\n')
  const warnings = loaded.warnings.map((found): DoctorFinding => ({ mark: '!', what: 'settings', found }))
  return [{ mark: '✓', what: 'settings', found: files === '' ? 'defaults' : files }, ...warnings]
}

async function agentFinding({ settings }: LoadedSettings, root: string, io: Io): Promise<DoctorFinding> {
  const choice = typeof settings.agent === 'string' ? { name: settings.agent } : settings.agent
  const options = {
    allowedTools: settings['claude.allowed_tools'],
    skipPermissions: settings['claude.dangerously_skip_permissions'],
    root,
  }
  const agent = await attempt<Agent>(() => agentNamed(choice, options))
  if (agent instanceof Failure) return { mark: '✗', what: 'agent', found: agent.message }
  if (settings['sandbox.kind'] === 'docker')
    return { mark: '✓', what: 'agent', found: `${agent.name}, in the image ${settings['sandbox.name']}` }
  const path = findProgram(agent.program, root, io.env)
  if (path === null)
    return { mark: '✗', what: 'agent', found: `${agent.name}: ${missing(agent.program, root)}`, advice: agent.install }
  // A user's own program may do anything when it is started.
  if (!agentNames.includes(agent.name)) return { mark: '✓', what: 'agent', found: `${agent.name}: ${path}` }
  const version = await versionOf(path, root, io)
  if (version === undefined)
    return { mark: '!', what: 'agent', found: `${agent.name}: ${path} (version unknown)`, advice: agent.install }
  const tested = agent.tested === undefined ? '' : `; newest tested: ${agent.tested}`
  return { mark: '✓', what: 'agent', found: `${agent.name}: ${path} (${version}${tested})` }
}

/** A name is looked up on the PATH, a path is not. */
const missing = (program: string, root: string): string =>
  program.includes('/') ? `${program} ${whyNoProgram(program, root)}` : `no program "${program}" on PATH`

/** Whether the sandbox works, if one is set. */
async function sandboxFinding({ settings }: LoadedSettings, root: string, io: Io): Promise<DoctorFinding[]> {
  const kind = settings['sandbox.kind']
  const env = Object.fromEntries(Object.entries(io.env).filter((pair): pair is [string, string] => pair[1] !== undefined))
  const place = { root, dir: stateFolder(root), trusted: [], run: '', env }
  const [name, network] = [settings['sandbox.name'], settings['sandbox.network']]
  const lets = { home: settings['sandbox.home'], variables: settings['sandbox.env'] }
  const problem = await attempt(async () => openSandbox(kind, { ...place, ...lets, name, network })?.check())
  if (problem instanceof Failure) return [{ mark: '✗', what: 'sandbox', found: problem.message }]
  return kind === 'none'
    ? []
    : [{ mark: '✓', what: 'sandbox', found: `${kind}${name === '' ? '' : ` ${name}`}, network ${network}` }]
}

/** The two worst holes: no gate, and gates that cannot fail. Those are tried where this user has run them before, and they are quick. */
async function gatesFinding({ settings }: LoadedSettings, root: string, io: Io): Promise<DoctorFinding> {
  const gates = policyOf(settings, undefined, false, { final: [] }).gates.filter(({ soft }) => soft !== true)
  const found = gates.map(({ command }) => command).join('\n')
  if (gates.length === 0) {
    const { command } = findTestCommand(root) ?? {}
    const advice = `set one in ${projectConfig('')}: gates: { tests: ${command ?? 'your test command'} }`
    return { mark: '!', what: 'gates', found: 'none: whatever an agent does counts as done', advice }
  }
  switch (await onEmptySources(gates, settings, root, io)) {
    case 'pass':
      return {
        mark: '!',
        what: 'gates',
        found: `${found}\npasses with every source file emptied: it cannot fail`,
        advice: '"ralph rehearse" shows what else would pass',
      }
    case 'fail':
      return { mark: '✓', what: 'gates', found: `${found} (fails with every source file emptied, as it should)` }
    case 'unknown':
      return { mark: '✓', what: 'gates', found, advice: '"ralph rehearse" tries whether it can be cheated' }
  }
}

async function onEmptySources(gates: Gate[], settings: Settings, root: string, io: Io): Promise<OnEmpty> {
  const tookMs = knownProjects(ralphHome(io.env)).includes(root) ? lastGatesMs(root) : null
  if (tookMs === null || tookMs > QUICK_GATES_MS || settings['sandbox.kind'] !== 'none') return 'unknown'
  const { openGit } = await import('../../adapters/git/git.ts')
  const git = await openGit(root, io.env)
  if (git === null) return 'unknown'
  const { gatesOnEmpty } = await import('../../rehearse/gates-on-empty.ts')
  return gatesOnEmpty({ root: realpathSync(root), git, env: io.env }, gates, 2 * QUICK_GATES_MS).finally(git.close)
}

/** How long all gates took before the first iteration of the last run; null: nobody knows. */
function lastGatesMs(root: string): number | null {
  const logs = listFeatures(root).map((feature) => eventLogPath(featureFolder(root, feature)))
  const last = logs
    .flatMap((path) => {
      const stat = statSync(path, { throwIfNoEntry: false })
      return stat === undefined ? [] : [{ path, at: stat.mtimeMs }]
    })
    .toSorted((one, other) => other.at - one.at)[0]
  if (last === undefined) return null
  const sum = (results: GateResult[]): number => results.reduce((ms, { durationMs }) => ms + durationMs, 0)
  return tried(
    () =>
      foldLog<number | null>(last.path, null, (known, event) =>
        event.kind === 'gates.ended' && event.iteration === 'whole' ? sum(event.results) : known,
      ).value,
    null,
  )
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

function rootFinding(root: string): DoctorFinding {
  const features = listFeatures(root)
  if (features.length > 0) return { mark: '✓', what: 'project', found: `${root} (${features.join(', ')})` }
  return { mark: '!', what: 'project', found: `${root} (no features yet)`, advice: 'ralph init <feature>' }
}

/** Plans that no run could read, with the words of a run. */
async function planFindings(root: string): Promise<DoctorFinding[]> {
  const findings = await Promise.all(
    listFeatures(root).map(async (feature): Promise<DoctorFinding[]> => {
      const read = await attempt(() => readPlan(featureFolder(root, feature), featureLabel(feature)))
      if (!(read instanceof Failure)) return []
      const isEmpty = /^\S+ no stories yet/.test(read.message)
      const advice = isEmpty ? `ralph plan -f ${feature}` : `ralph lint -f ${feature}`
      return [{ mark: isEmpty ? '!' : '✗', what: 'plan', found: read.message, advice }]
    }),
  )
  return findings.flat()
}

function lockFinding(root: string): DoctorFinding {
  const path = lockPath(root)
  const held = readLock(path)
  if (held === null) return { mark: '✓', what: 'lock', found: 'free' }
  if (!held.isLive)
    return {
      mark: '!',
      what: 'lock',
      found: `left by pid ${held.pid}, which is dead`,
      advice: 'the next run takes it over',
    }
  const whose = held.purpose === 'run' ? `a live run of "${held.feature}"` : 'a command'
  return { mark: '!', what: 'lock', found: `held by ${whose}, pid ${held.pid} on ${held.host}`, advice: 'ralph status' }
}

function folderFinding(what: string, folder: string): DoctorFinding {
  try {
    accessSync(nearestFolder(folder), constants.W_OK | constants.X_OK)
    return { mark: '✓', what, found: folder }
  } catch {
    return { mark: '✗', what, found: `${folder} is not writable`, advice: 'make it writable for you' }
  }
}

/** The folder itself, or the one in which it would be created. */
const nearestFolder = (folder: string): string =>
  existsSync(folder) || dirname(folder) === folder ? folder : nearestFolder(dirname(folder))

/** The first line of `--version`; undefined: it fails, or takes too long. */
async function versionOf(command: string, root: string, io: Io): Promise<string | undefined> {
  let output = ''
  const env = Object.entries(io.env).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const end = await runTree({
    command,
    args: ['--version'],
    cwd: root,
    env: Object.fromEntries(env),
    stdin: '',
    tag: `doctor:${process.pid}`,
    timeoutMs: VERSION_TIMEOUT_MS,
    graceMs: 500,
    keep: [],
    onOutput: (chunk, stream) => {
      if (stream === 'out' && output.length < 1000) output += chunk.toString('utf8')
    },
    stop: new AbortController().signal,
  })
  const line = output.trim().split('\n')[0]?.trim()
  return end.how === 'exited' && end.code === 0 && line ? line : undefined
}

const VERSION_TIMEOUT_MS = 10_000
const QUICK_GATES_MS = 3000
