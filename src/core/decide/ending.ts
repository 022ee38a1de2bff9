/** Whether the run is over, and why: the first reason that applies, in a fixed order. */

import { mostUnreadable } from '../evolve/unreadable.ts'
import { isAccepted, openQuestions } from '../plan/questions.ts'
import { gatesAre, isAllPassed, listed, storyNamed, unpassedStories } from '../plan/stories.ts'
import { isToolMissing, missingWords } from '../proof/missing-tool.ts'
import { openReservations, receiptProof, reservationWords, reservedStories, wholeProof } from '../proof/receipt.ts'
import type { State } from '../state.ts'
import type { Decision, Outcome, StoryId } from '../types.ts'
import { spentBudget, untoldBudget } from './budget.ts'
import { finalDue, hardGates, isFinallyReviewed, isRed, wholeGatesLeft } from './gates.ts'
import { isHeldOutLeft } from './held-out.ts'
import { nextTarget } from './next-story.ts'
import { wholeRerunDue } from './rerun.ts'

type End = Extract<Decision, { kind: 'run.ended' }>

/** It applies once nothing is in flight any more. */
export function ending(state: State): End | null {
  for (const reason of reasons) {
    const because = reason.holds(state)
    if (because !== null) return { kind: 'run.ended', outcome: reason.outcome, because, ...reservedIn(state) }
  }
  return null
}

function reservedIn(state: State): Pick<End, 'reserved'> {
  const reserved = reservedStories(state)
  return reserved.length === 0 ? {} : { reserved }
}

/** One of the reasons, the first or not, forbids further calls. */
export const forbidsCalls = (state: State): boolean =>
  state.stop?.now === true || reasons.some(({ outcome, holds }) => withoutCalls.includes(outcome) && holds(state) !== null)

const withoutCalls: Outcome[] = ['gate-missing', 'login', 'agent-unusable', 'limited', 'budget']

