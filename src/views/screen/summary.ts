/** What every run prints at its end: how it ended, what it did, what to do next. */
import { exitCode, outcomeTitle } from '../../core/decide/outcome.ts'
import { sure } from '../../core/failure.ts'
import { listed } from '../../core/plan/stories.ts'
import { failureWords, lastFailure } from '../../core/proof/last-failure.ts'
import { reservationWords, reservedStories } from '../../core/proof/receipt.ts'
import type { State } from '../../core/state.ts'
import { msBetween, sayDuration } from '../../core/text/time.ts'
import type { Outcome, Role } from '../../core/types.ts'
import { flakyTests, flakyWords } from '../flaky.ts'
import { openReservationLines } from '../proof.ts'
import { openWords } from '../status/lines.ts'
import { grouped, plural, storyCounts, totalCost } from '../status/status.ts'
import { whereWork } from '../where-work.ts'

export function summaryLines(state: State, paths: { dir: string; csv: string; log: string }): string[] {
  const { totals, policy, runStartedAt, at } = state
  const end = sure(state.outcome, 'end of the run')
  const durationMs = Math.max(0, msBetween(runStartedAt, at)) // the clock may have been set back
  const { complete, total, unproven, reserved } = storyCounts(state)
  const average = totals.iterations > 0 ? sayDuration(durationMs / totals.iterations) : '-'
  const but = reservationWords(reservedStories(state))
  const heading = `Ralph Loop Summary${end.outcome === 'complete' && but !== '' ? `: complete${but}` : ''}`
  return [
    heading,
    '─'.repeat(heading.length),
    `Exit:        ${outcomeTitle(end.outcome)} (code ${exitCode(end.outcome, state.stop)})${but}`,
    `Because:     ${end.because}`,
    ...reservationLines(state),
    `Iterations:  ${state.used} / ${policy.maxIterations}${totals.iterations > state.used ? ` (+${totals.iterations - state.used} interrupted, not counted)` : ''}`,
    `Duration:    ${sayDuration(durationMs)} (agent ${sayDuration(totals.agentMs)}, gates ${sayDuration(totals.gateMs)})`,
    ...(state.plan === null
      ? []
      : [`Stories:     ${complete}/${total} complete${openWords({ unproven, reserved })}, ${totals.attempted.length} attempted`]),
    ...flakyTests(state).map((flaky) => `Flaky:       ${flakyWords(flaky)}`),
    `Avg/iter:    ${average}`,
    `Stuck iters: ${totals.idle}`,
    ...(totals.claimsRefused > 0 ? [`Claims:      ${totals.claimsRefused} refused`] : []),
    `Cost:        ${totalCost(totals)} for ${callWords(state)} (${grouped(totals.inputTokens)} tokens in, ${grouped(totals.outputTokens)} out)`,
    ...roleLines(state),
    ...(totals.failedUsd > 0 ? [`  including  $${totals.failedUsd.toFixed(2)} on failed attempts`] : []),
    ...state.aboutUsers.map((text) => `Your files:  ${text}`),
    ...failingLines(state),
    `Log:         ${paths.csv}`,
    `Next:        ${nextThing(end.outcome, state, paths)}`,
  ]
}

const mostReservations = 5

function reservationLines(state: State): string[] {
  const lines = openReservationLines(state)
  const more = lines.length - mostReservations
  return [
    ...lines.slice(0, mostReservations).map((text) => `Reservation: ${text}`),
    ...(more > 0 ? [`             ${more} more: ralph report`] : []),
  ]
}

/** For a run that did not end well: what failed last, and where the work is. */
function failingLines(state: State): string[] {
  const failure = state.outcome?.outcome === 'complete' ? null : lastFailure(state)
  const work = failure === null ? null : whereWork(state)
  return [
    ...(failure === null ? [] : [`Failing:     ${failureWords(failure)} (ralph why shows it)`]),
    ...(work === null ? [] : [`Work:        ${work}`]),
  ]
}

const rolesCalled = ({ totals }: State): Role[] =>
  (['implementer', 'reviewer', 'learner'] as const).filter((role) => totals.byRole[role].calls > 0)

function callWords(state: State): string {
  const [role, ...others] = rolesCalled(state)
  return plural(state.totals.calls, role === undefined || others.length > 0 ? 'call' : `${role} call`)
}

/** By role, if there was more than one. */
function roleLines(state: State): string[] {
  const { totals } = state
  const used = rolesCalled(state)
  if (used.length < 2) return []
  return used.map((role) => {
    const { calls, ms } = totals.byRole[role]
    return `  ${`${role}:`.padEnd(13)}${totalCost(totals.byRole[role])}, ${plural(calls, 'call')}, ${sayDuration(ms)}`
  })
}

/** One thing that a person can do now. */
export function nextThing(outcome: Outcome, state: State, paths: { dir: string; log: string }): string {
  switch (outcome) {
    case 'complete':
      if (state.repo.head === null) return 'review the changes' // outside git
      return `${reservedFirst(state)}${uncommittedFirst(state)}review the commits${state.plan?.branch ? ` on ${state.plan.branch}` : ''}, then merge`
    case 'incomplete':
      return 'ralph run continues where this run stopped (-n allows more iterations)'
    case 'stories-failed':
      if (state.unmoved !== undefined)
        return `check the repository: it still has the work of ${failedStory(state)}. Remove what you do not want, then: ralph retry ${failedStory(state)} and ralph run`
      return `fix the story or the plan, then: ralph retry ${failedStory(state)} && ralph run`
    case 'blocked':
      return `resolve what ${paths.dir}/blocked.txt says, then: ralph unblock "<note>" (or delete the file) and ralph run`
    case 'question':
      return `ralph answer "<your decision>" (or write it below the --- in ${paths.dir}/decide.txt), then: ralph run`
    case 'stuck':
      return `read ${paths.log}, fix the prompt, plan or environment, then: ralph run --reset-circuit`
    case 'testing-only':
      return 'the agent only ran tests: add what is missing to the plan, or mark the story done; then: ralph run'
    case 'gate-missing':
      return 'install what is missing or correct the command in .ralph/config.yaml, then: ralph run (if a story installs it: ralph run --baseline tolerate)'
    case 'limited':
      return 'wait until the provider accepts calls again, then: ralph run'
    case 'budget':
      return 'raise the budget, then: ralph run'
    case 'login':
      return 'log in to the agent or set its API key, then: ralph run'
    case 'interrupted':
      return 'ralph run continues where this run stopped'
  }
}

/** Ralph never commits files that were dirty before the run, and git may have refused: a merge alone would leave them out. */
const uncommittedFirst = (state: State): string =>
  state.repo.dirt === '' ? '' : 'commit what you want of the uncommitted changes (git status shows them), '

/** Nobody has said yet that these are fine. */
function reservedFirst(state: State): string {
  const reserved = reservedStories(state)
  return reserved.length === 0 ? '' : `check ${listed(reserved)} (ralph report shows the reservations), `
}

const failedStory = (state: State): string => state.plan?.stories.find((story) => story.failed)?.id ?? '<story>'
