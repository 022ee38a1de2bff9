/** What a run has used up, all calls together and by role; unknown cost is told apart, never taken for 0. */
import type { Totals } from './state.ts'
import type { Role, Usage } from './types.ts'

/** One more call that came back. */
export function withCall(totals: Totals, role: Role, usage: Usage, ms: number): Totals {
  const cost = usage.costUsd ?? 0
  const unpriced = usage.costUsd === null ? 1 : 0
  const own = totals.byRole[role]
  return {
    ...totals,
    inputTokens: totals.inputTokens + usage.inputTokens,
    outputTokens: totals.outputTokens + usage.outputTokens,
    costUsd: totals.costUsd + cost,
    unpriced: totals.unpriced + unpriced,
    byRole: {
      ...totals.byRole,
      [role]: { ...own, costUsd: own.costUsd + cost, unpriced: own.unpriced + unpriced, ms: own.ms + ms },
    },
  }
}

/** One unknown part makes the whole unknown. */
export const sumOf = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : one + other
