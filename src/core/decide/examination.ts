/** When a flip is cross-examined: once its gates pass, if its checks changed. It needs no call, so it may run while a reviewer does. */
import { isExaminable } from '../proof/findings-of.ts'
import { about } from '../proof/receipt.ts'
import type { EndedFlight, State } from '../state.ts'
import { isCutShort, isRed, resultsOf } from './gates.ts'

export function isExaminationDue(state: State, flight: EndedFlight): boolean {
  const { ended, gates = [], examination } = flight
  if (!isExaminable(state, flight) || examination !== undefined || isCutShort(ended)) return false
  const results = resultsOf(state, flight)
  const isOpen = (id: string): boolean => !about(results, id).some(isRed)
  return ended.flips.some(isOpen) && gates.some(({ kind, soft }) => kind === 'command' && soft !== true)
}

export function whyExamined({ ended: { flips, checks = [] } }: EndedFlight): string {
  const names = checks.slice(0, 3).join(', ')
  const changed = checks.length === 0 ? '' : `: ${names}${checks.length > 3 ? ` and ${checks.length - 3} more` : ''} changed`
  return `${flips.join(', ')} passes its gates${changed}`
}
