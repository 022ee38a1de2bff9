/** A failed story, as it is to be put aside. */

export type Aside = {
  key: string
  /** The branch to put the failed story on; the same name again finishes what was interrupted. */
  branch: string
  message: string
  /** The failed story's commits, by their full ids. */
  ownCommits: string[]
  /** A worktree has begun on top of them: taken out of the history, they would come back with its work. */
  isForked?: boolean
  /** Files for the branch alone, from the repository's top, ignored by git or not. */
  notes: { path: string; text: string }[]
}
