/** Whether the run is over, and why: the first reason that holds, in a fixed order. */
import { spentBudget } from './budget.ts'
import type { State } from './state.ts'
import { gatesAre, isAllPassed, listed, nextTarget, storyNamed, unpassedStories } from './stories.ts'
import type { Decision, Outcome } from './types.ts'

type End = Extract<Decision, { kind: 'run.ended' }>

/** It holds once nothing is in flight any more. */
export function ending(state: State): End | null {
  for (const reason of reasons) {
    const because = reason.holds(state)
    if (because !== null) return { kind: 'run.ended', outcome: reason.outcome, because }
  }
  return null
}

const reasons: { outcome: Outcome; holds: (state: State) => string | null }[] = [
  { outcome: 'interrupted', holds: (state) => (state.stop === undefined ? null : `asked to stop (${state.stop.by})`) },
  { outcome: 'complete', holds: complete },
  {
    outcome: 'blocked',
    holds: (state) => (state.blocked === undefined ? null : `iteration ${state.blocked.iteration}: ${state.blocked.reason}`),
  },
  {
    outcome: 'question',
    holds: ({ answer }) =>
      answer === undefined || answer.text !== undefined ? null : `iteration ${answer.iteration} asks: ${answer.question}`,
  },
  {
    outcome: 'login',
    holds: (state) =>
      state.inARow.refusedLogins > 1 ? `the agent's login or key is refused: ${state.retryDue?.message ?? ''}` : null,
  },
  { outcome: 'limited', holds: limited },
  { outcome: 'budget', holds: overBudget },
  {
    outcome: 'testing-only',
    holds: ({ policy, inARow }) =>
      policy.testLoops > 0 && inARow.testing >= policy.testLoops ? `${inARow.testing} iterations in a row only ran tests` : null,
  },
  { outcome: 'stuck', holds: (state) => (state.breaker.state === 'open' ? state.breaker.because : null) },
  { outcome: 'stories-failed', holds: storiesFailed },
  { outcome: 'incomplete', holds: incomplete },
]

/** Every story that counts passes, and every hard gate passed after the last change; without a plan, a claim that nothing refuted. */
function complete(state: State): string | null {
  const { plan, policy } = state
  const isChecked = policy.gates.length === 0 || state.check.phase === 'green'
  if (plan === null) {
    if (state.last?.judged.claim !== 'accepted' || !isChecked) return null
    return `claimed in iteration ${state.last.iteration}, and ${policy.gates.length === 0 ? 'no gate is set up that could check it' : 'every gate passes'}`
  }
  if (!isAllPassed(plan, policy)) return null
  if (policy.only !== undefined) return `${policy.only} passes`
  if (policy.gates.length === 0) return 'every story passes; no gate is set up that could check it'
  return isChecked ? 'every story passes, and so does every gate' : null
}

function limited({ limit, retryDue, inARow, policy }: State): string | null {
  if (limit?.choice === 'exit' || (limit?.choice === 'open' && policy.onLimit === 'exit')) {
    return `the provider's usage limit: ${limit.message}${limit.until === undefined ? '' : ` (until ${limit.until})`}`
  }
  if (retryDue === undefined) return null
  return retryDue.by !== 'login' && inARow.retries > policy.maxRetries
    ? `the provider stays unavailable after ${policy.maxRetries === 1 ? 'a retry' : `${policy.maxRetries} retries`}: ${retryDue.message}`
    : null
}

/** Also where the last iteration was ended for it: what an agent spends after its last word is not always told. */
function overBudget(state: State): string | null {
  const spent = spentBudget(state)
  if (spent !== undefined) return `the budget is spent: ${spent.words}`
  return state.last?.ended.exit === 'over-budget' ? state.last.judged.because : null
}

function storiesFailed(state: State): string | null {
  const { plan, policy } = state
  if (plan === null || isAllPassed(plan, policy) || nextTarget(state) !== null) return null
  const open = unpassedStories(plan, policy)
  const failed = plan.stories.filter((story) => story.failed && !story.passes).map((story) => story.id)
  const waiting = open.filter((story) => !story.failed).map((story) => story.id)
  const rest = waiting.length > 0 ? `; ${listed(waiting)} cannot start because of ${waitsFor(state, waiting)}` : ''
  return `${failed.length > 0 ? `failed: ${listed(failed)}` : 'no story can start'}${rest}`
}

function waitsFor(state: State, ids: string[]): string {
  const needs = ids.flatMap((id) => storyNamed(state.plan, id)?.dependsOn ?? [])
  const open = [...new Set(needs)].filter((id) => storyNamed(state.plan, id)?.passes !== true && !ids.includes(id))
  return listed(open) || 'each other'
}

function incomplete(state: State): string | null {
  const { plan, policy, used, check } = state
  if (used < policy.maxIterations) return null
  const limit = `${used} of ${policy.maxIterations} iterations are used up`
  if (plan === null) return `${limit} and nothing was claimed that the gates confirm`
  const open = unpassedStories(plan, policy).map((story) => story.id)
  if (open.length > 0) return `${limit}, still open: ${listed(open)}`
  const red = check.phase === 'red' ? check.results.filter((result) => !result.passed).map((result) => result.name) : []
  return red.length > 0 ? `${limit}, and ${gatesAre(red)} red` : null
}
