/** Where a person is needed: questions and blockers, counted a second time. */
import type { Event, EventOf, StoryId } from '../../src/core/types.ts'
import { ensure } from '../ensure.ts'
import { type Facts, isCounted, type Rules } from './facts.ts'

export type PeopleRules = Rules & {
  /** Stories that wait for an answer; null: everything does. */
  waiting(): (StoryId | null)[]
  isBlocked(): boolean
  /** A person accepted the work as it is. */
  hasAccepted(): boolean
}

export function peopleRules(facts: Facts): PeopleRules {
  let questions: { story: StoryId | null; text?: string; accepts?: number }[] = []
  let started = 0
  let isBlocked = false
  let asker: { story: StoryId | null } | null = null

  const ask = (story: StoryId | null, accepts?: number): void => {
    questions = [...questions.filter((question) => question.story !== story), { story, ...(accepts ? { accepts } : {}) }]
  }
  const over = (ids: StoryId[]): void => {
    questions = questions.filter(({ story }) => story === null || !ids.includes(story))
  }

  const answered = ({ text, story }: EventOf<'question.answered'>): void => {
    const asked =
      story === undefined
        ? (questions.find((question) => question.text === undefined) ?? questions.at(-1))
        : questions.find((question) => question.story === story)
    if (asked !== undefined) asked.text = text
  }

  const judged = (event: EventOf<'iteration.judged'>): void => {
    const { story } = facts.started(event.iteration)
    const ended = facts.ended(event.iteration)
    const signals = facts.signals(event.iteration)
    const isAsking = signals.some(({ kind }) => kind === 'asked') && ended.flips.length === 0
    if (event.verdict === 'question') {
      const isOpen = signals.some(({ kind }) => kind === 'question')
      const isAgain = isAsking && asker !== null && asker.story === story
      const isToAccept = event.claim === 'asked'
      ensure(isOpen || isAgain || isToAccept, 'a person is asked only by a question, the second into the air, or words of done')
      ask(story, isToAccept ? event.iteration : undefined)
    } else over(event.passed)
    if (isCounted(event.verdict)) asker = event.verdict !== 'question' && isAsking && event.progress === 'idle' ? { story } : null
    if (signals.some(({ kind }) => kind === 'stop')) isBlocked = true
    if (event.verdict === 'blocked') isBlocked = true
  }

  const finalCalls = ({ iteration, calls, result }: EventOf<'review.ended'>): void => {
    if (iteration !== 'whole' || calls === undefined || result === undefined) return
    if (calls.for === 'blocked') isBlocked = true
    else ask(null)
  }

  const see = (event: Event): void => {
    if (event.kind === 'run.started') asker = null
    if (event.kind === 'iteration.started') started = event.iteration
    if (event.kind === 'run.ended' && event.outcome === 'complete') questions = questions.filter(({ accepts }) => !accepts)
    if (event.kind === 'iteration.judged') judged(event)
    if (event.kind === 'review.ended') finalCalls(event)
    if (event.kind === 'question.answered') answered(event)
    if (event.kind === 'story.failed') over([event.story])
    if (event.kind === 'unblocked') isBlocked = false
  }

  return {
    see(event, _before, { plan, ...now }) {
      see(event)
      // If the user has settled a story in another way, nobody waits for an answer.
      const isUsers = ['run.started', 'run.resumed', 'plan.changed', 'story.skipped'].includes(event.kind)
      const isOpen = (id: StoryId): boolean =>
        plan?.stories.some((story) => story.id === id && !story.passes && !story.skip) === true
      if (isUsers) questions = questions.filter(({ story }) => story === null || isOpen(story))
      ensure((now.blocked !== undefined) === isBlocked, 'blocked from a blocker until it is resolved', () => event.kind)
      const said = now.questions.map(({ story, text }) => `${story} ${text ?? '?'}`).join('; ')
      const counted = questions.map(({ story, text }) => `${story} ${text ?? '?'}`).join('; ')
      ensure(said === counted, 'questions and answers stay until their story passes or fails', () => `${said} / ${counted}`)
    },
    waiting: () => questions.filter(({ text }) => text === undefined).map(({ story }) => story),
    isBlocked: () => isBlocked,
    hasAccepted: () => questions.some(({ accepts, text }) => accepts === started && text === 'yes'),
  }
}
