/** An agent whose output cannot be read: another version is installed, and more calls would only cost. */
import type { State } from '../state.ts'
import type { Ended, EventOf, Signal } from '../types.ts'

/** The second such iteration in a row ends the run; an option that the program does not know ends it at once. */
export const mostUnreadable = 2

export type UnreadableSignal = Extract<Signal, { kind: 'unreadable' }>

export const unreadableIn = ({ signals }: Pick<Ended, 'signals'>): UnreadableSignal | undefined =>
  signals.find((signal) => signal.kind === 'unreadable')

/** `counts`: the iteration counts, so the agent could be read. */
export function unreadableAfter(
  { unreadable }: Pick<State, 'unreadable'>,
  { verdict }: Pick<EventOf<'iteration.judged'>, 'verdict'>,
  ended: Ended,
  counts: boolean,
): State['unreadable'] {
  const signal = verdict === 'unreadable' ? unreadableIn(ended) : undefined
  if (signal === undefined) return counts ? undefined : unreadable
  const times = signal.by === 'option' ? mostUnreadable : (unreadable?.times ?? 0) + 1
  return { times, message: signal.message }
}
