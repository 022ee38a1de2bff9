/** What `ralph doctor` looks at on this machine: programs, the agent and its login, the sandbox, folders, free space. */

import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { agentNamed, agentNames } from '../../adapters/agents/list.ts'
import { setVariables } from '../../adapters/process/child-env.ts'
import { findProgram, whyNoProgram } from '../../adapters/process/program.ts'
import { runTree } from '../../adapters/process/tree.ts'
import { gitDir } from '../../adapters/project/find.ts'
import { openSandbox } from '../../adapters/sandbox/sandbox.ts'
import type { Sandbox } from '../../adapters/sandbox/wrapped.ts'
import type { LoadedSettings } from '../../config/sources.ts'
import { Failure, tried } from '../../core/failure.ts'
import { isSince, versionIn, versionWarning } from '../../core/text/version.ts'
import type { Io } from '../../io.ts'
import type { Agent } from '../../ports.ts'
import { attempt, type DoctorFinding } from './finding.ts'

export function nodeFinding(version: string): DoctorFinding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isNewEnough = major > 22 || (major === 22 && minor >= 12)
  if (isNewEnough) return { mark: '✓', what: 'Node', found: version }
  return { mark: '✗', what: 'Node', found: version, advice: 'install Node 22.12 or newer' }
}

export async function gitFinding(root: string, io: Io): Promise<DoctorFinding> {
  const found = findProgram('git', root, io.env) && (await firstLine('git', ['--version'], root, io))
  if (!found) return { mark: '✗', what: 'git', found: 'not found', advice: 'install git, or put it on PATH' }
  const isRepository = gitDir(root) !== null
  if (isRepository) return { mark: '✓', what: 'git', found }
  return { mark: '!', what: 'git', found: `${found}; not a repository`, advice: '"git init" gives branches and rollback' }
}

/** The agent, and whether somebody is logged in, where it can tell without a model. */
export async function agentFindings({ settings }: LoadedSettings, root: string, io: Io): Promise<DoctorFinding[]> {
  const choice = typeof settings.agent === 'string' ? { name: settings.agent } : settings.agent
  const options = {
    allowedTools: settings['claude.allowed_tools'],
    skipPermissions: settings['claude.dangerously_skip_permissions'],
    root,
  }
  const agent = await attempt<Agent>(() => agentNamed(choice, options))
  if (agent instanceof Failure) return [{ mark: '✗', what: 'agent', found: agent.message }]
  if (settings['sandbox.kind'] === 'docker')
    return [{ mark: '✓', what: 'agent', found: `${agent.name}, in the image ${settings['sandbox.name']}` }]
  const path = findProgram(agent.program, root, io.env)
  if (path === null)
    return [{ mark: '✗', what: 'agent', found: `${agent.name}: ${missing(agent.program, root)}`, advice: agent.install }]
  // A user's own program may do anything when it is started.
  if (!agentNames.includes(agent.name)) return [{ mark: '✓', what: 'agent', found: `${agent.name}: ${path}` }]
  const version = await firstLine(path, ['--version'], root, io)
  if (version === undefined)
    return [{ mark: '!', what: 'agent', found: `${agent.name}: ${path} (version unknown)`, advice: agent.install }]
  const number = versionIn(version)
  const tested = agent.tested === undefined || number === agent.tested ? '' : `; newest tested: ${agent.tested}`
  const found = `${agent.name}: ${path} (${number ?? version}${tested})`
  const advice = versionWarning(agent.name, version, agent)
  const finding: DoctorFinding =
    advice === null ? { mark: '✓', what: 'agent', found } : { mark: '!', what: 'agent', found, advice }
  return [finding, ...(await loginFinding({ ...agent, path, version }, root, io))]
}

async function loginFinding(
  { name, login, path, version }: Agent & { path: string; version: string },
  root: string,
  io: Io,
): Promise<DoctorFinding[]> {
  // An older version may take the question for a prompt.
  if (login === undefined || !isSince(version, login.since) || login.keys.some((key) => io.env[key])) return []
  const { output, code } = await run(path, login.args, root, io)
  if (code === 0) return [{ mark: '✓', what: 'login', found: `${name} is logged in` }]
  if (!login.saysNo.test(output)) return []
  return [{ mark: login.isCertain ? '✗' : '!', what: 'login', found: `${name} is not logged in`, advice: login.advice }]
}

