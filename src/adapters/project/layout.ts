/** All paths: everything under a project's `.ralph/` and in the user's own folder is named here and nowhere else. */

import { join } from 'node:path'
import { inPattern } from '../../core/text/escape.ts'
import { scopeNumber } from '../../core/types/words.ts'
import type { Scope } from '../../core/types.ts'

/** The folder with a project's state, in its root. */
export const STATE_FOLDER = '.ralph'
/** Folders in it whose names no feature can have. */
export const reservedNames: readonly string[] = ['archive', 'templates', 'logs']

export const stateFolder = (root: string): string => join(root, STATE_FOLDER)
export const featureFolder = (root: string, feature: string): string => join(root, STATE_FOLDER, feature)
/** The same as people see it, from the root. */
export const featureLabel = (feature: string): string => `${STATE_FOLDER}/${feature}`
/** `root` empty: as people see it. */
export const archiveFolder = (root: string): string => join(root, STATE_FOLDER, 'archive')
/** Logs that belong to no feature, and those of archived ones. */
export const projectLogsFolder = (root: string): string => join(root, STATE_FOLDER, 'logs')
export const projectTemplates = (root: string): string => join(root, STATE_FOLDER, 'templates')
export const projectConfig = (root: string): string => join(root, STATE_FOLDER, 'config.yaml')

/** Names in the folder of a feature. */
export const NAMES = {
  events: 'events.jsonl',
  status: 'status.json',
  progress: 'progress.txt',
  stateMd: 'state.md',
  decide: 'decide.txt',
  blocked: 'blocked.txt',
  report: 'report.md',
  reportJson: 'report.json',
  reportPage: 'report.html',
  inbox: 'inbox',
  learnings: 'learnings',
  logs: 'logs',
} as const

export const eventLogPath = (dir: string): string => join(dir, NAMES.events)
export const statusPath = (dir: string): string => join(dir, NAMES.status)
export const progressPath = (dir: string): string => join(dir, NAMES.progress)
export const stateMdPath = (dir: string): string => join(dir, NAMES.stateMd)
export const decidePath = (dir: string): string => join(dir, NAMES.decide)
export const blockedPath = (dir: string): string => join(dir, NAMES.blocked)
export const inboxFolder = (dir: string): string => join(dir, NAMES.inbox)
/** The instructions of the feature, which are the user's. */
export const promptPath = (dir: string): string => join(dir, 'prompt.md')
export const specsFolder = (dir: string): string => join(dir, 'specs')
export const learningsFolder = (dir: string): string => join(dir, NAMES.learnings)
export const logsFolder = (dir: string): string => join(dir, NAMES.logs)

/** Where agents write their status reports. */
export const reportsFolder = (dir: string): string => join(dir, NAMES.logs, 'reports')

/** The number in the names of an iteration's files. */
export const padded = (iteration: Scope): string => String(scopeNumber(iteration)).padStart(3, '0')
/** In the logs folder. */
export const iterationLogName = (iteration: Scope): string => `iteration-${padded(iteration)}.log`
/** What an agent changed in the user's uncommitted files, to be applied by hand. */
export const usersPatchName = (iteration: Scope): string => `your-files-${padded(iteration)}.patch`
export const csvPath = (logs: string): string => join(logs, 'summary.csv')

/** As people see paths of a project and of its worktrees: from the project's folder on. */
export function fromProject({ root, home }: { root: string; home: string }): (text: string) => string {
  const quoted = inPattern(worktreesFolder(home))
  const inWorktree = new RegExp(`${quoted}/[^/\\s]+/[^/\\s]+/[^/\\s]+/`, 'g') // of a project's feature's story, or .features and a feature
  return (text) => text.replace(inWorktree, '').replaceAll(`${root}/`, '')
}

/** In the user's folder. */
export const userConfig = (home: string): string => join(home, 'config.yaml')
/** What Ralph put back in the user's own files, as it was found. */
export const restoredFolder = (home: string): string => join(home, 'restored')
/** What held-out checks printed: agents must not see it, so it is not in the project. */
export const heldOutFolder = (home: string): string => join(home, 'held-out')
export const callsPath = (home: string): string => join(home, 'calls.json')
export const worktreesFolder = (home: string): string => join(home, 'worktrees')
