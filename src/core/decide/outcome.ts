/** How a run ends, in words: one each. */
import type { Outcome } from '../types.ts'

/** In a sentence. */
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