/** A name is looked up on the PATH, a path is not. */
const missing = (program: string, root: string): string =>
  program.includes('/') ? `${program} ${whyNoProgram(program, root)}` : `no program "${program}" on PATH`

/** Whether the sandbox works, if one is set; and the sandbox, for what runs in it. */
export async function sandboxFinding(
  { settings }: LoadedSettings,
  root: string,
  io: Io,
): Promise<{ findings: DoctorFinding[]; sandbox: Sandbox | null; isBroken: boolean }> {
  const kind = settings['sandbox.kind']
  const env = setVariables(io.env)
  const place = { root, trusted: [], run: '', env }
  const [name, network] = [settings['sandbox.name'], settings['sandbox.network']]
  const lets = { home: settings['sandbox.home'], variables: settings['sandbox.env'] }
  const opened = await attempt(async () => {
    const sandbox = openSandbox(kind, { ...place, ...lets, name, network })
    await sandbox?.check()
    return sandbox
  })
  if (opened instanceof Failure)
    return { findings: [{ mark: '✗', what: 'sandbox', found: opened.message }], sandbox: null, isBroken: true }
  const found = `${kind}${name === '' ? '' : ` ${name}`}, network ${network}`
  return { findings: kind === 'none' ? [] : [{ mark: '✓', what: 'sandbox', found }], sandbox: opened, isBroken: false }
}

export function folderFinding(what: string, folder: string): DoctorFinding {
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

/** Logs, checkouts and worktrees need some. Each disk is named once. */
export function diskFindings(folders: string[]): DoctorFinding[] {
  const disks = new Map<number, { folder: string; freeMb: number }>()
  for (const folder of [...folders, tmpdir()].map(nearestFolder)) {
    const known = tried(() => ({ disk: statSync(folder).dev, free: statfsSync(folder) }), null)
    if (known === null || disks.has(known.disk)) continue
    disks.set(known.disk, { folder, freeMb: Math.floor((known.free.bavail * known.free.bsize) / 1_000_000) })
  }
  const tight = [...disks.values()].filter(({ freeMb }) => freeMb < plentyMb)
  if (tight.length > 0)
    return tight.map(({ folder, freeMb }) => ({
      mark: freeMb < leastMb ? '✗' : '!',
      what: 'disk space',
      found: `only ${freeMb} MB free in ${folder}`,
      advice: 'free some space: agents, gates and logs write there',
    }))
  const least = Math.min(...[...disks.values()].map(({ freeMb }) => freeMb))
  return disks.size === 0 ? [] : [{ mark: '✓', what: 'disk space', found: `${Math.floor(least / 1000)} GB free` }]
}

const plentyMb = 1000
const leastMb = 50

/** Of its output; undefined: it fails, or takes too long. */
async function firstLine(command: string, args: string[], root: string, io: Io): Promise<string | undefined> {
  const { output, code } = await run(command, args, root, io)
  const line = output.trim().split('\n')[0]?.trim()
  return code === 0 && line ? line : undefined
}

/** `code` null: it was stopped, or did not start. */
async function run(command: string, args: string[], root: string, io: Io): Promise<{ output: string; code: number | null }> {
  let output = ''
  const env = Object.entries(io.env).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const end = await runTree({
    command,
    args,
    cwd: root,
    env: Object.fromEntries(env),
    stdin: '',
    tag: `doctor:${process.pid}`,
    timeoutMs: PROGRAM_TIMEOUT_MS,
    graceMs: 500,
    keep: [],
    onOutput: (chunk) => {
      if (output.length < 10_000) output += chunk.toString('utf8')
    },
    stop: new AbortController().signal,
  })
  return { output, code: end.how === 'exited' ? end.code : null }
}

const PROGRAM_TIMEOUT_MS = 10_000
