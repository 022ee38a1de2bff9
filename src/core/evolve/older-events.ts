/** Events that an older version wrote, as this one knows them: what was told by a name is told by a field of its own. */
import type { CheckKind, Event, GateResult } from '../types.ts'

/** The same event where there is nothing to add. */
export function asKnownNow(event: Event): Event {
  switch (event.kind) {
    case 'gates.ended':
    case 'landing.ended':
      return hasKinds(event.results) ? event : { ...event, results: event.results.map(withKind) }
    case 'iteration.settled':
      return event.results === undefined || hasKinds(event.results) ? event : { ...event, results: event.results.map(withKind) }
    case 'review.ended':
      return event.result === undefined || hasKinds([event.result]) ? event : { ...event, result: withKind(event.result) }
    default:
      return event
  }
}

const hasKinds = (results: GateResult[]): boolean => results.every(({ kind }) => (kind as CheckKind | undefined) !== undefined)

const withKind = (result: GateResult): GateResult => ({ ...result, kind: kindOf(result) })

function kindOf({ name, command }: GateResult): CheckKind {
  if (command.startsWith('review by ')) return 'review'
  return name === 'landing' && command === 'git merge' ? 'landing' : 'command'
}
