/** Which branches have the work of a run: people ask it first after one that failed. */
import type { State } from '../core/state.ts'

/** The branch of a failed story, else that of the run. */
export function whereWork(state: State): string | null {
  const { plan, outcome } = state
  const failed = plan?.stories.filter((story) => story.failed && story.failed.branch !== '') ?? []
  const own = runBranch(state)
  if (outcome === undefined || outcome.outcome === 'complete' || failed.length === 0) return own
  return [...failed.map(({ id, failed }) => `${id} on ${failed?.branch}`), ...(own === null ? [] : [`the rest on ${own}`])].join(
    ', ',
  )
}

/** Nothing but its commit leads to work on a detached HEAD. */
function runBranch({ home, plan, repo }: State): string | null {
  if (home?.branch === null)
    return `a detached HEAD${repo.head === null ? '' : ` at ${repo.head.slice(0, 10)}`} (git switch -c <name> makes it a branch)`
  return home?.branch || (repo.head === null ? null : plan?.branch) || null // outside git there is none
}

/** How to get to the branch of the last run, if another one is checked out. */
export type WayThere = { words: string; command: string } | null

const mostNotes = 3

/** What happened to the branch or to HEAD, newest last; report.md has all of it. */
export function branchNotes({ aboutBranch }: Pick<State, 'aboutBranch'>): string[] {
  const more = aboutBranch.length - mostNotes
  return [...(more > 0 ? [`${more} earlier: ralph report`] : []), ...aboutBranch.slice(-mostNotes)]
}
