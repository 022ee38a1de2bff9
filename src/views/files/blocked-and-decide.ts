/** blocked.txt and decide.txt: what only a person can resolve, and how. */
import type { Question, State } from '../../core/state.ts'
import type { Instant } from '../../core/types.ts'

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

/** A question that somebody wrote down, with its answer; empty: none yet. */
export type WrittenQuestion = { question: string; answer: string }

/** The questions in the file that are none of these: somebody wrote them there. */
export function otherQuestions(text: string, questions: Question[]): WrittenQuestion[] {
  const open = blocksFor(
    questions.filter((question) => question.text === undefined),
    text,
  ).map((block) => block?.text)
  return blocksIn(text)
    .filter((block) => !open.includes(block.text) && questions.every(({ iteration }) => iteration !== block.iteration))
    .map(({ text: whole, answer, isBare }) => ({ question: questionIn(whole), answer: isBare ? '' : answer }))
}

/** Above the line, without our heading; where there is no line, all of it. */
const questionIn = (text: string): string =>
  text
    .replace(/^\s*---\s*$[\s\S]*/m, '')
    .replace(/^## Question \(.*\)[^\S\n]*\r?\n/, '')
    .trim()

type Block = { iteration: number | null; at?: Instant; answer: string; isBare: boolean; text: string }

const blocksIn = (text: string): Block[] =>
  text
    .split(/^(?=## Question \()/m)
    .filter((block) => block.trim() !== '')
    .map(blockOf)

/** Each question's own block, by the iteration that asked; one that lost its heading, by its place. */
function blocksFor(questions: Question[], text: string): (Block | undefined)[] {
  const blocks = blocksIn(text)
  return questions.map(({ iteration, question }, place) => {
    const own = blocks.find((block) => block.iteration === iteration)
    const unheaded = blocks.length === questions.length && blocks[place]?.iteration === null ? blocks[place] : undefined
    const inPlace = own ?? unheaded
    // Without the line above it, what was asked could be taken for what was answered.
    return inPlace?.isBare && inPlace.answer.includes(question.trim()) ? { ...inPlace, answer: '' } : inPlace
  })
}

function blockOf(text: string): Block {
  const [, iteration, at] = /^## Question \((?:.*, )?from iteration (\d+), ([^),\r\n]*)\)/.exec(text) ?? []
  return { text, iteration: iteration === undefined ? null : Number(iteration), ...(at ? { at } : {}), ...answerIn(text) }
}

/** Below the line; where someone took that away, below the heading; where nothing of ours is left, all of it. */
function answerIn(text: string): Pick<Block, 'answer' | 'isBare'> {
  const lines = text.split(/\r?\n/)
  const line = lines.findIndex((candidate) => candidate.trim() === '---')
  const isBare = line === -1
  const heading = lines.findIndex((candidate, place) => place > line && (isBare ? isHeading(candidate) : candidate.trim() !== ''))
  const isHeaded = isHeading(lines[heading] ?? '')
  if (isBare && !isHeaded && /^## Question \(/.test(text)) return { answer: '', isBare }
  return {
    answer: lines
      .slice((isHeaded ? heading : line) + 1)
      .join('\n')
      .trim(),
    isBare,
  }
}

const isHeading = (line: string): boolean => /^#+\s*answer:?\s*$/i.test(line.trim())

/** A question may have any words: none of its lines may be taken for the line above the answer, or for the next question. */
export const withoutMarks = (question: string): string =>
  question
    .split(/\r?\n/)
    .map((line) => (line.trim() === '---' ? '- - -' : line.replace(/^## Question \(/, '## Question: (')))
    .join('\n')
