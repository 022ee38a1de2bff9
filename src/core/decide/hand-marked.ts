/** Stories that were marked done between runs: a person's word, which counts once it is checked. */
import { hasEnded } from '../evolve/flights.ts'
import { isAnybodyAtWork } from '../plan/questions.ts'
import { storyNamed } from '../plan/stories.ts'
import type { JudgedFlight, State } from '../state.ts'
import type { Decision, Plan, Policy, StoryId } from '../types.ts'

/** A gate, a held-out check or a reviewer can say whether it is done. */
export function isCheckable({ gates, review, proof }: Policy, plan: Plan | null, id: StoryId): boolean {
  const own = Object.keys(storyNamed(plan, id)?.gates ?? {})
  return gates.some((gate) => gate.soft !== true) || own.length > 0 || review.spec !== undefined || proof?.heldOut === 'flip'
}

/**
 * Of the stories that pass in the plan, but not because of an iteration, those that count as a person's word. If an agent was running when
 * Ralph was killed, that needs more: a check, and that the mark was made after it had ended (`isMarkedSince`).
 */
export function claimsAmong(
  state: State,
  { policy, plan }: { policy: Policy; plan: Plan | null },
  found: StoryId[],
  isMarkedSince: (id: StoryId) => boolean,
): StoryId[] {
  const isWorthChecking = (id: StoryId): boolean => isCheckable(policy, plan, id) && isMarkedSince(id)
  // Its own iteration is not settled yet.
  const isInFlight = (id: StoryId): boolean => state.flights.some((flight) => hasEnded(flight) && flight.ended.flips.includes(id))
  return found.filter((id) => !isInFlight(id) && (!isAnybodyAtWork(state) || isWorthChecking(id)))
}

/** Those still to be checked. */
export const openClaims = ({ claims, plan }: State): StoryId[] =>
  claims.filter((id) => {
    const story = storyNamed(plan, id)
    return story !== undefined && !story.passes && !story.skip && story.failed === undefined
  })

/** An iteration without an agent: only gates and reviewers run. */
export function claimCheck(state: State): Decision | null {
  const ids = openClaims(state)
  if (ids.length === 0 || state.flights.length > 0 || state.call.phase === 'requested') return null
  return {
    kind: 'iteration.started',
    iteration: state.iteration + 1,
    call: state.call.last,
    story: null,
    attempt: 1,
    mode: 'check',
    code: '',
    shift: '',
    shifts: 0,
    because: `${ids.join(', ')} ${ids.length === 1 ? 'was' : 'were'} marked done between runs: check before it counts`,
  }
}

/** Stopped before its gates finished, the claim stays open. */
export const isAnswered = ({ mode, judged }: JudgedFlight): boolean => mode === 'check' && judged.verdict !== 'interrupted'
