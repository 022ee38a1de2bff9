/** A story whose work had to wait on a branch gets it back before its next iteration. */
import type { State } from '../../core/state.ts'
import type { StoryId } from '../../core/types.ts'
import type { Work } from '../parts.ts'

/** Safe to do twice. What the prompt must say where it does not fit; null: all of it is there. */
export async function bringShelf({ git }: Pick<Work, 'git'>, story: StoryId | null, { stories }: State): Promise<string | null> {
  const shelf = story === null ? undefined : stories[story]?.shelf
  if (git === null || shelf === undefined) return null
  const [tip, theirs] = await Promise.all([git.head(), git.branchTip(shelf.branch)])
  if (tip === null || theirs === null) return null // somebody has deleted the branch
  if ((await git.forkOf(tip, theirs)) === theirs) return null
  // Commits that were reverted are in the history: what they did comes back as if it had been done after that.
  const joined = await git.joined(tip, theirs, {
    own: 'ours',
    message: `feat: ${story}, as far as it got\n`,
    fork: shelf.revertedAt,
    isGrafted: shelf.revertedAt !== undefined,
  })
  if (joined === null) return null
  const refused = 'conflict' in joined ? joined.conflict : (await git.advance(joined.commit))?.error
  if (refused === undefined) return null
  return `Earlier work on ${story} is on the branch ${shelf.branch}, because another story had to go first, and it does not fit what is here now:\n${refused}\nLook at it (git log -p ${shelf.branch}) and take over what is still right (git checkout ${shelf.branch} -- <file>).`
}
