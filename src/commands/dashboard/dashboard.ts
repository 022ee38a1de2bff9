/** `ralph dashboard`: a page in the browser for one or many projects, live, until Ctrl+C. */
import { spawn } from 'node:child_process'
import { join, relative, resolve } from 'node:path'
import { commitDiffs } from '../../adapters/git/commit-diffs.ts'
import { commitStats } from '../../adapters/git/commit-stats.ts'
import { masker } from '../../adapters/mask/mask.ts'
import { findRoot, listFeatures, ralphHome } from '../../adapters/project/find.ts'
import { knownProjects, rememberProject } from '../../adapters/project/known-projects.ts'
import { shippedPath } from '../../adapters/project/templates.ts'
import { signalExit, stopSignals } from '../../core/exit-codes.ts'
import { EXIT, Failure, sure } from '../../core/failure.ts'
import { plain } from '../../core/text/plain.ts'
import type { CommitData, DiffData } from '../../dashboard/data/shapes.ts'
import { isLoopback } from '../../dashboard/server/guard.ts'
import { isProjectFolder, type ProjectPlace, projectPlaces } from '../../dashboard/server/places.ts'
import type { ToolsOf } from '../../dashboard/server/reading.ts'
import type { serveDashboard } from '../../dashboard/server/serve.ts'
import type { ReadLine } from '../../dashboard/server/transcripts.ts'
import type { Io } from '../../io.ts'
import { agentsKnown, readerOf } from '../../run/history/log-agents.ts'
import { logTail } from '../../run/history/log-tail.ts'
import { findProject } from '../../run/project.ts'
import { carryOut } from '../control/carry-out.ts'

type Located = { root: string; dir: string; feature: string }
type Args = {
  feature?: string
  projects?: string[]
  fleet?: string | true
  port?: string
  host?: string
  open?: boolean
  metricsTokenEnv?: string
}

export async function runDashboard(args: Args, io: Io): Promise<number> {
  const host = args.host ?? '127.0.0.1'
  const port = args.port === undefined ? null : portIn(args.port)
  const figures = args.metricsTokenEnv === undefined ? undefined : tokenIn(args.metricsTokenEnv, io)
  const shown = args.fleet === undefined ? onThisMachine(args, io) : await inFleet(args.fleet, io)
  const { projects, ask, fetchLog, close } = shown
  const view = args.feature === undefined ? '' : await viewOf(projects(), args.feature, io)
  const { serveDashboard } = await import('../../dashboard/server/serve.ts')
  const commits = (place: Located, ids: string[]): Promise<CommitData[]> => commitsOf(place, ids, io)
  const diff = (place: Located, ids: string[]): Promise<DiffData> => diffOf(place, ids, io)
  const readerFor = (place: Located, agents: string[]): Promise<ReadLine> => linesOf(place, agents, io)
  const toolsOf: ToolsOf = (place, agents) => toolsIn(place, agents, io)
  const files = shippedPath('dist/dashboard')
  const kept = join(ralphHome(io.env), 'dashboard.json')
  const dashboard = await serveDashboard({
    host,
    port,
    figures,
    projects,
    ask,
    fetchLog,
    readerFor,
    toolsOf,
    commits,
    diff,
    files,
    kept,
  })
  if (!isLoopback(host))
    io.err('! Anyone who can reach this address and has the token controls your runs. The connection is not encrypted.\n')
  io.out(`${dashboard.url}${view}\nPress Ctrl+C to close it; runs continue.\n`)
  if (args.open !== false && io.isAttended) openBrowser(dashboard.openUrl + view)
  const exit = await new Promise<number>((ended) => {
    for (const signal of stopSignals) process.once(signal, () => ended(signalExit[signal]))
  })
  await dashboard.close()
  await close()
  return exit
}

type DashboardSource = Pick<Parameters<typeof serveDashboard>[0], 'projects' | 'ask' | 'fetchLog'> & {
  close(): Promise<void>
}

