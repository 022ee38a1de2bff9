/** Whether a feature waits for a person, and what that person must know first. */
import type { Outcome } from '../../core/types.ts'
import type { Status } from '../../views/status/status.ts'
import type { Need, NeedKind } from './shapes.ts'

type Known = Pick<Status, 'state' | 'outcome' | 'because' | 'failure' | 'questions'>

/** `blocked`: what is in the way now; undefined: only status.json was read, which does not say. */
export function needOf(status: Known, blocked: { reason: string } | null | undefined): Need | null {
  const [question] = status.questions
  if (question !== undefined) {
    const more = status.questions.length - 1
    return { kind: 'question', words: `${question.question}${more === 0 ? '' : ` (and ${more} more)`}` }
  }
  if (blocked) return { kind: 'blocked', words: blocked.reason }
  if (status.state === 'killed')
    return { kind: 'killed', words: status.because || 'The run stopped without an end: its process is gone.' }
  if (status.state !== 'ended' || status.outcome === null) return null
  const kind = kinds[status.outcome]
  if (kind === null) return null
  if (kind === 'question') return ready
  if (kind === 'blocked') return blocked === undefined ? { kind, words: status.because } : ready
  return { kind, words: kind === 'failed' ? failureOf(status) : status.because }
}

const ready: Need = { kind: 'ready', words: 'Answered. Start a run to continue.' }

/** null: done, or a person stopped it. */
const kinds: Record<Outcome, NeedKind | null> = {
  complete: null,
  interrupted: null,
  question: 'question',
  blocked: 'blocked',
  login: 'login',
  limited: 'limit',
  budget: 'limit',
  incomplete: 'limit',
  'testing-only': 'failed',
  'gate-missing': 'failed',
  'agent-unusable': 'failed',
  stuck: 'failed',
  'stories-failed': 'failed',
}

function failureOf({ because, failure }: Known): string {
  if (failure === null) return because
  const [line] = failure.lines
  return `${failure.story === null ? '' : `${failure.story}: `}${failure.what}${line === undefined ? '' : ` – ${line.trim()}`}`
}
