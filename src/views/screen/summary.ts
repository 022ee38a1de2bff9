/** What every run prints at its end: how it ended, what it did, what to do next. */
import { spentBudget } from '../../core/decide/budget.ts'
import { outcomeTitle } from '../../core/decide/outcome.ts'
import { exitCode } from '../../core/exit-codes.ts'
import { sure } from '../../core/failure.ts'
import { openQuestions } from '../../core/plan/questions.ts'
import { listed } from '../../core/plan/stories.ts'
import { failureWords, lastFailure } from '../../core/proof/last-failure.ts'
import { reservationWords, reservedStories } from '../../core/proof/receipt.ts'
import type { State } from '../../core/state.ts'
import { msBetween, sayDuration } from '../../core/text/time.ts'
import type { Outcome, Role } from '../../core/types.ts'
import { flakyTests, flakyWords } from '../flaky.ts'
import { inLocalTime, localTime } from '../local-time.ts'
import { openReservationLines } from '../proof.ts'
import { openWords } from '../status/lines.ts'
import { plural, storyCounts, tokenWords, totalCost } from '../status/status.ts'
import { branchNotes, whereWork } from '../work-branches.ts'

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
    `Because:     ${inLocalTime(end.because, at)}`,
    ...reservationLines(state),
    `Iterations:  ${state.used} / ${policy.maxIterations}${totals.iterations > state.used ? ` (+${totals.iterations - state.used} interrupted, not counted)` : ''}`,
    `Duration:    ${sayDuration(durationMs)} (agent ${sayDuration(totals.agentMs)}, gates ${sayDuration(totals.gateMs)})`,
    ...(state.plan === null
      ? []
      : [`Stories:     ${complete}/${total} complete${openWords({ unproven, reserved })}, ${totals.attempted.length} attempted`]),
    ...flakyTests(state).map((flaky) => `Flaky:       ${flakyWords(flaky)}`),
    `Avg/iter:    ${average}`,
    `Stuck iters: ${totals.idle}`,
    ...(totals.claimsRefused > 0 ? [`Claims:      ${plural(totals.claimsRefused, 'false claim')} of done rejected`] : []),
    `Cost:        ${totalCost(totals)} for ${callWords(state)} (${tokenWords(totals)})`,
    ...roleLines(state),
    ...(totals.failedUsd > 0 ? [`  including    $${totals.failedUsd.toFixed(2)} on failed attempts`] : []),
    ...userLines(state.aboutUsers).map((text) => `Your files:  ${text}`),
    ...branchNotes(state).map((text) => `Branch:      ${text}`),
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

/** The same in several iterations is one line. */
function userLines(texts: string[]): string[] {
  const named = /\biteration (\d+)\b/
  const alike = Map.groupBy(texts, (text) => text.replace(named, 'iteration'))
  return [...alike.values()].map(([first = '', ...others]) =>
    others.length === 0
      ? first
      : first.replace(named, `iterations ${listed([first, ...others].map((text) => named.exec(text)?.[1] ?? ''))}`),
  )
}

/** What failed last, if it did not end well; and where the work is, if that is not plain. */
function failingLines(state: State): string[] {
  const failure = state.outcome?.outcome === 'complete' ? null : lastFailure(state)
  const isPlain = failure === null && state.aboutBranch.length === 0 && state.home?.branch !== null
  const work = isPlain ? null : whereWork(state)
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

/** One thing that a person can do now, after the end: they may have done the first one already. */
export function nextThing(outcome: Outcome, state: State, paths: { dir: string; log: string }): string {
  switch (outcome) {
    case 'complete':
      return whenComplete(state)
    case 'incomplete':
      return does('ralph run', 'continues where this run stopped; -n <n> allows more iterations')
    case 'stories-failed': {
      const [id, ...others] = (state.plan?.stories ?? []).filter((story) => story.failed).map((story) => story.id)
      if (id === undefined) return does('ralph run', 'what failed is open again')
      const first =
        state.unmoved === undefined
          ? 'fix the story or the plan first'
          : `first remove what you do not want: the repository still has the work of ${id}`
      return others.length === 0
        ? does(`ralph retry ${id} && ralph run`, first)
        : does('ralph run --fresh', `${first}; tries all ${others.length + 1} again`)
    }
    case 'blocked':
      if (state.blocked === undefined) return does('ralph run', 'the blocker is resolved; continues where this run stopped')
      return does('ralph unblock "<note>" && ralph run', `first resolve what ${paths.dir}/blocked.txt says`)
    case 'question':
      if (openQuestions(state).length === 0) return does('ralph run', 'answered; continues where this run stopped')
      return does('ralph answer "<your decision>" && ralph run', `or write it below the --- in ${paths.dir}/decide.txt`)
    case 'stuck':
      return does(
        state.breaker.state === 'open' ? 'ralph run --reset-circuit' : 'ralph run',
        state.breaker.by === 'permission-denied'
          ? 'first allow the denied tools (most agents: claude.allowed_tools)'
          : `first read ${paths.log} and fix the prompt, plan or environment`,
      )
    case 'testing-only':
      return does('ralph run', 'the agent only ran tests: first add what is missing to the plan, or mark the story done')
    case 'gate-missing':
      return does(
        'ralph run',
        'first install what is missing or correct the command in .ralph/config.yaml; if a story installs it, add --baseline tolerate',
      )
    case 'limited':
      return does('ralph run', 'once the provider accepts calls again')
    case 'budget':
      return does('ralph run', budgetAdvice(state))
    case 'login':
      return does('ralph run', 'first log in to the agent or set its API key')
    case 'agent-unusable':
      return does('ralph doctor', 'first install a version of the agent that Ralph knows, or update Ralph')
    case 'interrupted':
      return does('ralph run', 'continues where this run stopped')
  }
}

function budgetAdvice(state: State): string {
  const { which, until } = spentBudget(state) ?? {}
  return until === undefined
    ? 'first raise the budget'
    : `after ${localTime(until, state.at)}, or first raise budget.${which}_usd`
}

/** A line to paste: a shell ignores the remark. */
export const does = (command: string, remark: string): string => `${command}  # ${remark}`

/**
 * Ralph never commits files that were dirty before the run, and git may have refused: a merge alone would leave them out. Of reservations nobody has
 * said yet that they are fine.
 */
function whenComplete(state: State): string {
  const reserved = reservedStories(state)
  const branch = state.plan?.branch || (state.home?.branch ?? '') // in a worktree of the feature, it is not the user's
  if (state.iteration === 0 && state.repo.dirt === '')
    return does(`ralph plan -f ${state.feature}`, 'nothing was left to do; this plans what comes next')
  const steps = [
    ...(reserved.length === 0 ? [] : [`check the reservations of ${listed(reserved)}`]),
    ...(state.repo.dirt === '' ? [] : ['commit what you want of the uncommitted changes']),
    ...(state.repo.head === null
      ? ['review the changes']
      : [`review the commits${branch === '' ? '' : ` on ${branch}`}`, 'then merge']),
  ].join(', ')
  if (reserved.length > 0 || state.repo.head === null) return does('ralph report', steps)
  return does(state.repo.dirt === '' ? `ralph diff -f ${state.feature}` : 'git status', steps)
}
