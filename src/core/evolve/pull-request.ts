/** What follows from facts about a feature's pull request. */
import type { KnownPull } from '../types/results.ts'
import type { EventOf } from '../types.ts'

/** One that was not opened or updated is still there as it was. */
export function pullAfter(before: KnownPull | undefined, event: EventOf<'pull-request.ended'>): KnownPull | undefined {
  const { branch, base, commit, url, number, isDraft = false } = event
  if (url === undefined || number === undefined) return before
  const rounds = before?.number === number ? before.rounds : undefined
  return { branch, base, commit, url, number, isDraft, ...(rounds === undefined ? {} : { rounds }) }
}

/** Another one has rounds of its own. */
export function pullAfterRound(
  before: KnownPull | undefined,
  event: EventOf<'pull-request.reviewed' | 'pull-request.answered'>,
): KnownPull | undefined {
  if (before === undefined || before.number !== event.number) return before
  const { times, sources, answered } = before.rounds ?? { times: 0, sources: [], answered: [] }
  return event.kind === 'pull-request.reviewed'
    ? { ...before, rounds: { times: event.round, sources: event.sources, answered } }
    : { ...before, rounds: { times, sources, answered: [...answered, event.source] } }
}
