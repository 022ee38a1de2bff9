/** What finished stories of a project's other features took, for forecasts. */
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { archiveFolder, eventLogPath, stateFolder } from '../../adapters/project/layout.ts'
import type { StoryTook } from '../../core/figures/forecast.ts'
import { finishedOf } from '../../views/report/costs.ts'
import { keptStatus } from './status-now.ts'

/** From their status.json, otherwise from the log. */
export async function finishedBeside({ root, dir }: { root: string; dir: string }): Promise<StoryTook[]> {
  const known = logsBeside(root, eventLogPath(dir)).map((log) => ({ log, finished: keptStatus(dirname(log))?.finished }))
  if (known.every(({ finished }) => finished !== undefined)) return known.flatMap(({ finished }) => finished ?? [])
  const { ledgersIn } = await import('./all-logs.ts')
  return known.flatMap(({ log, finished }) => finished ?? ledgersIn([log]).flatMap(finishedOf))
}

/** The logs of all features but one, and of the archive. */
export function logsBeside(root: string, except: string): string[] {
  const folders = [stateFolder(root), archiveFolder(root)].flatMap((folder) =>
    existsSync(folder) ? readdirSync(folder).map((name) => eventLogPath(join(folder, name))) : [],
  )
  return folders.filter((path) => path !== except && existsSync(path)).sort()
}
