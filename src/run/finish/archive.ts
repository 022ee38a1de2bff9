/** The archive: a finished feature is moved there, never deleted. If a kill interrupts that, the next run completes it. */
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { readIfThere, replaceFile } from '../../adapters/files/files.ts'
import { isCopyable } from '../../adapters/files/open.ts'
import { type Git, openGit } from '../../adapters/git/git.ts'
import { gitIn } from '../../adapters/git/run.ts'
import { snapshotPath } from '../../adapters/plan/live-plan.ts'
import { ensureIgnored } from '../../adapters/project/gitignore.ts'
import { archiveFolder, eventLogPath, inboxFolder, logsFolder, NAMES } from '../../adapters/project/layout.ts'
import { forgetCopy } from '../../adapters/project/log/second-copy.ts'
import type { Instant, Plan } from '../../core/types.ts'
import { archivedProjects, withPathsNow } from '../history/archived.ts'
import type { Project } from '../project.ts'

/** Moves the feature's folder to the archive, its logs beside or inside; returns the new folder. */
export function archiveFeature(project: Project, at: Instant, includeLogs: boolean): string {
  ensureIgnored(project.root) // before anything private lies in the archive
  const folder = freeFolder(project, at)
  // It moves with the folder, and says there that the logs still have to move.
  if (includeLogs) rmSync(join(project.dir, MARK), { force: true })
  else replaceFile(join(project.dir, MARK), basename(folder))
  mkdirSync(dirname(folder), { recursive: true })
  forgetCopy(project)
  renameSync(project.dir, folder)
  if (!includeLogs) moveLogs(folder, folder)
  nameNewPlace({ ...project, dir: folder })
  return folder
}

/**
 * The plan was rewritten for another branch: the last run goes to the archive with its plan, and the new plan stays. The event log goes last,
 * because it tells the next run that there is something to archive.
 */
export function archiveLastRun(project: Project, at: Instant, lastPlan: Plan): string {
  ensureIgnored(project.root)
  const folder = halfDone(project) ?? freeFolder(project, at)
  const { dir } = project
  replaceFile(join(dir, MARK), basename(folder))
  mkdirSync(folder, { recursive: true })
  keepPlan(dir, folder, lastPlan)
  for (const name of readdirSync(dir)) {
    if (memory.has(name)) move(join(dir, name), join(folder, name))
    else if (name === 'specs' || name === 'prompt.md')
      cpSync(join(dir, name), join(folder, name), { recursive: true, filter: isCopyable })
  }
  rmSync(inboxFolder(dir), { recursive: true, force: true })
  moveLogs(dir, folder)
  nameNewPlace({ ...project, dir: folder })
  forgetCopy(project)
  move(eventLogPath(dir), eventLogPath(folder))
  rmSync(join(dir, MARK), { force: true })
  return folder
}

/**
 * Call it with the run's lock held. After a kill between the archive's move and its commit, the feature is gone and nobody else would finish
 * it. Returns what people should know.
 */
export async function finishArchives(root: string, env: NodeJS.ProcessEnv, isCommitting: boolean): Promise<string[]> {
  const archive = archiveFolder(root)
  if (!existsSync(archive)) return []
  ensureIgnored(root)
  const left = readdirSync(archive).filter((name) => existsSync(join(archive, name, MARK)))
  for (const name of left) moveLogs(join(archive, name), join(archive, name))
  for (const project of archivedProjects({ root, home: '' }, undefined))
    if (left.includes(basename(project.dir))) nameNewPlace(project)
  const git = isCommitting ? await openGit(root, env) : null
  try {
    return git === null ? [] : await commitArchives(git, root, env)
  } finally {
    git?.close()
  }
}

/** Its log has no second copy any more. */
export const isArchivedPlace = ({ root, dir }: Pick<Project, 'root' | 'dir'>): boolean => dirname(dir) === archiveFolder(root)

/** In a feature's folder: it is being archived under the name in this file. Git ignores such names. */
const MARK = '.archive.tmp-name'

const memory = new Set<string>([
  NAMES.progress,
  NAMES.learnings,
  NAMES.report,
  NAMES.reportJson,
  NAMES.reportPage,
  NAMES.blocked,
  NAMES.decide,
  NAMES.stateMd,
  NAMES.status,
])

/** 2026-01-09-login, or with -2, -3 and so on if that exists. */
function freeFolder({ root, feature }: Project, at: Instant): string {
  const base = `${at.slice(0, 10)}-${feature}`
  for (let n = 1; ; n++) {
    const folder = join(archiveFolder(root), n === 1 ? base : `${base}-${n}`)
    if (!existsSync(folder) && !existsSync(logsBeside(folder))) return folder
  }
}

const logsBeside = (folder: string): string => join(dirname(dirname(folder)), 'logs', basename(folder))

/** Where an archive of the last run was started but not finished; one with an event log is finished. */
function halfDone({ root, dir }: Project): string | null {
  const name = readIfThere(join(dir, MARK))
  const folder = join(archiveFolder(root), name ?? '')
  return name === null || existsSync(eventLogPath(folder)) ? null : folder
}

function keepPlan(dir: string, folder: string, lastPlan: Plan): void {
  const kept = join(folder, lastPlan.file)
  const snapshot = readIfThere(snapshotPath(dir, lastPlan.file))
  if (snapshot === null && existsSync(kept)) return // kept before a kill: the logs, with the snapshot, have moved since
  replaceFile(kept, snapshot ?? `${JSON.stringify({ branchName: lastPlan.branch, userStories: lastPlan.stories }, null, 2)}\n`)
}

/** From a feature's folder, or from the archive's, to where the logs of that archive belong; then it is done. */
function moveLogs(from: string, folder: string): void {
  const logs = logsFolder(from)
  if (existsSync(logs)) move(logs, logsBeside(folder))
  if (from === folder) rmSync(join(folder, MARK), { force: true })
}

/** The report names files among the logs. */
function nameNewPlace(project: Project): void {
  const path = join(project.dir, NAMES.report)
  const text = readIfThere(path) ?? ''
  const now = withPathsNow(text, { ...project, main: undefined }) // committed: no place of this machine
  if (now !== text) replaceFile(path, now)
}

/** Never over something else: a run may have continued between a kill and now. */
function move(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  let free = to
  for (let n = 2; existsSync(free); n++) free = `${to}-${n}`
  renameSync(from, free)
}

async function commitArchives(git: Git, root: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const args = ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=all', '--', archiveFolder('')]
  const { out } = await gitIn(root, env)(args)
  const added = out.toString().split('\0')
  const names = [...new Set(added.flatMap((line) => /^(?:\?\?|A.) .*\.ralph\/archive\/([^/]+)\//.exec(line)?.[1] ?? []))]
  if (names.length === 0) return []
  const result = await git.commitState(`chore(ralph): archive ${names.join(', ')}`)
  const where = names.map((name) => join(archiveFolder(''), name)).join(', ')
  if (result !== null && 'error' in result) return [`git did not commit ${where}: ${result.error}`]
  return [`Ralph was killed before it could commit ${where}. It is committed now.`]
}
