/** Commands that only look: status and why. They read the archive when the feature is gone. */
import { join, relative } from 'node:path'
import { EXIT, Failure } from '../core/failure.ts'
import { instantOf } from '../core/time.ts'
import type { Io } from '../io.ts'
import { logsFolder, projectOrArchive } from '../run/archived.ts'
import { liveRun } from '../run/live-run.ts'
import { statusNow } from '../run/status-now.ts'
import { statusLines } from '../views/status-lines.ts'

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
