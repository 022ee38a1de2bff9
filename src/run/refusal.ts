/** Why a run may not start: the breaker is open, or a person has something to resolve first. */
import { breakerDue } from '../core/breaker.ts'
import { openQuestions } from '../core/questions.ts'
import type { State } from '../core/state.ts'
import { nextTarget } from '../core/stories.ts'
import type { Instant, Policy } from '../core/types.ts'

export function refusal(state: State, policy: Policy, at: Instant, label: string): { exit: number; lines: string[] } | null {
  if (state.blocked !== undefined) {
    return {
      exit: 2,
      lines: [
        `Blocked since iteration ${state.blocked.iteration}: ${state.blocked.reason}`,
        `Resolve it, then: ralph unblock "<note>" (or delete ${label}/blocked.txt), and run again.`,
      ],
    }
  }
  const asked = openQuestions(state)
  const canGoOn = policy.decide === 'park' && nextTarget({ ...state, policy, flights: [] }) !== null
  if (asked.length > 0 && !canGoOn) {
    return {
      exit: 3,
      lines: [
        ...asked.map(({ iteration, question }) => `Iteration ${iteration} asks: ${question}`),
        `Answer with: ralph answer "<your decision>" (or below the --- in ${label}/decide.txt), then run again.`,
      ],
    }
  }
  if (state.breaker.state === 'open' && breakerDue(state.breaker, policy, at) === null) {
    return {
      exit: 4,
      lines: [
        `The circuit breaker is OPEN since ${state.breaker.changedAt}: ${state.breaker.because}`,
        `Look at ${label}/logs and mend the prompt, the plan or the environment; ralph why explains.`,
        'Then close it with: ralph breaker reset (or ralph run --reset-circuit)',
      ],
    }
  }
  return null
}
