/** blocked.txt and decide.txt: what only a person can resolve, and how. */
import type { Question, State } from '../core/state.ts'
import type { Instant } from '../core/types.ts'

export const blockedText = (blocked: NonNullable<State['blocked']>, at: Instant): string =>
  `## Blocked (from iteration ${blocked.iteration}, ${at})\n${blocked.reason}\n\nResolve it, delete this file, and run: ralph run\n`

/** One block a question; of several, each says whose it is. */
export const decideText = (questions: Question[], at: Instant): string =>
  questions
    .map(({ question, iteration, story }) => {
      const whose = questions.length > 1 && story !== null ? `${story}, ` : ''
      return `## Question (${whose}from iteration ${iteration}, ${at})\n${question}\n\n---\n## Answer\n`
    })
    .join('\n')

/** What was written below the line of each question, in their order; empty: not answered yet. */
export function answersIn(text: string): string[] {
  const blocks = text.split(/^(?=## Question \()/m).filter((block) => block.trim() !== '')
  return blocks.map(answerIn)
}

function answerIn(text: string): string {
  const lines = text.split(/\r?\n/)
  const line = lines.findIndex((candidate) => candidate.trim() === '---')
  if (line === -1) return ''
  const below = lines.slice(line + 1)
  const first = below.findIndex((candidate) => candidate.trim() !== '')
  const rest = /^#+\s*answer:?\s*$/i.test(below[first]?.trim() ?? '') ? below.slice(first + 1) : below
  return rest.join('\n').trim()
}
