/** Questions to a person: which are open, and what they block. */
import type { Acceptance, Reservation } from '../proof/story-proof.ts'
import { isLeftOpen } from '../reading/needs-person.ts'
import { acceptedWords, askedWith, isAcceptance } from '../reading/proposal.ts'
import type { State } from '../state.ts'
import type { CriterionAmended, QuestionAnswered } from '../types/results.ts'
import type { Ended, Plan, Signal, StoryId } from '../types.ts'
import type { Question } from './question.ts'

export const openQuestions = ({ questions }: Pick<State, 'questions'>): Question[] =>
  questions.filter((question) => question.text === undefined)

/** An agent, gate, reviewer or learner: while one runs, text in a file may be anyone's. */
export const isAnybodyAtWork = ({
  flights,
  learning,
  final,
  check,
  failing,
}: Pick<State, 'flights' | 'learning' | 'final' | 'check' | 'failing'>): boolean =>
  flights.length > 0 || learning.running !== 'none' || final.isReviewing || check.phase === 'running' || failing !== undefined

/** An answer stays in the prompts of its story until that passes or fails; one without a story stays in all prompts. */
export const answersFor = (
  { questions }: Pick<State, 'questions'>,
  story: StoryId | null,
): { question: string; text: string }[] =>
  questions.flatMap(({ question, text, story: asker }) =>
    text !== undefined && (asker === null || asker === story) ? [{ question, text }] : [],
  )

/** The story waits for a person's answer. */
export const isParked = (state: Pick<State, 'questions'>, story: StoryId): boolean =>
  openQuestions(state).some((question) => question.story === story)

/** One question per story: a newer one replaces an older. */
export const withQuestion = (questions: Question[], question: Question): Question[] => [
  ...questions.filter((known) => known.story !== question.story),
  question,
]

type Asking = Extract<Signal, { kind: 'question' | 'asked' }>

export function askedBy(signal: Asking, iteration: number, story: StoryId | null): Question {
  const proposal = signal.kind === 'question' ? signal.proposal : undefined
  return { question: askedWith(signal.text, proposal), iteration, story, ...(proposal === undefined ? {} : { proposal }) }
}

/** With the word that accepts it, the proposed criterion is to be written into the plan. */
export function withAnswer({ amends: _earlier, ...question }: Question, { text, by }: QuestionAnswered): Question {
  if (question.proposal === undefined || !isAcceptance(text)) return { ...question, text }
  return { ...question, text: acceptedWords(question.proposal), amends: by === undefined ? {} : { by } }
}

/** What people accepted and the plan does not have yet. */
export const dueAmendments = ({ questions }: Pick<State, 'questions'>): CriterionAmended[] =>
  questions.flatMap(({ story, proposal, amends }) =>
    proposal === undefined || amends === undefined ? [] : [{ story, ...proposal, ...amends }],
  )

/** Before an iteration on this story. */
export const dueFor = (state: Pick<State, 'questions'>, own: StoryId | null): CriterionAmended[] =>
  dueAmendments(state).filter(({ story }) => story === null || story === own)

/** The plan has it, or a person was told that it cannot be written. */
export const withoutAmendment = (questions: Question[], { story, before, after }: CriterionAmended): Question[] =>
  questions.map((question) => {
    const { amends: _done, ...rest } = question
    const isIt = question.story === story && question.proposal?.before === before && question.proposal.after === after
    return isIt ? rest : question
  })

/** The agent only says that it is done, and there is no plan: only a person can decide. */
export function acceptanceOf(ended: Ended): Question {
  const said = ended.signals.find((signal) => signal.kind === 'claimed-done')
  const words = said?.evidence.replace(/^keyword .*? \([^)]*\): |^.*?, in words that leave it open: /, '') ?? ''
  const isOpen = said !== undefined && isLeftOpen(said)
  return {
    question: `${isOpen ? 'The agent sent the done signal, but its words do not say that it is done' : 'The agent says that it is done, but did not send the done signal'}${words === '' ? '' : ` ("${words}")`}. Is the work complete? Answer yes to accept it, once the gates pass, or say what is missing to continue the run.`,
    iteration: ended.iteration,
    story: null,
    accepts: true,
  }
}

/** A story that would pass, and what is suspicious about it, with both choices. */
export const suspicionQuestion = (story: StoryId, iteration: number, suspicions: Reservation[]): Question => ({
  question: [
    `${story} passes its checks, but this is suspicious:`,
    ...suspicions.map((suspicion) => `- ${suspicion.words}${placeOf(suspicion)}`),
    'Answer yes to let it pass as it is: its receipt will say that you accepted this. Answer no, and why, to send it back with your words.',
  ].join('\n'),
  iteration,
  story,
  suspicions,
})

/** Where it is, unless its words say so. */
function placeOf({ words, file, line }: Reservation): string {
  if (file === undefined) return ''
  const isSaid = words.includes(file) && (line === undefined || words.includes(`${line}`))
  return isSaid ? '' : ` (${file}${line === undefined ? '' : `:${line}`})`
}

/** What an answer to such a question accepts; undefined: it is another question, or a no. */
export const acceptedIn = ({ suspicions }: Question, { text, by }: QuestionAnswered): Acceptance | undefined =>
  suspicions === undefined || !isYes(text)
    ? undefined
    : { ...(by === undefined ? {} : { by }), reservations: suspicions, isDue: true }

/** A person accepted the work as it is: no iteration came after it. */
export const isAccepted = ({ questions, iteration, plan }: Pick<State, 'questions' | 'iteration' | 'plan'>): boolean =>
  plan === null &&
  questions.some((question) => question.accepts === true && question.iteration === iteration && isYes(question.text ?? ''))

/** "Yes, but the tests are missing" is a no. */
export const isYes = (text: string): boolean =>
  /^\s*(?:y|yes|yep|yeah|ok|okay|accept(?:ed)?|it is|complete|done|ja|oui|sí|si|sim|да|是|はい|네)[\s.!]*$/i.test(text)

/** The questions of these stories are closed with them. */
export const withoutStories = (questions: Question[], ended: StoryId[]): Question[] =>
  ended.length === 0 ? questions : questions.filter(({ story }) => story === null || !ended.includes(story))

/** Nobody needs the answer either if the story passes, is skipped or is no longer in the plan. */
export const withoutClosed = (questions: Question[], plan: Plan | null): Question[] =>
  withoutStories(
    questions,
    questions.flatMap(({ story }) => {
      const asker = plan?.stories.find(({ id }) => id === story)
      return story === null || (asker !== undefined && !asker.passes && !asker.skip) ? [] : [story]
    }),
  )

/** The question that an answer is for: the named story's, or the oldest open one; otherwise the last answered one. */
export function questionFor({ questions }: Pick<State, 'questions'>, story: StoryId | null | undefined): Question | undefined {
  if (story !== undefined) return questions.find((question) => question.story === story)
  return questions.find((question) => question.text === undefined) ?? questions.at(-1)
}
