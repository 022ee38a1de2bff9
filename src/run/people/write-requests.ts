/** `ralph retry` and `ralph skip` as the plan file shows them: written by the run, or, if there is none, by the command. */
import type { PlanKeeper } from '../../adapters/plan/live-plan.ts'
import type { State } from '../../core/state.ts'
import type { StoryId } from '../../core/types.ts'

/** Those that were made while another branch was checked out. Safe to repeat. */
export async function writeRequests(plan: PlanKeeper, { unwritten = {} }: State): Promise<void> {
  for (const [story, what] of Object.entries(unwritten)) await writeRequest(plan, story, what)
}

export async function writeRequest(plan: PlanKeeper, story: StoryId, what: 'retried' | 'skipped'): Promise<void> {
  if (what === 'retried') await plan.setFailed(story, undefined)
  await plan.setSkip(story, what === 'skipped')
}
