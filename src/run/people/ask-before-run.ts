/** What a person at the terminal is asked before a run: for answers to open questions, and whether to start fresh. */
import { stripVTControlCharacters } from 'node:util'
import { exitCode } from '../../core/exit-codes.ts'
import { Failure } from '../../core/failure.ts'
import { openQuestions } from '../../core/plan/questions.ts'
import { listed } from '../../core/plan/stories.ts'
import type { State } from '../../core/state.ts'
import type { Report, Story } from '../../core/types.ts'
import type { Setup } from '../parts.ts'
import { onStopSignals } from '../stop-signals.ts'
import { askForText } from './ask-on-terminal.ts'
import { personHere } from './write-amendments.ts'

/** This long without a key means that nobody is there. */
const answerSilenceMs = 120_000
const freshSilenceMs = 30_000

/** An empty line leaves a question as it is. */
export async function askForAnswers({ screen }: Pick<Setup, 'screen'>, state: State): Promise<Report[]> {
  const answers: Report[] = []
  for (const { question, iteration, story } of openQuestions(state)) {
    const [first = '', ...rest] = stripVTControlCharacters(question).split('\n')
    screen.say('strong', `? Iteration ${iteration} asks${story === null ? '' : ` for ${story}`}: ${first}`)
    for (const line of rest) screen.say('plain', `  ${line}`)
    const text = await interruptible((stop) => askForText('  Your answer (empty to skip): ', answerSilenceMs, stop))
    if (text !== '') answers.push({ kind: 'question.answered', text, story, by: personHere() })
  }
  return answers
}

/** Without an answer, the run continues where the last one stopped. */
export async function askForFresh({ ask }: Pick<Setup, 'ask'>, tried: Story[]): Promise<boolean> {
  const failed = tried.filter((story) => story.failed !== undefined).map(({ id }) => id)
  const open = tried.filter((story) => story.failed === undefined).map(({ id }) => id)
  const before = [
    ...(failed.length > 0 ? [`${listed(failed)} failed before`] : []),
    ...(open.length > 0 ? [`${listed(open)} ${open.length === 1 ? 'was' : 'were'} tried before`] : []),
  ].join(', ')
  const question = `${before}. Keep its failures and attempts, or reset them?`
  const answers = { keys: { r: 'resume (keep)', f: 'fresh (reset)' }, timeoutMs: freshSilenceMs, silence: 'resumes' }
  return (await interruptible((stop) => ask(question, answers, stop))) === 'f'
}

/** Without an answer, it does not start: nobody is there to be surprised. */
export async function askForCost({ ask }: Pick<Setup, 'ask'>, words: string, most: string): Promise<boolean> {
  const question = `Estimate: ${words}. That is above budget.ask_above_usd (${most}). Start?`
  const answers = { keys: { y: 'yes', n: 'no' }, timeoutMs: answerSilenceMs }
  return (await interruptible((stop) => ask(question, answers, stop))) === 'y'
}

/** There is no run to stop yet: a signal ends the command. */
async function interruptible<T>(ask: (stop: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController()
  const unlisten = onStopSignals(
    (by) => stop.abort(by),
    () => Promise.resolve(),
  )
  try {
    const answer = await ask(stop.signal)
    if (!stop.signal.aborted) return answer
  } finally {
    unlisten()
  }
  const { reason: by } = stop.signal as { reason: NonNullable<State['stop']>['by'] }
  throw new Failure(exitCode('interrupted', { by }), `Stopped (${by}) before the run began. Continue with: ralph run`)
}
