/** `ralph monitor`: a live screen of a run in another terminal; without a terminal, one snapshot. */
import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { join } from 'node:path'
import { readTail } from '../adapters/files/tail.ts'
import { readPlan } from '../adapters/plan/read.ts'
import { readLog } from '../adapters/project/event-log.ts'
import { listFeatures } from '../adapters/project/find.ts'
import { eventLogPath, iterationLogName } from '../adapters/project/layout.ts'
import { callsThisHour } from '../adapters/project/rate-limit.ts'
import type { Entry } from '../core/reading/transcript.ts'
import { jsonIn } from '../core/text/json.ts'
import { instantOf } from '../core/text/time.ts'
import type { Plan } from '../core/types.ts'
import { scopeOf } from '../core/words.ts'
import type { Io } from '../io.ts'
import { logsFolderOf, projectOrArchive } from '../run/history/archived.ts'
import { aboutIteration, agentsKnown, readerOf } from '../run/history/log-agents.ts'
import { statusNow } from '../run/history/status-now.ts'
import { type Project, settingsOf } from '../run/project.ts'
import { type Ledger, ledgerOf } from '../views/figures/ledger.ts'
import { logReader } from '../views/log-lines.ts'
import type { MonitorAct } from '../views/monitor/keys.ts'
import { type Model, monitorModel, snapshotLines } from '../views/monitor/model.ts'
import type { ScreenLine } from '../views/screen/line.ts'
import { runAnswer, runPause, runResume, runSay, runStop } from './requests.ts'

export async function runMonitor(args: { feature?: string }, io: Io): Promise<number> {
  const { root, feature } = await projectOrArchive(io, args.feature)
  const look = looker(io)
  const first = await look(feature)
  if (!io.isAttended || io.env['TERM'] === 'dumb') {
    io.out(`${snapshotLines(first).join('\n')}\n`)
    return 0
  }
  // Some dependencies load Node's own modules with require().
  ;(globalThis as { require?: NodeJS.Require }).require ??= createRequire(import.meta.url)
  const { showMonitor } = await import('../views/monitor/app.tsx')
  const isInPlace = Boolean(io.env['RALPH_IN_PLACE'])
  const signal = await showMonitor({
    first,
    hasColour: !io.env['NO_COLOR'],
    isInPlace,
    look: (asked) => look(asked).catch((error: Error) => error.message),
    ask: (asked, act) => request(asked, act, io),
    featureAfter: (current) => {
      const features = listFeatures(root)
      return features[(features.indexOf(current) + 1) % features.length] ?? current
    },
  })
  // Next to a run, Ctrl+C leaves the monitor; in its place, it stops the run.
  const isLeft = signal === null || (signal === 'SIGINT' && !isInPlace)
  return isLeft ? 0 : 128 + constants.signals[signal]
}

/** The same as the commands of these names; what they print is the answer. */
async function request(feature: string, act: MonitorAct, io: Io): Promise<string> {
  let said = ''
  const own: Io = { ...io, out: (text) => void (said += text) }
  try {
    if (act.kind === 'pause') await runPause({ feature }, own)
    else if (act.kind === 'resume') await runResume({ feature }, own)
    else if (act.kind === 'stop') await runStop({ feature }, own)
    else if (act.kind === 'say') await runSay({ feature, text: act.text }, own)
    else if (act.kind === 'answer') await runAnswer({ feature, text: act.text, story: act.story }, own)
  } catch (error) {
    said = (error as Error).message
  }
  return said.trim().replaceAll('\n', ' ')
}

type FollowedLog = { path: string; size: number; own: Ledger; agents: AgentsAt }
/** Which agents an iteration called. */
type AgentsAt = (iteration: number) => string[]

/** If nothing was added, a new look costs the same however long the history is. */
function looker(io: Io): (feature: string) => Promise<Model> {
  let history: FollowedLog | null = null
  return async (feature) => {
    const project = await projectOrArchive(io, feature)
    history = historyOf(project, history)
    const { own, agents } = history
    const state = own.state.run === '' ? { ...own.state, plan: await planIn(project) } : own.state
    const status = await statusNow(project, io.env)
    const now = instantOf(Date.now())
    const calls = {
      thisHour: callsThisHour(project.home, state.policy.agent, now),
      limit: status.callLimit ?? (await limitIn(io, project)),
    }
    const known = await agentsKnown(project, io)
    const reader = readerOf(agents(status.iteration).flatMap((name) => known(name) ?? []))
    const endedAt = own.runs.at(-1)?.endedAt ?? null
    return monitorModel(status, { state, endedAt, calls, ...logOf(project, status.iteration, reader) }, now)
  }
}

function historyOf({ dir }: Project, before: FollowedLog | null): FollowedLog {
  const path = eventLogPath(dir)
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (before !== null && before.path === path && before.size === size) return before
  const events = size === 0 ? [] : readLog(path).events
  const known = new Map<number, string[]>()
  const agents: AgentsAt = (iteration) => {
    const [init, step] = aboutIteration(scopeOf(iteration))
    const found = known.get(iteration) ?? events.reduce(step, init).agents
    known.set(iteration, found)
    return found
  }
  return { path, size, own: ledgerOf(events), agents }
}

/** Before the first run there is only the plan; a run reports what is wrong with it. */
const planIn = async ({ dir, label }: Project): Promise<Plan | null> =>
  (await readPlan(dir, label).catch(() => null))?.plan?.plan ?? null

/** From the settings, before the first run. If they cannot be read, there is just no bar. */
const limitIn = (io: Io, project: Project): Promise<number> =>
  settingsOf(io, project).then(
    ({ settings }) => settings['defaults.rate_limit_per_hour'],
    () => 0,
  )

const tailLines = 400

function logOf(
  project: Project,
  iteration: number,
  reader: (line: string) => Entry[],
): { tool: string; file: string; log: ScreenLine[] } {
  if (iteration === 0) return { tool: '', file: '', log: [] }
  const path = join(logsFolderOf(project), iterationLogName(iteration))
  const text = readTail(path, tailLines)
  const lines = text.split('\n')
  // In a long log, the first line may be cut, and the last may be incomplete. Readers cannot parse these.
  const isCut = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > Buffer.byteLength(text) + 1
  if (isCut && lines.length > 1) lines.shift()
  if (isHalf(lines.at(-1) ?? '')) lines.pop()
  let tool = ''
  let file = ''
  const read = logReader((line) => {
    const entries = reader(line)
    for (const entry of entries) {
      if (entry.kind !== 'tool') continue
      tool = `${entry.name} ${entry.target}`
      file = fileIn(entry, project.root) || file
    }
    return entries
  })
  const log = lines.flatMap(read)
  return { tool, file, log }
}

/** The file that a tool call is about, relative to the project; empty: none. */
function fileIn({ name, target, edit }: Extract<Entry, { kind: 'tool' }>, root: string): string {
  const isPath =
    /^[^\s*?{}$|<>]*[./][^\s*?{}$|<>]*$/.test(target) && !/^\w+:\/\//.test(target) && !/bash|shell|exec|command|grep/i.test(name)
  const path = edit?.path ?? (isPath ? target : '')
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path
}

const isHalf = (line: string): boolean => line.startsWith('{') && jsonIn(line) === undefined
