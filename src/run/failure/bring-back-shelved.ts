/** Brings back a story's work that had to wait on a branch, before its next iteration. */
import type { State } from '../../core/state.ts'
import type { StoryId } from '../../core/types.ts'
import type { Work } from '../parts.ts'

/** Safe to repeat. Returns what the prompt must say if it conflicts; null: all of it is back. */
export async function bringShelf({ git }: Pick<Work, 'git'>, story: StoryId | null, { stories }: State): Promise<string | null> {
  const shelf = story === null ? undefined : stories[story]?.shelf
  if (git === null || shelf === undefined) return null
  const [tip, theirs] = await Promise.all([git.head(), git.branchTip(shelf.branch)])
  if (tip === null || theirs === null) return null // somebody has deleted the branch
  if ((await git.forkOf(tip, theirs)) === theirs) return null
  // Reverted commits are in the history: their changes come back as if made after that.
  const joined = await git.joined(tip, theirs, {
    own: 'ours',
    message: `feat: ${story}, unfinished\n`,
    fork: shelf.revertedAt,
    isGrafted: shelf.revertedAt !== undefined,
  })
  if (joined === null) return null
  const refused = 'conflict' in joined ? joined.conflict : (await git.advance(joined.commit))?.error
  if (refused === undefined) return null
  return `Earlier work on ${story} is on the branch ${shelf.branch}, because another story had to go first. It conflicts with the current state:\n${refused}\nLook at it (git log -p ${shelf.branch}) and reuse what is still right (git checkout ${shelf.branch} -- <file>).`
}
