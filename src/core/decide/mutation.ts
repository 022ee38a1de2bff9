/** When mutants of a story's code are tried: once its gates pass, and before a reviewer, who is told which ones nobody noticed. */
import { about } from '../proof/receipt.ts'
import type { EndedFlight, State } from '../state.ts'
import type { Decision } from '../types.ts'
import { isCutShort, isRed, resultsOf } from './gates.ts'

export function isMutationDue(state: State, flight: EndedFlight): boolean {
  const { policy, judgedIn } = state
  const { ended, gates = [], mutation } = flight
  if (mutation !== undefined || (policy.proof?.mutants ?? 0) === 0 || isCutShort(ended)) return false
  if (judgedIn === undefined || judgedIn === 'tree') return false
  const results = resultsOf(state, flight)
  const isOpen = (id: string): boolean => !about(results, id).some(isRed)
  return ended.flips.some(isOpen) && gates.some(({ kind, soft, passed }) => kind === 'command' && soft !== true && passed)
}

export const mutationOf = ({ policy }: State, { iteration, ended }: EndedFlight): Decision => ({
  kind: 'mutants.started',
  iteration,
  most: policy.proof?.mutants ?? 0,
  because: `${ended.flips.join(', ')} passes its gates: see whether they notice small bugs in it`,
})
