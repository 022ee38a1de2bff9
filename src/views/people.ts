/** blocked.txt and decide.txt: what only a person can resolve, and how. */
import type { Question, State } from '../core/state.ts'
import type { Instant } from '../core/types.ts'

export const blockedText = (blocked: NonNullable<State['blocked']>, at: Instant): string =>
  `## Blocked (from iteration ${blocked.iteration}, ${at})\n${blocked.reason}\n\nResolve it, delete this file, and run: ralph run\n`

/** One block a question; of several, each says whose it is. What a person has typed into the file `before` stays. */
export function decideText(questions: Question[], at: Instant, before = ''): string {
  const known = blocksFor(questions, before)
  return questions
    .map(({ question, iteration, story }, place) => {
      const { at: askedAt = at, answer = '' } = known[place] ?? {}
      const whose = questions.length > 1 && story !== null ? `${story}, ` : ''
      const typed = answer === '' ? '' : `${answer}\n`
      return `## Question (${whose}from iteration ${iteration}, ${askedAt})\n${withoutMarks(question)}\n\n---\n## Answer\n${typed}`
    })
    .join('\n')
}

/** What was written below the line of each question; empty: not answered yet. */
export const answersIn = (text: string, questions: Question[]): string[] =>
  blocksFor(questions, text).map((block) => block?.answer ?? '')

type Block = { iteration: number | null; at?: Instant; answer: string }

/** Each question's own block, by the iteration that asked; one that lost its heading, by its place. */
function blocksFor(questions: Question[], text: string): (Block | undefined)[] {
  const blocks = text
    .split(/^(?=## Question \()/m)
    .filter((block) => block.trim() !== '')
    .map(blockOf)
  return questions.map(({ iteration }, place) => {
    const own = blocks.find((block) => block.iteration === iteration)
    return own ?? (blocks.length === questions.length ? blocks[place] : undefined)
  })
}

function blockOf(text: string): Block {
  const [, iteration, at] = /^## Question \((?:.*, )?from iteration (\d+), ([^),\r\n]*)\)/.exec(text) ?? []
  return { iteration: iteration === undefined ? null : Number(iteration), ...(at ? { at } : {}), answer: answerIn(text) }
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

/** A question may have any words: none of its lines may be taken for the line above the answer, or for the next question. */
const withoutMarks = (question: string): string =>
  question
    .split(/\r?\n/)
    .map((line) => (line.trim() === '---' ? '- - -' : line.replace(/^## Question \(/, '## Question: (')))
    .join('\n')
