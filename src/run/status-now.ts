/** Where a feature stands now, at the same cost however long its history. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readIfThere, replaceFile } from '../adapters/files.ts'
import { initialState } from '../core/initial.ts'
import { type Status, statusOf } from '../views/status.ts'
import { liveRun } from './live-run.ts'
import type { Project } from './project.ts'

/** status.json; the log only if that is lost, broken, or of an earlier version of the program. */
export async function statusNow(project: Project): Promise<Status> {
  const read = keptStatus(project.dir) ?? (await rebuilt(project, join(project.dir, 'status.json')))
  return statusAsOf({ ...read, feature: read.feature || project.feature }, liveRun(project) !== null)
}

/** What status.json says, if it can be read. */
export const keptStatus = (dir: string): Status | null => parsed(readIfThere(join(dir, 'status.json')))

/** A run that has not ended, and is not live: killed. */
export function statusAsOf(status: Status, isLive: boolean): Status {
  const isOver = status.state === 'ended' || status.state === 'idle'
  return isOver || isLive ? status : { ...status, state: 'killed' }
}

function parsed(text: string | null): Status | null {
  try {
    const status = JSON.parse(text ?? 'null') as Status | null
    return status?.version === 1 && isLike(status, statusOf(initialState, null)) ? status : null
  } catch {
    return null
  }
}

/** All that the other has is there, in the same form; lists hold objects, and what may be null is not looked into. */
function isLike(value: unknown, other: unknown): boolean {
  if (other === null || value === null) return other === null || typeof other === 'number'
  if (typeof value !== typeof other || Array.isArray(value) !== Array.isArray(other)) return false
  if (Array.isArray(value)) return value.every((item) => (typeof item === 'object' ? item !== null : true))
  if (typeof other !== 'object') return true
  return Object.entries(other).every(
    ([key, inner]) => Object.hasOwn(value as object, key) && isLike((value as Record<string, unknown>)[key], inner),
  )
}

async function rebuilt(project: Project, path: string): Promise<Status> {
  const hasRun = existsSync(join(project.dir, 'events.jsonl'))
  const state = hasRun ? (await import('./request.ts')).stateOf(project) : initialState
  const { readPlan } = await import('../adapters/plan/read.ts')
  // A plan that cannot run yet (no stories, a slip) is no reason to say nothing: the run names what is wrong with it.
  const known = state.plan === null ? await readPlan(project.dir, project.label).catch(() => null) : null
  const plan = state.plan ?? known?.plan?.plan ?? null
  const status = statusOf({ ...state, plan }, null)
  if (state.run !== '') {
    try {
      replaceFile(path, `${JSON.stringify(status, null, 2)}\n`)
    } catch {
      // a folder that cannot be written can still be looked at
    }
  }
  return status
}
