/** The ref of a story's beginning, which an agent can move: seen before and after it works, and put back. */
import type { Finding } from '../../core/proof/finding.ts'
import type { State } from '../../core/state.ts'
import type { StoryId } from '../../core/types.ts'
import { beginningOf } from '../failure/checkpoint.ts'
import type { Work } from '../parts.ts'

type Saved = { key: string; at: string } | null

export async function savedBeginning(
  { git, place, feature }: Pick<Work, 'git' | 'place' | 'feature'>,
  story: StoryId | null,
): Promise<Saved> {
  if (git === null || place !== undefined) return null
  const key = beginningOf({ feature }, story)
  const at = await git.savedAt(key)
  return at === null ? null : { key, at }
}

/** No honest story touches it. */
export async function movedBeginning({ git }: Pick<Work, 'git'>, saved: Saved): Promise<Finding[]> {
  if (git === null || saved === null || (await git.savedAt(saved.key)) === saved.at) return []
  // Another repository in its place has nothing to restore from; that is noticed, with words, when its history is missed.
  const isBack = await git.saveAgain(saved.key, saved.at).then(
    () => true,
    () => false,
  )
  return isBack ? [{ rule: 'refs-moved', words: `moved Ralph's ref ${git.refOf(saved.key)}; restored`, isCertain: true }] : []
}

/** With several agents at work nobody knows whose it is: then it is a suspicion. */
export const attributed = (against: Finding[], { flights }: Pick<State, 'flights'>): Finding[] =>
  flights.length < 2 ? against : against.map(({ isCertain: _isCertain, ...finding }) => finding)
