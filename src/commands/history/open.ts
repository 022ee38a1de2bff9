/** `ralph open`: the dashboard, or the report of a feature, in the browser. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { NAMES } from '../../adapters/project/layout.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import type { Io } from '../../io.ts'
import { projectOrArchive } from '../../run/history/archived.ts'
import { openBrowser, runDashboard } from '../dashboard/dashboard.ts'
import { runReport } from '../report.ts'

export async function runOpen(args: { feature?: string; what: string }, io: Io): Promise<number> {
  const { what, feature } = args
  const named = feature === undefined ? {} : { feature }
  if (what === 'dashboard') return runDashboard(named, io)
  if (what !== 'report') throw new Failure(EXIT.usage, `Cannot open "${what}"; use dashboard or report.`)
  const { dir } = await projectOrArchive(io, feature)
  const path = join(dir, NAMES.reportPage)
  const exit = await runReport({ ...named, html: path }, io)
  if (exit === 0 && io.isAttended && existsSync(path)) openBrowser(pathToFileURL(path).href)
  return exit
}
