/** `ralph monitor`: a live screen of a run in another terminal; without a terminal, one snapshot. */
import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { readPlan } from '../adapters/plan/find-plan.ts'
import { readLog } from '../adapters/project/event-log.ts'
import { listFeatures } from '../adapters/project/find.ts'
import { eventLogPath } from '../adapters/project/layout.ts'
import { callsThisHour } from '../adapters/project/rate-limit.ts'
import { instantOf } from '../core/text/time.ts'
import { scopeOf } from '../core/types/words.ts'
import type { Plan } from '../core/types.ts'
import type { Io } from '../io.ts'
import { projectOrArchive } from '../run/history/archived.ts'
import { aboutIteration, agentsKnown, readerOf } from '../run/history/log-agents.ts'
import { type LogTail, logTail } from '../run/history/log-tail.ts'
import { statusNow } from '../run/history/status-now.ts'
import { type Project, settingsOf } from '../run/project.ts'
import { type Ledger, ledgerOf } from '../views/figures/ledger.ts'
import type { MonitorAct, OpenedAt } from '../views/monitor/keys.ts'
import { type Model, monitorModel, snapshotLines } from '../views/monitor/model.ts'
import { type History, historyOf } from '../views/report/history.ts'
import { lookOf } from '../views/terminal/look.ts'
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
    terminal: lookOf({ ...io, columns: process.stdout.columns }),
    isInPlace,
    look: (asked, opened) => look(asked, opened).catch((error: Error) => error.message),
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

type FollowedLog = { path: string; size: number; own: Ledger; history: History; agents: AgentsAt }
/** Which agents an iteration called. */
type AgentsAt = (iteration: number) => string[]

/** If nothing was added, a new look costs the same however long the history is. */
function looker(io: Io): (feature: string, opened?: OpenedAt | null) => Promise<Model> {
  let followed: FollowedLog | null = null
  return async (feature, opened = null) => {
    const project = await projectOrArchive(io, feature)
    followed = historyIn(project, followed)
    const { own, agents, history } = followed
    const state = own.state.run === '' ? { ...own.state, plan: await planIn(project) } : own.state
    const status = await statusNow(project, io.env)
    const now = instantOf(Date.now())
    const calls = {
      thisHour: callsThisHour(project.home, state.policy.agent, now),
      limit: status.callLimit ?? (await limitIn(io, project)),
    }
    const known = await agentsKnown(project, io)
    const tailOf = (iteration: number): LogTail =>
      logTail(
        project,
        iteration,
        readerOf(
          agents(iteration).flatMap((name) => known(name) ?? []),
          project,
        ),
      )
    const shown = state.flights.length > 1 ? state.flights.map(({ iteration }) => iteration) : [status.iteration]
    const iterations = opened === null ? [] : history.iterations.filter(({ story }) => story === opened.story)
    const chosen = iterations.find(({ iteration }) => iteration === opened?.iteration) ?? iterations.at(-1)
    return monitorModel(
      status,
      {
        state,
        endedAt: own.runs.at(-1)?.endedAt ?? null,
        calls,
        took: Object.fromEntries(own.stories.map(({ id, ms, costUsd }) => [id, { ms, costUsd }])),
        panes: shown.map((iteration) => ({ iteration, ...tailOf(iteration) })),
        opened: opened && {
          story: opened.story,
          iterations,
          chosen: chosen?.iteration ?? null,
          log: chosen === undefined ? [] : tailOf(chosen.iteration).log,
        },
      },
      now,
    )
  }
}

function historyIn({ dir }: Project, before: FollowedLog | null): FollowedLog {
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
  return { path, size, own: ledgerOf(events), history: historyOf(events), agents }
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
