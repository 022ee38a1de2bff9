/** Read-only commands: status and why. They read the archive if the feature is gone. */
import { join, relative } from 'node:path'
import { eventLogPath, iterationLogName } from '../adapters/project/layout.ts'
import { EXIT, Failure } from '../core/failure.ts'
import { instantOf } from '../core/text/time.ts'
import type { Event } from '../core/types.ts'
import type { Io } from '../io.ts'
import { archivedProjects, logsFolderOf, projectOrArchive } from '../run/history/archived.ts'
import { liveRun } from '../run/history/live-run.ts'
import { statusNow } from '../run/history/status-now.ts'
import type { Project } from '../run/project.ts'
import { statusLines } from '../views/status/lines.ts'

export async function runStatus(args: { feature?: string; json?: boolean }, io: Io): Promise<number> {
  const project = await projectOrArchive(io, args.feature)
  const status = await statusNow(project, io.env)
  if (args.json) io.out(`${JSON.stringify(status, null, 2)}\n`)
  else io.out(`${statusLines(status, instantOf(Date.now())).join('\n')}\n`)
  return 0
}

export async function runWhy(args: { feature?: string; run?: string }, io: Io): Promise<number> {
  const project = await projectOrArchive(io, args.feature)
  const { readLog } = await import('../adapters/project/event-log.ts')
  const { whyLines } = await import('../views/why.ts')
  const whyIn = (place: Project, events: Event[]): string[] | null =>
    whyLines(events, args.run, liveRun(place) !== null, {
      dir: relative(place.root, place.dir),
      log: (iteration) => relative(place.root, join(logsFolderOf(place), iterationLogName(iteration))),
    })
  const { events } = readLog(eventLogPath(project.dir))
  let lines = whyIn(project, events)
  if (lines === null && args.run === undefined) {
    io.out(`${project.feature} has never run. Start with: ralph run\n`)
    return 0
  }
  // A run of an earlier, archived plan.
  for (const place of archivedProjects(project, project.feature).reverse())
    lines ??= whyIn(place, readLog(eventLogPath(place.dir)).events)
  if (lines === null) {
    const runs = [...new Set(events.map(({ run }) => run))].filter((run) => run !== '')
    const known = runs.length === 0 ? 'It has never run.' : `Last runs: ${runs.slice(-5).join(', ')}.`
    throw new Failure(EXIT.usage, `No run ${args.run} of ${project.feature}. ${known}`)
  }
  io.out(`${lines.join('\n')}\n`)
  return 0
}
