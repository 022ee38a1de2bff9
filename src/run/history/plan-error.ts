/** Why the plan of a feature that never ran cannot be used: its status would call it empty. */
import { readPlan } from '../../adapters/plan/find-plan.ts'
import { Failure } from '../../core/failure.ts'
import type { Status } from '../../views/status/status.ts'
import type { Project } from '../project.ts'

/** Its first error; null: none, or it only has no stories yet. */
export async function planError(project: Project, { state, stories }: Pick<Status, 'state' | 'stories'>): Promise<string | null> {
  if (state !== 'idle' || stories.total > 0) return null
  const error = await readPlan(project.dir, project.label).then(
    () => null,
    (reason: unknown) => reason,
  )
  if (error === null) return null
  if (!(error instanceof Failure)) throw error
  const [first = ''] = error.message.split('\n')
  return isOnlyEmpty(first) ? null : first
}

/** As `ralph init` leaves it. */
export const isOnlyEmpty = (error: string): boolean => /^\S+ no stories yet/.test(error)