function onThisMachine(args: Args, io: Io): DashboardSource {
  const roots = rootsFor(args.projects, io)
  if (roots().length === 0)
    throw new Failure(
      EXIT.usage,
      'No project to show. Create a feature with: ralph init <feature>, or name projects with --projects.',
    )
  return {
    projects: () => projectPlaces(roots()),
    ask: (place, asked) => carryOut(place, asked, io),
    fetchLog: async () => {},
    close: async () => {},
  }
}

async function inFleet(url: string | true, io: Io): Promise<DashboardSource> {
  const [{ databaseUrl }, { fleetPlaces }] = await Promise.all([import('../fleet/fleet.ts'), import('../fleet/dashboard.ts')])
  return fleetPlaces(databaseUrl(url === true ? {} : { db: url }, io), io)
}

function tokenIn(name: string, io: Io): string {
  const token = io.env[name] ?? ''
  if (/^\S{16,}$/.test(token)) return token
  const what = token === '' ? `is empty` : 'has fewer than 16 characters, or spaces'
  throw new Failure(
    EXIT.config,
    `The variable ${name} ${what}. Set it to a token for /metrics, such as the output of: openssl rand -hex 24`,
  )
}

/** The named projects; otherwise this one and every one that this user has run. */
function rootsFor(named: string[] | undefined, io: Io): () => string[] {
  const home = ralphHome(io.env)
  if (named !== undefined) {
    const roots = named.map((name) => resolve(io.cwd, name))
    const wrong = roots.find((root) => !isProjectFolder(root))
    if (wrong !== undefined)
      throw new Failure(EXIT.usage, `${wrong} is not a project: it has no .ralph folder. Create one with: ralph init <feature>`)
    return () => roots
  }
  const here = findRoot(io.cwd, home)
  const own = isProjectFolder(here) ? [here] : []
  for (const root of own) rememberProject(home, root)
  return () => [...own, ...knownProjects(home)]
}

/** The part of a URL that opens a feature's page. */
async function viewOf(projects: ProjectPlace[], asked: string, io: Io): Promise<string> {
  const elsewhere = projects.find((project) => project.live !== undefined && listFeatures(project.root).includes(asked))
  if (elsewhere !== undefined) return `#/run/${elsewhere.id}/${asked}`
  const [here] = projects
  const { feature } = await findProject({ ...io, cwd: here?.root ?? io.cwd }, asked)
  return `#/run/${sure(here, 'project to show').id}/${feature}`
}

/** As the agents that printed them meant them. */
async function linesOf(place: Located, agents: string[], io: Io): Promise<ReadLine> {
  const project = { ...place, home: ralphHome(io.env), label: relative(place.root, place.dir) }
  const known = await agentsKnown(project, io)
  return readerOf(
    agents.flatMap((name) => known(name) ?? []),
    project,
  )
}

/** From the ends of their logs. */
async function toolsIn(place: Located, agents: ReadonlyMap<number, string[]>, io: Io): ReturnType<ToolsOf> {
  const readers = new Map<number, ReadLine>()
  for (const [iteration, names] of agents) readers.set(iteration, await linesOf(place, names, io))
  const mask = masker(io.env)
  return (iteration) => {
    const read = readers.get(iteration)
    return read === undefined ? '' : mask.text(logTail(place, iteration, read).tool.slice(0, 200))
  }
}

async function commitsOf({ root }: Located, ids: string[], io: Io): Promise<CommitData[]> {
  const mask = masker(io.env)
  const stats = await commitStats(root, ids, io.env).catch(() => []) // without git there is still the rest to see
  return stats.map((stat) => ({ ...stat, subject: mask.text(stat.subject) }))
}

async function diffOf({ root }: Located, ids: string[], io: Io): Promise<DiffData> {
  const mask = masker(io.env)
  const { files, ...rest } = await commitDiffs(root, ids, io.env).catch(() => ({ files: [], missing: ids, isCut: false }))
  return { ...rest, files: files.map((file) => ({ ...file, lines: file.lines.map((line) => plain(mask.text(line))) })) }
}

function portIn(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw new Failure(EXIT.usage, `Invalid port "${text}": use a number up to 65535, or 0 for any free port.`)
}

/** The URL is printed too, in case no browser opens. */
export function openBrowser(url: string): void {
  const child = spawn(process.platform === 'darwin' ? 'open' : 'xdg-open', [url], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}
