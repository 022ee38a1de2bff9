/** Where a person is needed: questions and blockers, counted a second time. */
import type { Event, EventOf, Proposal, StoryId } from '../../src/core/types.ts'
import { ensure } from '../ensure.ts'
import { type Facts, isCounted, type Rules } from './facts.ts'
import type { ReviewRules } from './reviews.ts'

export type PeopleRules = Rules & {
  /** Stories that wait for an answer; null: everything does. */
  waiting(): (StoryId | null)[]
  isBlocked(): boolean
  /** A person accepted the work as it is. */
  hasAccepted(): boolean
}

/** `isLate`: answered while its story was being worked on. */
type AskedQuestion = {
  story: StoryId | null
  text?: string
  accepts?: number
  proposal?: Proposal
  isDue?: boolean
  isLate?: boolean
  /** Asks about what is suspicious in this iteration. */
  suspicious?: number
}

export function peopleRules(facts: Facts, reviews: ReviewRules): PeopleRules {
  let questions: AskedQuestion[] = []
  let started = 0
  let isBlocked = false
  let asker: { story: StoryId | null } | null = null

  const ask = (asked: AskedQuestion): void => {
    questions = [...questions.filter(({ story }) => story !== asked.story), asked]
  }
  const over = (ids: StoryId[]): void => {
    questions = questions.filter(({ story }) => story === null || !ids.includes(story))
  }

  const answered = ({ text, story }: EventOf<'question.answered'>): void => {
    const asked =
      story === undefined
        ? (questions.find((question) => question.text === undefined) ?? questions.at(-1))
        : questions.find((question) => question.story === story)
    if (asked === undefined) return
    if (asked.suspicious !== undefined) facts.accept(asked.story!, asked.suspicious, text === 'yes' || text === 'accept')
    if (asked.suspicious !== undefined) setDue(asked.story!, text === 'yes' || text === 'accept')
    asked.isDue = asked.proposal !== undefined && text === 'accept'
    asked.isLate = [...facts.working].some((iteration) => facts.started(iteration).story === asked.story)
    asked.text = asked.isDue ? `Accepted: the criterion "${asked.proposal?.before}" is now "${asked.proposal?.after}".` : text
  }

  const amended = ({ story, before, after }: EventOf<'criterion.amended'>): void => {
    const accepted = questions.find((question) => question.story === story && question.isDue === true)
    const isSame = accepted?.proposal?.before === before && accepted.proposal.after === after
    ensure(isSame, 'a criterion changes only as a person has accepted it, and once', () => `${story}: ${after}`)
    if (accepted !== undefined) accepted.isDue = false
  }

  const judged = (event: EventOf<'iteration.judged'>): void => {
    const { story } = facts.started(event.iteration)
    const ended = facts.ended(event.iteration)
    const signals = facts.signals(event.iteration)
    const isAsking = signals.some(({ kind }) => kind === 'asked') && ended.flips.length === 0
    const isAboutSuspicion = (event.parked ?? []).length > 0
    const isOwn = signals.some(({ kind }) => kind === 'question') || !isAboutSuspicion
    if (event.verdict === 'question' && isOwn) {
      const isOpen = signals.some(({ kind }) => kind === 'question')
      const isAgain = isAsking && asker !== null && asker.story === story
      const isToAccept = event.claim === 'asked'
      ensure(isOpen || isAgain || isToAccept, 'a person is asked only by a question, the second into the air, or words of done')
      const proposal = signals.find((signal) => signal.kind === 'question')?.proposal
      if (isToAccept) ask({ story, accepts: event.iteration })
      else ask({ story, ...(isOpen && proposal !== undefined ? { proposal } : {}) })
    } else over(event.passed)
    const isAskedItself = event.verdict === 'question' && isOwn
    for (const id of event.parked ?? []) if (!isAskedItself || id !== story) ask({ story: id, suspicious: event.iteration })
    if (isCounted(event.verdict)) asker = event.verdict !== 'question' && isAsking && event.progress === 'idle' ? { story } : null
    if (signals.some(({ kind }) => kind === 'stop')) isBlocked = true
    if (event.verdict === 'blocked') isBlocked = true
  }

  const finalCalls = ({ iteration, calls, result }: EventOf<'review.ended'>): void => {
    if (iteration !== 'whole' || calls === undefined || result === undefined) return
    if (calls.for === 'blocked') isBlocked = true
    else ask({ story: null })
  }

  /** Stories whose suspicions were accepted, and that were not checked since. */
  const due = new Set<StoryId>()
  const setDue = (story: StoryId, isYes: boolean): void => void (isYes ? due.add(story) : due.delete(story))

  const mayCheck = ({ mode, story }: EventOf<'iteration.started'>): void => {
    if (story === null) return
    ensure(
      (mode === 'check') === due.has(story),
      'what a person accepted is checked before an agent goes on with it',
      () => story,
    )
  }

  const see = (event: Event): void => {
    if (event.kind === 'run.started') asker = null
    if (event.kind === 'iteration.started') mayCheck(event)
    if (event.kind === 'story.retried') due.delete(event.story)
    if (event.kind === 'finding.dismissed' && reviews.isClearedBy(event)) due.add(event.story)
    if (event.kind === 'iteration.judged' && event.verdict !== 'interrupted') {
      const { mode, story } = facts.started(event.iteration)
      if (mode === 'check' && story !== null) due.delete(story)
    }
    if (event.kind === 'iteration.started') started = event.iteration
    if (event.kind === 'iteration.ended' && event.exit !== 'lost') {
      const { story } = facts.started(event.iteration)
      const own = questions.filter((question) => story !== null && question.story === story)
      const isDue = own.some((question) => question.isDue === true && question.isLate !== true)
      ensure(!isDue, 'an accepted criterion is in the plan before its story goes on', () => `${story}`)
      for (const question of own) question.isLate = false
    }
    if (event.kind === 'criterion.amended') amended(event)
    if (event.kind === 'run.ended' && event.outcome === 'complete') questions = questions.filter(({ accepts }) => !accepts)
    if (event.kind === 'iteration.judged') judged(event)
    if (event.kind === 'review.ended') finalCalls(event)
    if (event.kind === 'question.answered') answered(event)
    if (event.kind === 'story.failed') over([event.story])
    if (event.kind === 'hook.ended' && event.hook === 'before.iteration' && event.how === 'refused') isBlocked = true
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
    hasAccepted: () => questions.some(({ accepts, text }) => accepts === started && (text === 'yes' || text === 'accept')),
  }
}
