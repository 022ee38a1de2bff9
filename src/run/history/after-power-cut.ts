/** After the machine went down during the last run: git's locks belong to nobody, and what the file system lost is in git if it was committed. */
import type { Git } from '../../adapters/git/git.ts'
import { clearLocksUntil } from '../../adapters/git/index-lock.ts'
import { restoreEmptied } from '../../adapters/git/rescue/emptied.ts'
import { gitDir } from '../../adapters/project/find.ts'
import { worktreesFolder } from '../../adapters/project/layout.ts'
import { isEarlierBoot, thisBoot } from '../../adapters/project/lock-holder.ts'
import type { State } from '../../core/state.ts'
import { epochMs } from '../../core/text/time.ts'
import { type Noticed, toldNext } from '../noticed.ts'

export const bootNow = (): { boot?: string } => {
  const boot = thisBoot()
  return boot === undefined ? {} : { boot }
}

/** Until when the last run, or somebody beside it, may have written; null: the machine has been up since then. */
export const downAfterMs = ({ boot, at }: State): number | null => (isEarlierBoot(boot) ? epochMs(at) + lastWordsMs : null)

/** No git can hold one since then. Returns what was removed. */
export function clearDeadLocks({ root }: { root: string }, state: State): string[] {
  const toMs = downAfterMs(state)
  const dir = toMs === null ? null : gitDir(root)
  return toMs === null || dir === null ? [] : clearLocksUntil(dir, toMs)
}

/** Files that are empty since then although git has their content. null: none. */
export async function restoreAfterPowerCut(
  git: Git | null,
  state: State,
  { home, env }: { home: string; env: NodeJS.ProcessEnv },
): Promise<Noticed | null> {
  const toMs = downAfterMs(state)
  if (git === null || toMs === null) return null
  const span = { fromMs: epochMs(state.runStartedAt), toMs }
  const files = await restoreEmptied({ top: git.top, worktrees: worktreesFolder(home), env }, span)
  if (files.length === 0) return null
  const detail = `The machine went down during the last run, and these files were empty or full of zeros: ${files.join(', ')}. They were restored from git. If you had emptied one yourself, do it again.`
  return toldNext('files-restored', detail)
}

/** An agent works on after the last event that was logged. */
const lastWordsMs = 3_600_000
