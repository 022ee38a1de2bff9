/** Read-only commands: status and why. They read the archive if the feature is gone. */
import { join } from 'node:path'
import { listFeatures } from '../adapters/project/find.ts'
import { eventLogPath, iterationLogName } from '../adapters/project/layout.ts'
import { currentEnvelopes } from '../adapters/project/spending.ts'
import { EXIT, Failure } from '../core/failure.ts'
import { instantOf } from '../core/text/time.ts'
import type { Event } from '../core/types.ts'
import type { Io } from '../io.ts'
import { archivedProjects, logsFolderOf, pathNow, projectOrArchive, withPathsNow } from '../run/history/archived.ts'
import { liveRun } from '../run/history/live-run.ts'
import { planError } from '../run/history/plan-error.ts'
import { statusNow } from '../run/history/status-now.ts'
import { lastOn, wayBack } from '../run/people/find-branch.ts'
import type { Project } from '../run/project.ts'
import { otherFeaturesLine } from '../views/status/features.ts'
import { statusLines } from '../views/status/lines.ts'

export async function runStatus(args: { feature?: string; json?: boolean; watch?: boolean }, io: Io): Promise<number> {
  const project = await projectOrArchive(io, args.feature)
  if (args.watch) return (await import('./history/watch-status.ts')).watchStatus(project, args, io)
  const read = await statusNow(project, args.json ? io.env : null) // the lines show nothing of the settings
  const status = { ...read, envelopes: currentEnvelopes(project.home, read, instantOf(Date.now())) }
  if (args.json)
    io.raw(`${JSON.stringify(status, null, 2)}
`)
  else {
    const way = status.state === 'idle' ? null : await wayBack(project, status, io.env)
    const error = await planError(project, status)
    const others = otherFeaturesLine(listFeatures(project.root), project.feature)
    const lines = [...statusLines(status, instantOf(Date.now()), { way, planError: error }), ...others]
    io.out(`${withPathsNow(lines.join('\n'), project)}\n`)
  }
  return 0
}

export async function runWhy(args: { feature?: string; run?: string; json?: boolean }, io: Io): Promise<number> {
  const project = await projectOrArchive(io, args.feature)
  const { readLog } = await import('../adapters/project/event-log.ts')
  const { whyData, whyLines, whyOf } = await import('../views/why.ts')
  const { heldOutLog } = await import('../run/proof/held-out-log.ts')
  const { isAskedFromInside } = await import('../run/people/request.ts')
  const isInside = isAskedFromInside(project, io.env)
  const now = instantOf(Date.now())
  const whyIn = async (place: Project, events: Event[]): Promise<string | null> => {
    const why = whyOf(events, { run: args.run, isLive: liveRun(place) !== null, now })
    const paths = {
      dir: pathNow(place, place.dir),
      log: (iteration: number) => pathNow(place, join(logsFolderOf(place), iterationLogName(iteration))),
      heldOut: (run: string) => (isInside ? null : heldOutLog(project, run)),
    }
    if (why === null) return null
    const way = why.isLive || place !== project ? null : await wayBack(place, lastOn(why.state), io.env)
    const known = { ...paths, way }
    return args.json ? JSON.stringify(whyData(why, known), null, 2) : withPathsNow(whyLines(why, known).join('\n'), place)
  }
  const { events } = readLog(eventLogPath(project.dir))
  let told = await whyIn(project, events)
  if (told === null && args.run === undefined) {
    const { feature } = project
    const status = await statusNow(project, null)
    const error = await planError(project, status)
    const next = status.stories.total === 0 ? `Plan it with: ralph plan -f ${feature}` : 'Start with: ralph run'
    io.out(
      args.json
        ? `${JSON.stringify({ version: 1, feature, run: null })}\n`
        : `${feature} has never run. ${error === null ? next : `Its plan has errors; see all with: ralph lint -f ${feature}\n  ${error}`}\n`,
    )
    return 0
  }
  // A run of an earlier, archived plan.
  for (const place of archivedProjects(project, project.feature).reverse())
    told ??= await whyIn(place, readLog(eventLogPath(place.dir)).events)
  if (told === null) {
    const runs = [...new Set(events.map(({ run }) => run))].filter((run) => run !== '')
    const known = runs.length === 0 ? 'It has never run.' : `Last runs: ${runs.slice(-5).join(', ')}.`
    throw new Failure(EXIT.usage, `No run ${args.run} of ${project.feature}. ${known}`)
  }
  io.out(`${told}\n`)
  return 0
}
