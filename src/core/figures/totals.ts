/** What a run and its stories have used; unknown cost is kept separate, never counted as 0. */
import { noStory } from '../evolve/initial.ts'
import type { State } from '../state.ts'
import type { Totals } from '../types/totals.ts'
import type { CallEntry } from './calls.ts'
import { isUntold } from './price.ts'

/** Adds one more call that ended or was lost, to the totals of the run and of its story. */
export function withCall(state: State, call: CallEntry): State {
  const totals = totalsWith(state.totals, call)
  if (!isOfStory(call)) return { ...state, totals }
  const known = state.stories[call.story] ?? noStory
  const story = { ...known, costUsd: sumOf(known.costUsd, call.costUsd) }
  return { ...state, totals, stories: { ...state.stories, [call.story]: story } }
}

function totalsWith(totals: Totals, call: CallEntry): Totals {
  const { role, ms, inputTokens, outputTokens, costUsd } = call
  const cost = costUsd ?? 0
  const unpriced = costUsd === null ? 1 : 0
  const own = totals.byRole[role]
  return {
    ...totals,
    calls: totals.calls + 1,
    agentMs: totals.agentMs + ms,
    inputTokens: totals.inputTokens + inputTokens,
    outputTokens: totals.outputTokens + outputTokens,
    uncounted: totals.uncounted + (isUntold(call) ? 1 : 0),
    costUsd: totals.costUsd + cost,
    unpriced: totals.unpriced + unpriced,
    unpricedTokens: totals.unpricedTokens + (costUsd === null ? inputTokens + outputTokens : 0),
    dearestUsd: Math.max(totals.dearestUsd, cost),
    byRole: {
      ...totals.byRole,
      [role]: { calls: own.calls + 1, costUsd: own.costUsd + cost, unpriced: own.unpriced + unpriced, ms: own.ms + ms },
    },
  }
}

/** Learning belongs to the feature: the story is done. */
export const isOfStory = (call: CallEntry): call is CallEntry & { story: string } =>
  call.story !== null && call.role !== 'learner'

/** One unknown part makes the sum unknown. */
export const sumOf = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : one + other

/** Unknown if no call reported its cost. */
export const knownCost = ({ calls, costUsd, unpriced }: { calls: number; costUsd: number; unpriced: number }): number | null =>
  calls > 0 && unpriced === calls ? null : costUsd
