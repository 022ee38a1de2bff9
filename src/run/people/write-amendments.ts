/** Criteria that a person has accepted are written into the plan: by the run, or, if there is none, by the command that accepts. */
import { userInfo } from 'node:os'
import type { PlanKeeper } from '../../adapters/plan/live-plan.ts'
import { tried } from '../../core/failure.ts'
import type { CriterionAmended } from '../../core/types/results.ts'
import type { Report } from '../../core/types.ts'
import { noticed } from '../noticed.ts'

/** The facts for the log. After a kill in between, the plan may have it already, which is fine. */
export async function writeAmendments(plan: PlanKeeper, due: CriterionAmended[]): Promise<Report[]> {
  const facts: Report[] = []
  for (const accepted of due) {
    const { story, before, after } = accepted
    const problem = hasCriterion(plan, accepted) ? null : await plan.amend(story, { before, after })
    facts.push({ kind: 'criterion.amended', ...accepted, ...(problem === null ? {} : { problem }) })
    if (problem !== null)
      facts.push(
        noticed(
          'criterion-not-amended',
          `The accepted criterion could not be written to the plan: ${problem}. Change it yourself: "${after}"`,
        ),
      )
  }
  return facts
}

const hasCriterion = (plan: PlanKeeper, { story, after }: CriterionAmended): boolean =>
  story !== null && plan.current()?.texts[story]?.acceptanceCriteria.includes(after) === true

/** Who answers: the account at this machine. */
export const personHere = (env: NodeJS.ProcessEnv = process.env): string =>
  tried(() => userInfo().username, '') || env['USER'] || env['LOGNAME'] || 'unknown'
