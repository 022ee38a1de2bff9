/** The interview on the terminal: an agent's questions, each with choices, and the person's answers. */
import { type Answered, interviewPrompt, type PlanQuestion, questionsSchema, readQuestions } from '../../core/import/interview.ts'
import { askForText } from '../../run/people/ask-on-terminal.ts'
import type { Planner } from '../import/ask-agent.ts'
import { asker, type Desk, patienceMs } from '../import/look-over.ts'

/** null: it was stopped. */
export async function interview(idea: string, planner: Planner, desk: Desk): Promise<Answered[] | null> {
  const questions = await planner.ask<PlanQuestion[]>({
    what: 'questions',
    schema: { name: 'questions', schema: questionsSchema },
    prompt: (about) => interviewPrompt({ feature: planner.feature, idea, ...about }),
    read: readQuestions,
  })
  if (questions === null) return null
  if (questions.length === 0) desk.io.out('No questions: the idea and the project say enough.\n')
  const answers: Answered[] = []
  for (const [place, { question, choices }] of questions.entries()) {
    if (desk.stop.aborted) return null
    const numbered = Object.fromEntries(choices.map((choice, index) => [String(index + 1), choice]))
    const keys = { ...numbered, o: 'something else', s: 'skip: the agent decides' }
    const asked = `${place + 1} of ${questions.length}: ${question}`
    const key = await asker(desk)(asked, { keys, timeoutMs: patienceMs, silence: 'skips', ignoresEnter: true }, desk.stop)
    const answer = key === 'o' ? await ownAnswer(desk.stop) : (numbered[key ?? ''] ?? '')
    if (desk.stop.aborted) return null
    desk.io.out(`  ${answer === '' ? '(the agent decides)' : answer}\n`)
    answers.push({ question, answer })
  }
  return answers
}

/** Asked once more where the first line is empty: many press Enter after the key. */
const ownAnswer = async (stop: AbortSignal): Promise<string> =>
  (await askForText('Your answer: ', patienceMs, stop)) || askForText('Your answer: ', patienceMs, stop)
