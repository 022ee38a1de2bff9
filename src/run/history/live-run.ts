/** Whether a run of a feature is live. Separate, so that checking is cheap. */
import { lockPath } from '../../adapters/project/find.ts'
import { readLock } from '../../adapters/project/lock.ts'
import type { Project } from '../project.ts'

/** Whether a run of this feature is live in this worktree. */
export function liveRun(project: Project): { pid: number; run: string } | null {
  const live = liveIn(project.root)
  return live?.feature === project.feature ? { pid: live.pid, run: live.run } : null
}

/** The live run in this worktree. */
export function liveIn(root: string): { feature: string; pid: number; run: string } | null {
  const lock = readLock(lockPath(root))
  return lock?.isLive && lock.purpose === 'run' ? { feature: lock.feature, pid: lock.pid, run: lock.run } : null
}
