/** Converts events of older logs to the current form: what was encoded in a name or number gets its own field. */
import type { Finding } from '../proof/finding.ts'
import type { CheckKind, Event, EventOf, GateResult } from '../types.ts'

/** The same object if there is nothing to add. */
export const asKnownNow = (event: Event): Event => withKinds(isOf(event, 0) ? ({ ...event, iteration: 'whole' } as Event) : event)

/** As it is written: in every log, a check of everything is iteration 0, because older versions read it so. */
export const asLogged = <T extends { kind: Event['kind'] }>(event: T): T =>
  isOf(event, 'whole') ? { ...event, iteration: 0 } : event

const isOf = (event: object, scope: 0 | 'whole'): boolean => 'iteration' in event && event.iteration === scope

function withKinds(event: Event): Event {
  switch (event.kind) {
    case 'iteration.ended':
      return withFindings(event)
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

/** Weakened checks were words alone. */
function withFindings(event: EventOf<'iteration.ended'> & { weakened?: string[] }): Event {
  if (event.weakened === undefined) return event
  const { weakened, ...rest } = event
  return { ...rest, findings: weakened.map((words): Finding => ({ rule: 'weakened-check', words })) }
}

const hasKinds = (results: GateResult[]): boolean => results.every(({ kind }) => (kind as CheckKind | undefined) !== undefined)

const withKind = (result: GateResult): GateResult => ({ ...result, kind: kindOf(result) })

function kindOf({ name, command }: GateResult): CheckKind {
  if (command.startsWith('review by ')) return 'review'
  return name === 'landing' && command === 'git merge' ? 'landing' : 'command'
}
