/** How a run ends, in exit codes and words: one each. */
import type { State } from '../state.ts'
import type { Outcome } from '../types.ts'

const exits: Record<Outcome, number> = {
  complete: 0,
  incomplete: 1,
  'stories-failed': 1,
  blocked: 2,
  question: 3,
  stuck: 4,
  'testing-only': 4,
  limited: 5,
  budget: 6,
  'gate-missing': 69,
  'agent-unusable': 69,
  login: 77,
  interrupted: 130,
}

export function exitCode(outcome: Outcome, stop?: State['stop']): number {
  if (outcome !== 'interrupted') return exits[outcome]
  if (stop?.by === 'SIGTERM') return 143
  if (stop?.by === 'SIGHUP') return 129
  return 130
}

/** The same in a sentence. */
export const outcomeWords = (outcome: Outcome | null): string =>
  outcome === 'gate-missing' ? 'gate cannot run' : (outcome ?? '').replaceAll('-', ' ')

/** The word on the summary's Exit line. */
export function outcomeTitle(outcome: Outcome): string {
  switch (outcome) {
    case 'complete':
      return 'COMPLETE'
    case 'incomplete':
      return 'INCOMPLETE'
    case 'stories-failed':
      return 'STORIES FAILED'
    case 'blocked':
      return 'BLOCKED'
    case 'question':
      return 'DECIDE'
    case 'stuck':
      return 'STUCK'
    case 'testing-only':
      return 'TESTING ONLY'
    case 'gate-missing':
      return 'GATE CANNOT RUN'
    case 'agent-unusable':
      return 'AGENT UNUSABLE'
    case 'limited':
      return 'LIMITED'
    case 'budget':
      return 'BUDGET SPENT'
    case 'login':
      return 'LOGIN REFUSED'
    case 'interrupted':
      return 'INTERRUPTED'
  }
}
