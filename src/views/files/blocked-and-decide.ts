/** blocked.txt and decide.txt: what only a person can resolve, and how. */
import type { Question } from '../../core/plan/question.ts'
import type { State } from '../../core/state.ts'
import type { Instant } from '../../core/types.ts'
import { localDateTime } from '../local-time.ts'

export const blockedText = (blocked: NonNullable<State['blocked']>, at: Instant): string =>
  `## Blocked (from iteration ${blocked.iteration}, ${localDateTime(at).join(' ')})\n${blocked.reason}\n\nResolve it, delete this file, and run: ralph run\n`

/** One block per question; with several, each names its story. What a person typed into the file `before` stays. */
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

/** What was written below the line of each question; empty: no answer yet. */
export const answersIn = (text: string, questions: Question[]): string[] =>
  blocksFor(questions, text).map((block) => block?.answer ?? '')

/** A question that somebody wrote, with its answer; empty: none yet. */
export type WrittenQuestion = { question: string; answer: string }

/** Questions in the file that are not among these: somebody wrote them. */
export function otherQuestions(text: string, questions: Question[]): WrittenQuestion[] {
  const open = blocksFor(
    questions.filter((question) => question.text === undefined),
    text,
  ).map((block) => block?.text)
  return blocksIn(text)
    .filter((block) => !open.includes(block.text) && questions.every(({ iteration }) => iteration !== block.iteration))
    .map(({ text: whole, answer, isBare }) => ({ question: questionIn(whole), answer: isBare ? '' : answer }))
}

/** The text above the line, without our heading; without a line, all of it. */
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

/** Each question's block, by the iteration that asked; without its heading, by its position. */
function blocksFor(questions: Question[], text: string): (Block | undefined)[] {
  const blocks = blocksIn(text)
  return questions.map(({ iteration, question }, place) => {
    const own = blocks.find((block) => block.iteration === iteration)
    const unheaded = blocks.length === questions.length && blocks[place]?.iteration === null ? blocks[place] : undefined
    const inPlace = own ?? unheaded
    // Without the line, the question could be taken for the answer.
    return inPlace?.isBare && inPlace.answer.includes(question.trim()) ? { ...inPlace, answer: '' } : inPlace
  })
}

function blockOf(text: string): Block {
  const [, iteration, at] = /^## Question \((?:.*, )?from iteration (\d+), ([^),\r\n]*)\)/.exec(text) ?? []
  return { text, iteration: iteration === undefined ? null : Number(iteration), ...(at ? { at } : {}), ...answerIn(text) }
}

/** The text below the line; if someone removed it, below the heading; if nothing of ours is left, all of it. */
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

/** A question may contain anything: none of its lines may look like the line above the answer or like the next question. */
export const withoutMarks = (question: string): string =>
  question
    .split(/\r?\n/)
    .map((line) => (line.trim() === '---' ? '- - -' : line.replace(/^## Question \(/, '## Question: (')))
    .join('\n')
