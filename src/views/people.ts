/** blocked.txt and decide.txt: what only a person can resolve, and how. */
import type { State } from '../core/state.ts'
import type { Instant } from '../core/types.ts'

export const blockedText = (blocked: NonNullable<State['blocked']>, at: Instant): string =>
  `## Blocked (from iteration ${blocked.iteration}, ${at})\n${blocked.reason}\n\nResolve it, delete this file, and run: ralph run\n`

export const decideText = (answer: NonNullable<State['answer']>, at: Instant): string =>
  `## Question (from iteration ${answer.iteration}, ${at})\n${answer.question}\n\n---\n## Answer\n`

/** What was written below the line; empty: not answered yet. */
export function answerIn(text: string): string {
  const lines = text.split(/\r?\n/)
  const line = lines.findIndex((candidate) => candidate.trim() === '---')
  if (line === -1) return ''
  const below = lines.slice(line + 1)
  const first = below.findIndex((candidate) => candidate.trim() !== '')
  const rest = /^#+\s*answer:?\s*$/i.test(below[first]?.trim() ?? '') ? below.slice(first + 1) : below
  return rest.join('\n').trim()
}
