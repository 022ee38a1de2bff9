/** When a held-out check must run: for a flip, or before the end. What it is stays out of the core, because the core is in the log. */
import { isAllPassed } from '../plan/stories.ts'
import type { EndedFlight, State } from '../state.ts'
import { isRed, resultsOf } from './gates.ts'

/**
 * For an iteration: on a flip that nothing refuses for good, if the settings say so; and on a fix once every story passes. The gates have not run
 * yet, so a cross-examination may still clear a suspicion.
 */
export const isHeldOutFor = (state: State, { gates = [], ...flight }: EndedFlight): boolean =>
  isHeldOutOn(state, { ...flight, gates }) && !resultsOf(state, { ...flight, gates }).some(isRed)

/** The same, whatever its gates have shown so far. */
export function isHeldOutOn({ policy, plan }: State, { ended: { flips } }: EndedFlight): boolean {
  const on = policy.proof?.heldOut
  return on !== undefined && (isAllPassed(plan, policy) || (on === 'flip' && flips.length > 0))
}

export const also = (isHeldOut: boolean): { heldOut?: true } => (isHeldOut ? { heldOut: true } : {})

/** Before the end: it has not passed since the last change. */
export const isHeldOutLeft = ({ policy, check }: State): boolean =>
  policy.proof?.heldOut !== undefined && !(check.phase === 'green' && check.heldOut === true)
