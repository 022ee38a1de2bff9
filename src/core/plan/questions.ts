/** Questions to a person: which are open, which keep what from starting. */
import { isLeftOpen } from '../reading/needs-person.ts'
import type { Question, State } from '../state.ts'
import type { Ended, Plan, StoryId } from '../types.ts'

export const openQuestions = ({ questions }: Pick<State, 'questions'>): Question[] =>
  questions.filter((question) => question.text === undefined)

/** An agent, a gate, a reviewer or a learner: while one is, what is written into a file is nobody's word for sure. */
export const isAnybodyAtWork = ({
  flights,
  learning,
  final,
  check,
  failing,
}: Pick<State, 'flights' | 'learning' | 'final' | 'check' | 'failing'>): boolean =>
  flights.length > 0 || learning.running !== 'none' || final.isReviewing || check.phase === 'running' || failing !== undefined

/** An answer stays in the prompts of its story until that passes or fails; one that belongs to no story, in all. */
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

/** One question a story: a newer one takes the place of an older. */
export const withQuestion = (questions: Question[], question: Question): Question[] => [
  ...questions.filter((known) => known.story !== question.story),
  question,
]

/** Plain words that it is done, without a plan: only a person can say whether it is. */
export function acceptanceOf(ended: Ended): Question {
  const said = ended.signals.find((signal) => signal.kind === 'claimed-done')
  const words = said?.evidence.replace(/^keyword .*? \([^)]*\): |^.*?, in words that leave it open: /, '') ?? ''
  const isOpen = said !== undefined && isLeftOpen(said)
  return {
    question: `${isOpen ? 'The agent signals that it is done, but its words do not say so' : 'The agent says that it is done, but did not send the signal for it'}${words === '' ? '' : ` ("${words}")`}. Is the work complete? Answer yes to accept it, once the gates pass; or say what is missing, and the run goes on with that.`,
    iteration: ended.iteration,
    story: null,
    accepts: true,
  }
}

/** A person has accepted the work as it stands: no iteration came after it. */
export const isAccepted = ({ questions, iteration, plan }: Pick<State, 'questions' | 'iteration' | 'plan'>): boolean =>
  plan === null &&
  questions.some((question) => question.accepts === true && question.iteration === iteration && isYes(question.text ?? ''))

/** "Yes, but the tests are missing" is a no. */
const isYes = (text: string): boolean =>
  /^\s*(?:y|yes|yep|yeah|ok|okay|accept(?:ed)?|it is|complete|done|ja|oui|sí|si|sim|да|是|はい|네)[\s.!]*$/i.test(text)

/** What these stories asked is over with them. */
export const withoutStories = (questions: Question[], ended: StoryId[]): Question[] =>
  ended.length === 0 ? questions : questions.filter(({ story }) => story === null || !ended.includes(story))

/** Nor does anybody wait for the answer where the story passes, is out of the count or out of the plan. */
export const withoutClosed = (questions: Question[], plan: Plan | null): Question[] =>
  withoutStories(
    questions,
    questions.flatMap(({ story }) => {
      const asker = plan?.stories.find(({ id }) => id === story)
      return story === null || (asker !== undefined && !asker.passes && !asker.skip) ? [] : [story]
    }),
  )

/** The question that an answer is for: the one of the story named, or the oldest that is open; else the last that was answered. */
export function questionFor({ questions }: Pick<State, 'questions'>, story: StoryId | null | undefined): Question | undefined {
  if (story !== undefined) return questions.find((question) => question.story === story)
  return questions.find((question) => question.text === undefined) ?? questions.at(-1)
}
