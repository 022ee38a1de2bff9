/** What putting aside a failed story needs to know. */

export type Aside = {
  key: string
  /** The branch for the failed story; the same name again continues an interrupted move. */
  branch: string
  message: string
  /** The failed story's commits, by full id. */
  ownCommits: string[]
  /** A worktree is based on them: removed from the history, they would come back with its work. */
  isForked?: boolean
  /** Files only for the branch, relative to the top, ignored by git or not. */
  notes: { path: string; text: string }[]
}
