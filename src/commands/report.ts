/** `ralph report`: results, cost, forecast and effect of learning for a feature; as text, data or a page. */
import { join, relative, resolve } from 'node:path'
import { errorCode, replaceFile } from '../adapters/files/files.ts'
import { readLog } from '../adapters/project/event-log.ts'
import { eventLogPath, NAMES } from '../adapters/project/layout.ts'
import { EXIT, Failure } from '../core/failure.ts'
import type { Io } from '../io.ts'
import { ledgersBeside } from '../run/history/all-logs.ts'
import { projectOrArchive, withPathsNow } from '../run/history/archived.ts'
import { ledgerOf } from '../views/figures/ledger.ts'
import { type ReportData, reportData } from '../views/report/data.ts'
import { historyOf } from '../views/report/history.ts'
import { wholeReport } from '../views/report/report.ts'

/** `html`: true for report.html next to the log, a path, or `-` for standard output. */
export async function runReport(args: { feature?: string; html?: string | true; json?: boolean }, io: Io): Promise<number> {
  if (args.html !== undefined && args.json === true)
    throw new Failure(EXIT.usage, '--html and --json cannot be combined. Use one of them.')
  const project = await projectOrArchive(io, args.feature)
  const log = eventLogPath(project.dir)
  const { events } = readLog(log)
  const own = ledgerOf(events)
  if (own.runs.length === 0 && args.json !== true) {
    io.out(`${project.feature} has never run. Start with: ralph run\n`)
    return 0
  }
  const all = [own, ...ledgersBeside(project.root, log)]
  const data = { ...reportData(own, historyOf(events), all), feature: project.feature }
  if (args.json === true) io.raw(`${JSON.stringify(data, null, 2)}\n`)
  else if (args.html === undefined) io.out(withPathsNow(wholeReport(own.state, data), project))
  else await showPage(data, args.html === true ? join(project.dir, NAMES.reportPage) : args.html, io)
  return 0
}

async function showPage(data: ReportData, place: string, io: Io): Promise<void> {
  const { reportPage } = await import('../views/report/html/page.ts')
  const page = reportPage(data)
  if (place === '-') {
    io.raw(page)
    return
  }
  const path = resolve(io.cwd, place)
  try {
    replaceFile(path, page)
  } catch (error) {
    throw new Failure(
      EXIT.usage,
      `Could not write the report to ${place} (${errorCode(error) || (error as Error).message}). Name another file, or - for standard output.`,
    )
  }
  io.out(`${relative(io.cwd, path)}\n`)
}
