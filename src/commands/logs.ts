/** `ralph logs`: shows the output of agent and gates in an iteration, also while it runs. */
import { StringDecoder } from 'node:string_decoder'
import { lineSplitter } from '../adapters/files/lines.ts'
import { followLogs, logsIn, readLogFile, type Sink } from '../adapters/logs/files.ts'
import { foldLog } from '../adapters/project/event-log.ts'
import { eventLogPath } from '../adapters/project/layout.ts'
import { signalExit } from '../core/exit-codes.ts'
import { EXIT, Failure } from '../core/failure.ts'
import { instantOf } from '../core/text/time.ts'
import { scopeOf } from '../core/types/words.ts'
import type { Io } from '../io.ts'
import { logsFolderOf, projectOrArchive } from '../run/history/archived.ts'
import { liveRun } from '../run/history/live-run.ts'
import { aboutIteration, agentsKnown, readerOf } from '../run/history/log-agents.ts'
import type { Project } from '../run/project.ts'
import { sayLocal } from '../views/local-time.ts'
import { logReader } from '../views/log-lines.ts'
import { silent } from '../views/reading.ts'
import type { ScreenLine } from '../views/screen/line.ts'
import { dressed } from '../views/terminal/dress.ts'
import { lookOf } from '../views/terminal/look.ts'

export async function runLogs(
  args: { feature?: string; iteration?: string; follow?: boolean; raw?: boolean },
  io: Io,
): Promise<number> {
  const project = await projectOrArchive(io, args.feature)
  const logs = logsIn(logsFolderOf(project))
  const iteration = args.iteration === undefined ? [...logs.keys()].at(-1) : asked(args.iteration, project, logs)
  const isLive = liveRun(project) !== null
  const open = args.raw ? async () => rawSink(io) : await readableLog(project, io)
  if (args.follow && isLive) return followed(project, iteration ?? 0, open, io)
  const path = iteration === undefined ? undefined : logs.get(iteration)
  if (iteration === undefined || path === undefined) {
    io.out(`${project.feature} has no logs yet. ${isLive ? 'Its run is starting' : 'Start with: ralph run'}\n`)
    return 0
  }
  if (args.follow) io.err(`${project.feature} is not running; showing its last log.\n`)
  await readLogFile(path, await open(iteration))
  return 0
}

function asked(written: string, { feature }: Project, logs: Map<number, unknown>): number {
  const iteration = /^\d+$/.test(written) ? Number(written) : Number.NaN
  if (logs.has(iteration)) return iteration
  const numbers = [...logs.keys()].filter((number) => number > 0)
  const [first, last] = [numbers[0], numbers.at(-1)]
  const range = first === last ? `Available: ${first}` : `Available: ${first} to ${last}`
  const whole = logs.has(0) ? ', and 0 (checks of the whole project)' : ''
  const known =
    first === undefined ? (logs.has(0) ? 'Available: 0 (checks of the whole project)' : 'It has no logs yet') : `${range}${whole}`
  throw new Failure(EXIT.usage, `No log of iteration ${written} of ${feature}. ${known}.`)
}

type Open = (iteration: number) => Promise<Sink>

/** 0 when the run has ended; 130 after Ctrl+C. */
async function followed(project: Project, from: number, open: Open, io: Io): Promise<number> {
  const stop = new AbortController()
  const onInterrupt = (): void => stop.abort()
  process.once('SIGINT', onInterrupt)
  try {
    await followLogs({
      // A complete run moves its logs to the archive.
      folder: async () => logsFolderOf(await projectOrArchive(io, project.feature).catch(() => project)),
      from,
      isOver: () => liveRun(project) === null,
      stop: stop.signal,
      open,
    })
    return stop.signal.aborted ? signalExit.SIGINT : 0
  } finally {
    process.off('SIGINT', onInterrupt)
  }
}

function rawSink(io: Io): Sink {
  const decoder = new StringDecoder('utf8')
  return { push: (bytes) => io.raw(decoder.write(bytes)), end: () => io.raw(decoder.end()) }
}

/** Readable lines, parsed by the agents that printed them. */
async function readableLog(project: Project, io: Io): Promise<Open> {
  const put = (line: ScreenLine): void => io.raw(`${dressed(line, lookOf({ ...io, columns: process.stdout.columns }))}\n`)
  const known = await agentsKnown(project, io)
  let shown: number | null = null
  return async (iteration) => {
    const { title, agents, reading, startedAt } = foldLog(eventLogPath(project.dir), ...aboutIteration(scopeOf(iteration))).value
    const read = logReader(
      readerOf(
        agents.flatMap((name) => known(name) ?? []),
        project,
      ),
    )
    const lines = lineSplitter((line, isCut) => {
      for (const each of read(line)) put(each)
      if (isCut) put({ tone: 'warn', text: '  ! line cut; see all of it with: ralph logs --raw' })
    })
    const push = (bytes: Buffer): void => {
      // Several may grow at once.
      if (shown !== iteration) {
        const when = startedAt === undefined ? '' : `, ${sayLocal(startedAt, instantOf(Date.now()))}`
        put({ tone: 'strong', text: `${title}${when}` })
        if (reading !== undefined && reading !== silent) put({ tone: 'dim', text: `   read as: ${reading}` })
      }
      shown = iteration
      lines.push(bytes)
    }
    return { push, end: lines.end }
  }
}