const reasons: { outcome: Outcome; holds: (state: State) => string | null }[] = [
  { outcome: 'interrupted', holds: (state) => (state.stop === undefined ? null : `asked to stop (${state.stop.by})`) },
  { outcome: 'complete', holds: complete },
  { outcome: 'gate-missing', holds: gateMissing },
  {
    outcome: 'blocked',
    holds: (state) => (state.blocked === undefined ? null : `iteration ${state.blocked.iteration}: ${state.blocked.reason}`),
  },
  { outcome: 'question', holds: question },
  {
    outcome: 'login',
    holds: (state) =>
      state.inARow.refusedLogins > 1 ? `the agent's login or key is rejected: ${state.retryDue?.message ?? ''}` : null,
  },
  {
    outcome: 'agent-unusable',
    holds: ({ unreadable }) => (unreadable !== undefined && unreadable.times >= mostUnreadable ? unreadable.message : null),
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

function complete(state: State): string | null {
  const because = checkedWhole(state)
  if (because === null || state.policy.only !== undefined) return because
  if (!isFinallyReviewed(state)) return null
  const reviewers = [...new Set(state.policy.review.final.map((name) => name || state.policy.agent))]
  return reviewers.length === 0 ? because : `${because}; all changes were reviewed by ${reviewers.join(', ')}`
}

/**
 * Every counting story passes, and every hard gate and every story's own gates passed after the last change; without a plan, a claim that
 * nothing contradicts. Only final reviewers, if any, are still missing.
 */
export function checkedWhole(state: State): string | null {
  const { plan, policy } = state
  const hasGates = hardGates(policy).length > 0
  const isChecked = wholeGatesLeft(state).length === 0 && !isHeldOutLeft(state)
  if (plan === null) {
    if ((!isClaimed(state) && !isAccepted(state)) || !isChecked) return null
    const who = isClaimed(state) ? 'claimed in' : 'accepted by a person after'
    return `${who} iteration ${state.iteration}, and ${hasGates ? 'every gate passes' : 'no gate is configured to check it'}`
  }
  if (!isAllPassed(plan, policy)) return null
  if (policy.only !== undefined) return `${policy.only} passes${onlyProof(state, policy.only)}`
  if (!isChecked) return null
  if (!hasGates) return `every story passes${wholeProof(state, false)}`
  const hadRed = policy.baseline === 'tolerate' && state.baseline?.some(isRed) === true
  return hadRed
    ? `every story passes, and gates fail only as they did before the run${reservationWords(reservedStories(state))}`
    : `every story passes${wholeProof(state, true)}`
}

/** Without a plan: the last iteration said so, and nothing contradicted it. */
const isClaimed = ({ last }: State): boolean => last?.judged.claim === 'accepted'

/** Without a plan: the work is said to be done, and the held-out check has not seen it yet. */
export const isLastCheckDue = (state: State): boolean =>
  state.plan === null && (isClaimed(state) || isAccepted(state)) && state.check.phase !== 'red' && isHeldOutLeft(state)

function onlyProof({ stories }: State, only: StoryId): string {
  const { receipt } = stories[only] ?? {}
  const { by } = receiptProof(receipt)
  if (openReservations(receipt).length > 0) return reservationWords([only])
  return by.length === 0 ? '' : `, proven by ${listed(by)}`
}

/** Before the first iteration: whatever an agent does, nothing could pass. */
function gateMissing({ policy, baseline = [] }: State): string | null {
  const missing = policy.missingTools === 'stop' ? baseline.find(isToolMissing) : undefined
  return missing === undefined ? null : missingWords(missing)
}

/** A parked question waits until nothing else can start; one without a story blocks everything. */
function question(state: State): string | null {
  const open = openQuestions(state)
  const [first] = open
  if (first === undefined) return null
  const isParked = state.policy.decide === 'park' && open.every(({ story }) => story !== null)
  const canGoOn = isParked && nextTarget(state) !== null && state.used < state.policy.maxIterations
  if (canGoOn || (isParked && state.flights.length > 0)) return null
  const others = open.length > 1 ? ` (and ${open.length - 1} more)` : ''
  return `iteration ${first.iteration} asks: ${first.question}${others}`
}

function limited({ limit, retryDue, inARow, policy }: State): string | null {
  if (limit?.choice === 'exit' || (limit?.choice === 'open' && policy.onLimit === 'exit')) {
    return `the provider's usage limit: ${limit.message}${limit.until === undefined ? '' : ` (until ${limit.until})`}`
  }
  if (retryDue === undefined) return null
  return retryDue.by !== 'login' && inARow.retries > policy.maxRetries
    ? `the provider is still unavailable after ${policy.maxRetries === 1 ? 'a retry' : `${policy.maxRetries} retries`}: ${retryDue.message}`
    : null
}

/** Also if the last iteration was stopped for it: agents do not always report what they spend after their last message. */
function overBudget(state: State): string | null {
  const spent = spentBudget(state)
  if (spent !== undefined) return `budget spent: ${spent.words}${spent.until === undefined ? '' : `; resets at ${spent.until}`}`
  const untold = untoldBudget(state)
  if (untold !== undefined) return untold
  const { ended, judged } = state.last ?? {}
  return ended?.exit === 'over-budget' && ended.shareSpent !== true ? (judged?.because ?? null) : null
}

function storiesFailed(state: State): string | null {
  const { plan, policy } = state
  if (state.unmoved !== undefined) return state.unmoved
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
  if (wholeRerunDue(state) !== null) return null
  if (used < policy.maxIterations || (checkedWhole(state) !== null && finalDue(state) !== null)) return null
  if (isLastCheckDue(state)) return null
  const limit = `${used} of ${policy.maxIterations} iterations used`
  if (plan === null) return `${limit} and no claim was confirmed by the gates`
  const open = unpassedStories(plan, policy).map((story) => story.id)
  if (open.length > 0) return `${limit}, still open: ${listed(open)}`
  const red = check.phase === 'red' ? check.results.filter(isRed).map((result) => result.name) : []
  return red.length > 0 ? `${limit}, and ${gatesAre(red)} red` : null
}
