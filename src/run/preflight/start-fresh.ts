/** Starts a feature fresh: forgets failures and attempts, and moves its branches out of the way. */
import { rmSync } from 'node:fs'
import type { Log } from '../../adapters/project/event-log.ts'
import { stateMdPath } from '../../adapters/project/layout.ts'
import { adoptPlan } from '../../core/evolve/run.ts'
import type { State } from '../../core/state.ts'
import type { Plan, Report, Story } from '../../core/types.ts'
import type { Work } from '../parts.ts'
import { appendFacts } from '../people/facts-since-last-run.ts'

/** Stories with something to forget. A skipped one stays skipped, with all its data. */
export function triedStories(state: State, plan: Plan | null): Story[] {
  const known = adoptPlan(state, plan, 'given').plan?.stories ?? []
  return known.filter(
    ({ id, passes, skip, failed }) => !passes && !skip && (failed !== undefined || (state.stories[id]?.attempts ?? 0) > 0),
  )
}

export const freshFacts = (tried: Story[]): Report[] => tried.map(({ id }) => ({ kind: 'story.retried', story: id }))

/** Branches first: once the plan has forgotten them, nobody would know which they were. */
export async function startFresh(
  world: Pick<Work, 'dir' | 'run' | 'mask' | 'plan' | 'git' | 'screen'>,
  log: Log,
  state: State,
): Promise<State> {
  const tried = triedStories(state, world.plan.current()?.plan ?? null)
  for (const { id, failed } of tried) {
    const aside = (state.stories[id]?.losers ?? []).map(({ branch }) => branch)
    for (const branch of new Set([...aside, ...(failed === undefined ? [] : [failed.branch])])) await moveBranch(world, branch)
  }
  const next = appendFacts(world, log, state, freshFacts(tried))
  for (const { id, failed } of tried) if (failed !== undefined) await world.plan.setFailed(id, undefined)
  rmSync(stateMdPath(world.dir), { force: true })
  return next
}

/** The name comes from the plan file: only names of failure branches may be moved. */
async function moveBranch({ git, screen }: Pick<Work, 'git' | 'screen'>, branch: string): Promise<void> {
  if (git === null || !branch.startsWith('wip/ralph-fail-') || !(await git.branchExists(branch))) return
  if ((await git.currentBranch()) === branch)
    return screen.say('warn', `! ${branch} is checked out and stays; move it with: git branch -m archive/${branch}`)
  const refused = await git.moveBranch(branch, `archive/${branch}`)
  if (refused === null) screen.say('plain', `Moved ${branch} to archive/${branch}`)
  else screen.say('warn', `! ${branch} could not be moved to archive/${branch} and stays: ${refused.error}`)
}
