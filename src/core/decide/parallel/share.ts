/** What one call may take of the budgets of money while other agents work: agents often say only at their end what they took. */

import { hasEnded } from '../../evolve/flights.ts'
import type { Flight, State } from '../../state.ts'
import { usdLeft } from '../budget.ts'

/**
 * Workers share what is left equally, but none begins with less than the dearest call so far took: then fewer work at a time, and the last one has all
 * of it. null: it must wait until another one has ended.
 */
export function shareFor(state: State): { maxUsd?: number } | null {
  const left = usdLeft(state)
  const { flights, policy } = state
  if (left === undefined || policy.workers === 1) return {}
  const busy = flights.filter(isAtWork)
  const open = busy.reduce((sum, { maxUsd = left }) => sum - maxUsd, left)
  const dearest = Math.max(state.totals.dearestUsd, ...flights.map(takenBy))
  const free = Math.max(1, policy.workers - busy.length)
  const starting = dearest === 0 ? free : Math.min(free, Math.floor(open / dearest))
  if (busy.length === 0 && starting <= 1) return {}
  const maxUsd = Math.floor((open / Math.max(1, starting)) * unitsPerUsd) / unitsPerUsd
  return starting < 1 || maxUsd <= 0 ? null : { maxUsd }
}

/** Claude Code gets its limit with four decimals. */
const unitsPerUsd = 10_000

/** One whose agent has returned is not counted yet either. */
const isAtWork = ({ phase }: Flight): boolean => phase === 'working' || phase === 'returned' || phase === 'reviewing'

/** Not in the totals before its verdict. */
const takenBy = (flight: Flight): number => (hasEnded(flight) ? (flight.ended.usage.costUsd ?? 0) : 0)
