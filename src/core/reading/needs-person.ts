/** What an iteration said besides its verdict: that a person is needed, or that its story is already done. */
import type { JudgedFlight, State } from '../state.ts'
import type { EventOf, Signal } from '../types.ts'

/** The agent's own statement, and each named stop, which ends the run whatever the verdict. */
export function blockedBy(signals: Signal[], { iteration, verdict }: EventOf<'iteration.judged'>): State['blocked'] {
  const reasons = signals.flatMap((signal) => {
    if (signal.kind === 'stop') return [signal.reason === '' ? signal.name : `${signal.name}: ${signal.reason}`]
    return signal.kind === 'blocked' && verdict === 'blocked' ? [signal.reason] : []
  })
  return reasons.length === 0 ? undefined : { reason: reasons.join('; '), iteration }
}

/**
 * "Already implemented, no changes needed", and the story is not marked: the agent may be right, and was not told how to show it. The next
 * prompt does; repeated without a mark, it counts as idle.
 */
export function isFirstWordOfDone(state: State, { story, ended, judged }: JudgedFlight): boolean {
  if (story === null || judged.verdict !== 'worked' || judged.progress !== 'idle') return false
  const isSaid = ended.signals.some((signal) => signal.kind === 'claimed-done')
  return isSaid && ended.flips.length === 0 && state.stories[story]?.hasSaidDone !== true
}

/** In the evidence of a claim whose words do not say that the work is done, if nothing else could prove it: a person decides. */
export const leftOpen = 'in words that leave it open'
export const isLeftOpen = (signal: Signal): boolean =>
  signal.kind === 'claimed-done' && signal.evidence.includes(`, ${leftOpen}: `)
