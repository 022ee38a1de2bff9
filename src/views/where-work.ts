/** Which branches have the work of a run: people ask it first after one that failed. */
import type { State } from '../core/state.ts'

/** The branch of a failed story, else that of the run. */
export function whereWork({ plan, home, outcome }: State): string | null {
  const failed = plan?.stories.filter((story) => story.failed && story.failed.branch !== '') ?? []
  const branch = home?.branch ?? plan?.branch
  const own = branch === undefined || branch === null || branch === '' ? null : branch
  if (outcome === undefined || outcome.outcome === 'complete' || failed.length === 0) return own
  return [...failed.map(({ id, failed }) => `${id} on ${failed?.branch}`), ...(own === null ? [] : [`the rest on ${own}`])].join(
    ', ',
  )
}
