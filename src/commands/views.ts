/** Commands that only look: status and why. They read the archive when the feature is gone. */
import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { readIfThere, replaceFile } from '../adapters/files.ts'
import { EXIT, Failure } from '../core/failure.ts'
import { initialState } from '../core/initial.ts'
import { instantOf } from '../core/time.ts'
import type { Io } from '../io.ts'
import { logsFolder, projectOrArchive } from '../run/archived.ts'
import { liveRun } from '../run/live-run.ts'
import type { Project } from '../run/project.ts'
import { type Status, statusLines, statusOf } from '../views/status.ts'

export async function runStatus(args: { feature?: string; json?: boolean }, io: Io): Promise<number> {
  const project = await projectOrArchive(io, args.feature)
  const status = await statusNow(project)
  if (args.json) io.out(`${JSON.stringify(status, null, 2)}\n`)
  else io.out(`${statusLines(status, instantOf(Date.now())).join('\n')}\n`)
  return 0
}

export async function runWhy(args: { feature?: string; run?: string }, io: Io): Promise<number> {
  const project = await projectOrArchive(io, args.feature)
  const { readLog } = await import('../adapters/store.ts')
  const { whyLines } = await import('../views/why.ts')
  const { events } = readLog(join(project.dir, 'events.jsonl'))
  const paths = {
    dir: relative(project.root, project.dir),
    log: (iteration: number) =>
      relative(project.root, join(logsFolder(project), `iteration-${String(iteration).padStart(3, '0')}.log`)),
  }
  const lines = whyLines(events, args.run, liveRun(project) !== null, paths)
  if (lines === null) {
    if (args.run !== undefined) {
      const runs = [...new Set(events.map(({ run }) => run))].filter((run) => run !== '')
      const known = runs.length === 0 ? 'It has never run.' : `Its last runs: ${runs.slice(-5).join(', ')}.`
      throw new Failure(EXIT.usage, `There is no run ${args.run} of ${project.feature}. ${known}`)
    }
    io.out(`${project.feature} has never run. Start with: ralph run\n`)
    return 0
  }
  io.out(`${lines.join('\n')}\n`)
  return 0
}

/** status.json, at the same cost however long the history; the log only if that file is lost or broken. */
async function statusNow(project: Project): Promise<Status> {
  const path = join(project.dir, 'status.json')
  const live = liveRun(project)
  const read = parsed(readIfThere(path)) ?? (await rebuilt(project, path))
  const status = { ...read, feature: read.feature || project.feature }
  const isOver = status.state === 'ended' || status.state === 'idle'
  return isOver || live !== null ? status : { ...status, state: 'killed' }
}

function parsed(text: string | null): Status | null {
  try {
    const status = JSON.parse(text ?? 'null') as Status | null
    return status?.version === 1 && status.stories !== undefined && status.breaker !== undefined ? status : null
  } catch {
    return null
  }
}

async function rebuilt(project: Project, path: string): Promise<Status> {
  const hasRun = existsSync(join(project.dir, 'events.jsonl'))
  const state = hasRun ? (await import('../run/request.ts')).stateOf(project) : initialState
  const { readPlan } = await import('../adapters/plan/read.ts')
  // A plan that cannot run yet (no stories, a slip) is no reason to say nothing: the run names what is wrong with it.
  const known = state.plan === null ? await readPlan(project.dir, project.label).catch(() => null) : null
  const plan = state.plan ?? known?.plan?.plan ?? null
  const status = statusOf({ ...state, plan }, null)
  if (state.run !== '') {
    try {
      replaceFile(path, `${JSON.stringify(status, null, 2)}\n`)
    } catch {
      // a folder that cannot be written can still be looked at
    }
  }
  return status
}
