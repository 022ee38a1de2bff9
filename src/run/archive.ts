/** The archive: what a finished feature leaves behind, moved and never deleted. */
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../adapters/files.ts'
import { snapshotPath } from '../adapters/plan/keeper.ts'
import type { Instant, Plan } from '../core/types.ts'
import type { Project } from './project.ts'

/** Moves the feature's folder to the archive, its logs beside or inside; gives the new folder. */
export function archiveFeature(project: Project, at: Instant, includeLogs: boolean): string {
  const { folder, logs } = freeNames(project, at)
  const ownLogs = join(project.dir, 'logs')
  if (!includeLogs && existsSync(ownLogs)) {
    mkdirSync(join(logs, '..'), { recursive: true })
    renameSync(ownLogs, logs)
  }
  mkdirSync(join(folder, '..'), { recursive: true })
  renameSync(project.dir, folder)
  return folder
}

/** The plan was made over for another branch: the last run goes to the archive with the plan that it ran, the new plan stays. */
export function archiveLastRun(project: Project, at: Instant, lastPlan: Plan): string {
  const { folder, logs } = freeNames(project, at)
  mkdirSync(folder, { recursive: true })
  const snapshot = snapshotPath(project.dir, lastPlan.file)
  if (existsSync(snapshot)) copyFileSync(snapshot, join(folder, lastPlan.file))
  else
    replaceFile(
      join(folder, lastPlan.file),
      `${JSON.stringify({ branchName: lastPlan.branch, userStories: lastPlan.stories }, null, 2)}\n`,
    )
  for (const name of readdirSync(project.dir)) {
    const from = join(project.dir, name)
    if (memory.has(name)) renameSync(from, join(folder, name))
    else if (name === 'specs' || name === 'prompt.md') cpSync(from, join(folder, name), { recursive: true })
  }
  const ownLogs = join(project.dir, 'logs')
  if (existsSync(ownLogs)) {
    mkdirSync(join(logs, '..'), { recursive: true })
    renameSync(ownLogs, logs)
  }
  rmSync(join(project.dir, 'inbox'), { recursive: true, force: true })
  return folder
}

const memory = new Set([
  'progress.txt',
  'learnings',
  'report.md',
  'report.json',
  'blocked.txt',
  'decide.txt',
  'state.md',
  'events.jsonl',
  'status.json',
])

/** 2026-01-09-login, or with -2, -3 and so on if that is taken. */
function freeNames({ root, feature }: Project, at: Instant): { folder: string; logs: string } {
  const base = `${at.slice(0, 10)}-${feature}`
  for (let n = 1; ; n++) {
    const name = n === 1 ? base : `${base}-${n}`
    const folder = join(root, '.ralph', 'archive', name)
    const logs = join(root, '.ralph', 'logs', name)
    if (!existsSync(folder) && !existsSync(logs)) return { folder, logs }
  }
}
