/** Questions to a person: which are open, and what they block. */
import { isLeftOpen } from '../reading/needs-person.ts'
import type { Question, State } from '../state.ts'
import type { Ended, Plan, StoryId } from '../types.ts'

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

/** A person accepted the work as it is: no iteration came after it. */
export const isAccepted = ({ questions, iteration, plan }: Pick<State, 'questions' | 'iteration' | 'plan'>): boolean =>
  plan === null &&
  questions.some((question) => question.accepts === true && question.iteration === iteration && isYes(question.text ?? ''))

/** "Yes, but the tests are missing" is a no. */
const isYes = (text: string): boolean =>
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
