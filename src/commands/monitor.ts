/** `ralph monitor`: a live screen of a run, from another terminal; without a terminal, one look at it. */

import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { join } from 'node:path'
import { type AgentChoice, agentNamed } from '../adapters/agents/list.ts'
import { callsThisHour } from '../adapters/calls.ts'
import { readPlan } from '../adapters/plan/read.ts'
import { listFeatures } from '../adapters/project.ts'
import { readLog } from '../adapters/store.ts'
import { readTail } from '../adapters/tail.ts'
import { instantOf } from '../core/time.ts'
import type { Plan } from '../core/types.ts'
import type { Io } from '../io.ts'
import type { Reader } from '../ports.ts'
import { ledgersBeside } from '../run/all-logs.ts'
import { logsFolder, projectOrArchive } from '../run/archived.ts'
import { type Project, settingsOf } from '../run/project.ts'
import { statusNow } from '../run/status-now.ts'
import { outlookOf } from '../views/costs.ts'
import { type Ledger, ledgerOf } from '../views/ledger.ts'
import { logReader } from '../views/log-lines.ts'
import type { Act } from '../views/monitor/keys.ts'
import { type Model, monitorModel, snapshotLines } from '../views/monitor/model.ts'
import type { Line } from '../views/screen.ts'
import { runAnswer, runPause, runResume, runSay, runStop } from './requests.ts'

export async function runMonitor(args: { feature?: string }, io: Io): Promise<number> {
  const { root, feature } = await projectOrArchive(io, args.feature)
  const look = looker(io)
  const first = await look(feature)
  if (!io.isAttended || io.env['TERM'] === 'dumb') {
    io.out(`${snapshotLines(first).join('\n')}\n`)
    return 0
  }
  // Some of what its library is made of asks for Node's own modules in the old way.
  ;(globalThis as { require?: NodeJS.Require }).require ??= createRequire(import.meta.url)
  const { showMonitor } = await import('../views/monitor/app.tsx')
  const signal = await showMonitor({
    first,
    hasColour: !io.env['NO_COLOR'],
    look: (asked) => look(asked).catch((error: Error) => error.message),
    ask: (asked, act) => request(asked, act, io),
    featureAfter: (current) => {
      const features = listFeatures(root)
      return features[(features.indexOf(current) + 1) % features.length] ?? current
    },
  })
  // Beside a run, Ctrl+C is the way to leave; in its place, it is meant for the run.
  const isLeft = signal === null || (signal === 'SIGINT' && !io.env['RALPH_IN_PLACE'])
  return isLeft ? 0 : 128 + constants.signals[signal]
}

/** The same as the commands of these names, with what they print as the answer. */
async function request(feature: string, act: Act, io: Io): Promise<string> {
  let said = ''
  const own: Io = { ...io, out: (text) => void (said += text) }
  try {
    if (act.kind === 'pause') await runPause({ feature }, own)
    else if (act.kind === 'resume') await runResume({ feature }, own)
    else if (act.kind === 'stop') await runStop({ feature }, own)
    else if (act.kind === 'say') await runSay({ feature, text: act.text }, own)
    else if (act.kind === 'answer') await runAnswer({ feature, text: act.text }, own)
  } catch (error) {
    said = (error as Error).message
  }
  return said.trim().replaceAll('\n', ' ')
}

type History = { path: string; size: number; own: Ledger; others: Ledger[] }

/** Looks again at the same cost however long the history, while nothing was added to it. */
function looker(io: Io): (feature: string) => Promise<Model> {
  let history: History | null = null
  return async (feature) => {
    const project = await projectOrArchive(io, feature)
    history = historyOf(project, history)
    const { own, others } = history
    const state = own.state.run === '' ? { ...own.state, plan: await planIn(project) } : own.state
    const status = await statusNow(project)
    const { limit, reader } = await settingsFor(io, project, state.policy.agent)
    const now = instantOf(Date.now())
    const calls = { thisHour: callsThisHour(project.home, now), limit }
    const outlook = outlookOf({ ...own, state }, [own, ...others])
    const endedAt = own.runs.at(-1)?.endedAt ?? null
    return monitorModel(status, { state, endedAt, calls, outlook, ...logOf(project, status.iteration, reader) }, now)
  }
}

/** One run a worktree: while this feature's log grows, the others' do not. */
function historyOf({ root, dir }: Project, before: History | null): History {
  const path = join(dir, 'events.jsonl')
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  const isSame = before !== null && before.path === path
  if (isSame && before.size === size) return before
  const others = isSame ? before.others : ledgersBeside(root, path)
  return { path, size, own: ledgerOf(size === 0 ? [] : readLog(path).events), others }
}

/** Where nothing has run, the plan is all there is; what is wrong with it, a run says. */
const planIn = async ({ dir, label }: Project): Promise<Plan | null> =>
  (await readPlan(dir, label).catch(() => null))?.plan?.plan ?? null

/** Settings that cannot be read are no reason to show nothing: then there is no bar, and the run says which agent it was. */
async function settingsFor(io: Io, project: Project, agent: string): Promise<{ limit: number; reader: Reader }> {
  const settings = await settingsOf(io, project).then(
    (loaded) => loaded.settings,
    () => null,
  )
  const setting = settings?.['agent'] ?? agent
  const own = typeof setting === 'string' ? { name: setting } : setting
  // The run may have been given another one than the settings name.
  const choice = agent === '' || agent === own.name ? own : { name: agent }
  return { limit: settings?.['defaults.rate_limit_per_hour'] ?? 0, reader: readerOf(choice, project.root) }
}

/** What an agent that is not known any more printed is shown as it is. */
function readerOf(choice: AgentChoice, root: string): Reader {
  try {
    return agentNamed(choice, { allowedTools: '', skipPermissions: false, root }).reader()
  } catch {
    return (text) => [{ kind: 'noise', text }]
  }
}

const tailLines = 400

function logOf(project: Project, iteration: number, reader: Reader): { tool: string; log: Line[] } {
  if (iteration === 0) return { tool: '', log: [] }
  const path = join(logsFolder(project), `iteration-${String(iteration).padStart(3, '0')}.log`)
  const text = readTail(path, tailLines)
  const lines = text.split('\n')
  // Of a long log the first line may be the end of one; the last may not be whole yet. No reader understands these.
  const isCut = (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > Buffer.byteLength(text) + 1
  if (isCut && lines.length > 1) lines.shift()
  if (isHalf(lines.at(-1)!)) lines.pop()
  let tool = ''
  const read = logReader((line) => {
    const entries = reader(line, 'out')
    for (const entry of entries) if (entry.kind === 'tool') tool = `${entry.name} ${entry.target}`
    return entries
  })
  const log = lines.flatMap(read)
  return { tool, log }
}

function isHalf(line: string): boolean {
  if (!line.startsWith('{')) return false
  try {
    JSON.parse(line)
    return false
  } catch {
    return true
  }
}
