/** `ralph list` and `ralph runs`: every feature of a project, and every run of a feature. */
import { relative } from 'node:path'
import { readLog } from '../../adapters/project/event-log.ts'
import { listFeatures } from '../../adapters/project/find.ts'
import { eventLogPath } from '../../adapters/project/layout.ts'
import { Failure } from '../../core/failure.ts'
import { instantOf } from '../../core/text/time.ts'
import type { Io } from '../../io.ts'
import { archivedProjects, projectOrArchive } from '../../run/history/archived.ts'
import { planError } from '../../run/history/plan-error.ts'
import { statusNow } from '../../run/history/status-now.ts'
import { type Project, projectOf, projectRoot } from '../../run/project.ts'
import { ledgerOf } from '../../views/figures/ledger.ts'
import { type FeatureRow, featureLines, featureRow, runLines } from '../../views/status/features.ts'

export async function runList(args: { json?: boolean }, io: Io): Promise<number> {
  const { root, home } = projectRoot(io)
  const own = listFeatures(root).map((feature) => projectOf({ root, home }, feature))
  // A name may be read in two ways; each folder is listed once.
  const archived = new Map(archivedProjects({ root, home }, undefined).map((project) => [project.dir, project]))
  const rows = await Promise.all([
    ...own.map((project) => rowOf(project, false, io)),
    ...[...archived.values()].map((project) => rowOf(project, true, io)),
  ])
  if (args.json) io.raw(`${JSON.stringify({ version: 1, root, features: rows }, null, 2)}\n`)
  else if (rows.length === 0) io.out(`No features in ${root} yet. Create one with: ralph init <feature>\n`)
  else io.out(`${featureLines(rows, instantOf(Date.now())).join('\n')}\n`)
  return 0
}

/** A feature whose log cannot be read is in the list too. */
async function rowOf(project: Project, isArchived: boolean, io: Io): Promise<FeatureRow> {
  const folder = project.main === undefined ? relative(project.root, project.dir) : project.dir
  try {
    const status = { ...(await statusNow(project, io.env)), feature: project.feature }
    const problem = await planError(project, status)
    return { ...featureRow(status, folder, isArchived), ...(problem !== null && { problem }) }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const none = { outcome: null, stories: { complete: 0, total: 0, failed: 0, asking: 0 }, run: '', lastEventAt: null }
    return { feature: project.feature, state: 'unreadable', ...none, folder, problem: error.message.split('\n')[0] ?? '' }
  }
}

export async function runRuns(args: { feature?: string; json?: boolean }, io: Io): Promise<number> {
  const project = await projectOrArchive(io, args.feature)
  const { runs, calls } = ledgerOf(readLog(eventLogPath(project.dir)).events)
  const priced = runs.map((entry) => {
    const own = calls.filter(({ run }) => run === entry.run)
    const isKnown = own.every(({ costUsd }) => costUsd !== null)
    return { ...entry, calls: own.length, costUsd: isKnown ? own.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0) : null }
  })
  if (args.json) io.raw(`${JSON.stringify({ version: 1, feature: project.feature, runs: priced }, null, 2)}\n`)
  else if (priced.length === 0) io.out(`${project.feature} has never run. Start with: ralph run\n`)
  else io.out(`${runLines(priced, instantOf(Date.now())).join('\n')}\n`)
  return 0
}
