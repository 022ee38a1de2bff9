/** `ralph listen`: open questions of a feature go to Telegram, Slack and ntfy with buttons, and answers that come back count as `ralph answer`. */
import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { AnswerChannel } from '../../adapters/notify/answers/channel.ts'
import { ntfyAnswers } from '../../adapters/notify/answers/ntfy.ts'
import { slackAnswers } from '../../adapters/notify/answers/slack.ts'
import { telegramAnswers } from '../../adapters/notify/answers/telegram.ts'
import { eventLogPath } from '../../adapters/project/layout.ts'
import { type StopSignal, signalExit } from '../../core/exit-codes.ts'
import { EXIT, Failure } from '../../core/failure.ts'
import { choicesOf } from '../../core/plan/choices.ts'
import type { Question } from '../../core/plan/question.ts'
import { openQuestions } from '../../core/plan/questions.ts'
import { plain } from '../../core/text/plain.ts'
import type { StoryId } from '../../core/types.ts'
import type { Io } from '../../io.ts'
import { isAskedFromInside, onlyPeople, stateOf } from '../../run/people/request.ts'
import { maskerOf } from '../../run/preflight/begin.ts'
import { findProject, type Project, settingsOf } from '../../run/project.ts'
import { captured } from './captured-output.ts'

type Args = { feature?: string; once?: boolean }
/** A question that was sent: its code comes back with the answer. */
type SentQuestion = { code: string; story: StoryId | null; question: string; iteration: number }

/** How soon a new question is seen. */
const lookMs = 500

export async function runListen(args: Args, io: Io): Promise<number> {
  const project = await findProject(io, args.feature)
  if (isAskedFromInside(project, io.env)) throw new Failure(EXIT.usage, onlyPeople)
  const { settings } = await settingsOf(io, project)
  const mask = maskerOf(io.env, settings)
  const warn = (text: string): void => io.err(`${text}\n`)
  const options = { env: io.env, warn }
  const channels = [telegramAnswers, slackAnswers, ntfyAnswers]
    .map((open) => open(settings, options))
    .filter((channel) => channel !== null)
  if (channels.length === 0) throw new Failure(EXIT.config, howToSetUp)
  if (args.once === true && openQuestions(stateOf(project)).length === 0)
    throw new Failure(EXIT.usage, `${project.feature} has no open question. Without --once, ralph listen waits for the next one.`)
  const over = new AbortController()
  const sent: SentQuestion[] = []
  const done = Promise.withResolvers<number>()

  const answered = async ({ code, text, who }: { code: string; text: string; who: string }): Promise<string> => {
    const asked = sent.find((question) => question.code === code)
    const isOpen = asked !== undefined && openQuestions(stateOf(project)).some((question) => isSame(asked, question))
    if (!isOpen) return 'This question has been answered already.'
    const said = await answerAs(project, asked, { text, who }, io).catch((error: unknown) => {
      if (error instanceof Failure) return { problem: error.message }
      throw error
    })
    if (typeof said !== 'string') return mask.text(`Not taken: ${said.problem}`)
    io.out(`${who} answered${asked.story === null ? '' : ` for ${asked.story}`}: ${plain(mask.text(text))}\n${said}\n`)
    if (args.once === true) done.resolve(0)
    return mask.text(said)
  }
  const stopped = (signal: StopSignal): void => done.resolve(signalExit[signal])
  process.once('SIGINT', stopped)
  process.once('SIGTERM', stopped)
  io.out(
    `Listening for answers to questions of ${project.feature} (${channels.map(({ name }) => name).join(', ')}). Ctrl+C ends it.\n`,
  )
  const work = watch(project, channels, { answered, sent, warn, mask: mask.text, stop: over.signal })
  try {
    return await Promise.race([done.promise, work.then(() => 0)])
  } finally {
    over.abort()
    process.off('SIGINT', stopped)
    process.off('SIGTERM', stopped)
    await work
  }
}

type Listening = {
  answered: Parameters<AnswerChannel['listen']>[0]
  sent: SentQuestion[]
  warn(text: string): void
  mask(text: string): string
  stop: AbortSignal
}

/** Sends what is new, and asks the services for answers only while a question is open. */
async function watch(
  project: Project,
  channels: AnswerChannel[],
  { answered, sent, warn, mask, stop }: Listening,
): Promise<void> {
  let seen = ''
  let listening: { stop: AbortController; over: Promise<unknown> } | null = null
  while (!stop.aborted) {
    const now = logState(project)
    if (now !== seen) {
      seen = now
      const open = openQuestions(stateOf(project))
      sent.splice(0, sent.length, ...sent.filter((known) => open.some((one) => isSame(known, one))))
      for (const question of open.filter((one) => !sent.some((known) => isSame(known, one)))) {
        const { story, iteration } = question
        const asked = { code: randomBytes(4).toString('hex'), story, iteration, question: question.question }
        sent.push(asked)
        const whose = story === null ? '' : ` (${story})`
        const title = `Ralph: ${project.feature}${whose} has a question`
        const text = bounded(plain(mask(question.question)), `ralph status -f ${project.feature}`)
        const choices = choicesOf(question).map((choice) => plain(mask(choice)))
        for (const channel of channels) {
          const problem = await channel.ask({ code: asked.code, title, text, choices })
          if (problem !== null) warn(`! ${channel.name} did not accept the question: ${problem}`)
        }
      }
      if (open.length > 0 && listening === null) {
        const end = new AbortController()
        const over = Promise.all(channels.map((channel) => channel.listen(answered, troubleOf(channel, warn), end.signal)))
        listening = { stop: end, over }
      }
      if (open.length === 0 && listening !== null) {
        listening.stop.abort()
        await listening.over
        listening = null
      }
    }
    await pause(lookMs, undefined, { signal: stop }).catch(() => {})
  }
  listening?.stop.abort()
  await listening?.over
}

/** Once, not at every try of a night without a network. */
function troubleOf({ name }: AnswerChannel, warn: (text: string) => void): (why: string) => void {
  let said = ''
  return (why) => {
    if (why !== said) warn(`! no answers from ${name} for now: ${why}. Trying again`)
    said = why
  }
}

/** Telegram takes 4,096 characters and ntfy as many bytes, with title and hint. */
const longestText = 3000

function bounded(text: string, whole: string): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= longestText) return text
  return `${bytes
    .subarray(0, longestText)
    .toString('utf8')
    .replace(/\uFFFD+$/, '')}…\nAll of it: ${whole}`
}

/** A later iteration may ask again, in the same words. */
const isSame = (asked: SentQuestion, { story, question, iteration }: Question): boolean =>
  asked.story === story && asked.question === question && asked.iteration === iteration

/** The same way as at the terminal: signed into the inbox of a live run, or written to the log. */
async function answerAs(
  project: Project,
  { story }: SentQuestion,
  given: { text: string; who: string },
  io: Io,
): Promise<string> {
  const { runAnswer } = await import('../requests.ts')
  const { feature, root } = project
  return captured({ ...io, cwd: root }, (inside) => runAnswer({ feature, text: given.text, story, through: given.who }, inside))
}

/** Whether anything was written since. */
function logState({ dir }: Project): string {
  const stat = statSync(eventLogPath(dir), { throwIfNoEntry: false })
  return stat === undefined ? '' : `${stat.size} ${stat.mtimeMs}`
}

const howToSetUp =
  'No channel can bring answers back. Set notify.telegram.token_env and notify.telegram.chat; or notify.slack.app_token_env, notify.slack.bot_token_env and notify.slack.channel; or notify.ntfy.url, notify.ntfy.token_env and notify.ntfy.answers. See docs/notices.md'
