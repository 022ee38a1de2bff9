/** What must be waited for before the next call: a limit of calls, a provider that is unavailable, its usage limit. */

import { leastLimitWaitMs, unknownResetMs } from '../evolve/usage-limits.ts'
import type { State } from '../state.ts'
import { fingerprint } from '../text/hash.ts'
import { later } from '../text/time.ts'
import { providerWords } from '../types/signal.ts'
import type { Decision } from '../types.ts'
import { withinTime } from './budget.ts'

export function nextWait(state: State): Decision[] | null {
  const { refusedCall, retryDue, limit, at } = state
  if (limit !== undefined) return atLimit(state, limit)
  if (refusedCall !== undefined && refusedCall.until > at) {
    return [
      {
        kind: 'wait.started',
        until: withinTime(refusedCall.until, state),
        for: 'rate',
        because: 'hourly call limit reached; raise it with -r',
      },
    ]
  }
  if (retryDue === undefined) return null
  const until = retryDue.until !== undefined && retryDue.until > at ? retryDue.until : later(at, retryPauseMs(state))
  return [
    {
      kind: 'wait.started',
      until: withinTime(until, state),
      for: 'retry',
      because: `${providerWords[retryDue.by]}: ${retryDue.message}`,
    },
  ]
}

/** `ending` ends the run if that is the setting; if a person is at the terminal, they are asked first. */
function atLimit(state: State, { until, message, choice }: NonNullable<State['limit']>): Decision[] {
  const { at, policy } = state
  const { limits } = state.inARow
  const again = limits > 1 ? ` (again after its reset, ${limits} times in a row)` : ''
  const because = `the provider's usage limit: ${message}${again}`
  if (choice === 'open' && policy.onLimit === 'ask')
    return [{ kind: 'limit.asked', because, ...(until === undefined ? {} : { until }) }]
  if (choice === 'asked') return []
  const isKnown = until !== undefined && until > at
  const reset = isKnown ? until : later(at, unknownResetMs)
  const soonest = later(at, leastLimitWaitMs(limits))
  return [{ kind: 'wait.started', until: withinTime(reset > soonest ? reset : soonest, state), for: 'usage-limit', because }]
}

/** 5 s, 15 s, 1, 5 and 15 minutes, plus or minus a fifth: many runs of one user must not come back at the same moment. */
function retryPauseMs(state: State): number {
  const pausesMs = [5_000, 15_000, 60_000, 300_000]
  const tries = Math.max(state.inARow.retries, state.inARow.refusedLogins)
  const pause = pausesMs[Math.max(tries, 1) - 1] ?? 900_000
  return Math.round(pause * (0.8 + 0.4 * (fingerprint(state.run + state.at) / 0xffffffff)))
}
