/** The circuit breaker: what moves it, and where it stands. */

import type { Flight } from './state.ts'
import { later } from './time.ts'
import type { Breaker, EventOf, Instant, Policy } from './types.ts'

export const closedBreaker: Breaker = { state: 'closed', idle: 0, iterations: [], changedAt: '', because: '' }

/** After an iteration: idle ones in a row count; progress starts again; what was not the agent's doing moves nothing. */
export function breakerAfter(breaker: Breaker, flight: Flight, judged: EventOf<'iteration.judged'>): Breaker {
  if (judged.verdict === 'lost' || judged.verdict === 'throttled' || judged.verdict === 'interrupted') return breaker
  if (judged.progress === 'made') return { ...breaker, idle: 0, iterations: [] }
  if (judged.progress === 'neutral' || !movesBreaker(flight, judged)) return breaker
  return { ...breaker, idle: breaker.idle + 1, iterations: [...breaker.iterations, judged.iteration].slice(-10) }
}

/** A gate's refusal belongs to its story; limits, kills, questions and stops are nobody's fault. */
function movesBreaker(flight: Flight, judged: EventOf<'iteration.judged'>): boolean {
  // A claim that nothing refutes is the end of the work, not idling.
  if (judged.verdict !== 'worked' && judged.verdict !== 'failed') return false
  if (judged.refused.length > 0) return false
  // Testing only has a count and an end of its own, which leaves the breaker as it is.
  if (flight.ended?.signals.some((signal) => signal.kind === 'testing-only')) return false
  return flight.ended?.reading.status !== 'question'
}

/** Where the counters put it: one short of the threshold is half open, at it is open. An open one stays until reset or cooled. */
export function breakerDue(breaker: Breaker, policy: Policy, at: Instant): { to: Breaker['state']; because: string } | null {
  const threshold = policy.maxStuck
  if (breaker.state === 'open') {
    const isCooled = policy.cooldownMinutes > 0 && at >= later(breaker.changedAt, policy.cooldownMinutes * 60_000)
    return isCooled ? { to: 'half-open', because: `${policy.cooldownMinutes} minutes of cooldown are over: one more try` } : null
  }
  const to =
    threshold > 0 && breaker.idle >= threshold ? 'open' : threshold > 1 && breaker.idle === threshold - 1 ? 'half-open' : 'closed'
  if (to === breaker.state) return null
  if (to === 'closed') return { to, because: threshold === 1 ? 'no idle iteration is counted' : 'progress was made' }
  const which = breaker.iterations.length > 0 ? ` (iterations ${breaker.iterations.join(', ')})` : ''
  return { to, because: `${breaker.idle} of ${threshold} iterations in a row without progress${which}` }
}

export function breakerChanged(breaker: Breaker, change: EventOf<'breaker.changed'>, policy: Policy): Breaker {
  // Trying again after OPEN: one more idle iteration opens it at once.
  const idle = change.from === 'open' && change.to === 'half-open' ? policy.maxStuck - 1 : breaker.idle
  return { ...breaker, state: change.to, idle, changedAt: change.at, because: change.because }
}
