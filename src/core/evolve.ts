/** What follows from each fact: the state is a fold of the log. Total and pure. */
import { adoptPlan, runResumed, runStarted, withMarks } from './begun.ts'
import { breakerAfterFailure, breakerChanged, closedBreaker } from './breaker.ts'
import { isRed, withTolerance } from './gates.ts'
import { noFinal, noStory } from './initial.ts'
import { iterationJudged, iterationSettled, limitOfPerson, withFlight } from './judged.ts'
import { landingEnded } from './landing.ts'
import { afterLearning, withFinished, withoutLearning } from './learned.ts'
import { questionFor, withoutClosed, withoutStories } from './questions.ts'
import { reviewEnded, reviewStarted } from './reviewed.ts'
import { withSeen } from './seen.ts'
import type { Flight, State, StoryState } from './state.ts'
import { storyNamed } from './stories.ts'
import type { Event, EventOf, GateResult, Plan, Story, StoryId } from './types.ts'
import { dirtKey, hasChanged, treeKey } from './verdict.ts'

export function evolve(before: State, event: Event): State {
  if ('id' in event && event.id !== undefined && before.taken.includes(event.id)) return before
  const taken = 'id' in event && event.id !== undefined ? [...before.taken, event.id].slice(-200) : before.taken
  const state: State = { ...before, at: event.at, taken }
  switch (event.kind) {
    case 'run.started':
      return runStarted(state, event)
    case 'run.resumed':
      return runResumed(state, event)
    case 'call.requested':
      return { ...state, call: { last: event.call, phase: 'requested', role: event.role } }
    case 'call.granted':
      return callGranted(state, event)
    case 'call.refused':
      return callRefused(state, event)
    case 'iteration.started':
      return iterationStarted(state, event)
    case 'iteration.stopping':
      if (event.iteration === 0 && state.learning.running !== 'none')
        return { ...state, learning: { ...state.learning, isStopping: true } }
      if (event.iteration === 0 && state.final.isReviewing) return { ...state, final: { ...state.final, isStopping: true } }
      if (event.iteration === 0) return { ...state, check: { phase: 'running', isWhole: true, isStopping: true } }
      return withFlight(state, event.iteration, (flight) => ({ ...flight, isStopping: true }))
    case 'iteration.ended':
      return iterationEnded(state, event)
    case 'gates.started':
      return gatesStarted(state, event)
    case 'gates.ended':
      return gatesEnded(state, event)
    case 'iteration.judged':
      return iterationJudged(state, event)
    case 'iteration.settled':
      return iterationSettled(state, event)
    case 'plan.changed':
      return { ...adoptPlan(state, event.plan, 'given'), check: state.check }
    case 'review.started':
      return reviewStarted(state, event)
    case 'review.ended':
      return reviewEnded(state, event)
    case 'landing.started':
      return withFlight(state, event.iteration, (flight) => ({ ...flight, landing: 'running' }))
    case 'landing.ended':
      return landingEnded(state, event)
    case 'story.failed':
      return storyFailed(state, event)
    case 'story.put-aside':
      return storyPutAside(state, event)
    case 'learning.started':
    case 'learning.ended':
    case 'gathering.started':
    case 'gathering.ended':
    case 'skill.started':
    case 'skill.ended':
    case 'lesson.retired':
    case 'skill.retired':
      return afterLearning(state, event)
    case 'story.slow':
      return withStoryState(state, event.story, { isSlow: true })
    case 'story.retried':
      return storyRetried(state, event.story)
    case 'story.skipped':
      return withoutMootQuestions(withStory(state, event.story, (story) => ({ ...story, skip: true })))
    case 'breaker.changed':
      return {
        ...state,
        breaker: breakerChanged(state.breaker, event, state.policy),
        breakerHistory: [...state.breakerHistory, { at: event.at, from: event.from, to: event.to, because: event.because }].slice(
          -20,
        ),
      }
    case 'breaker.reset':
      return {
        ...state,
        breaker: { ...closedBreaker, changedAt: event.at, because: 'reset by hand' },
        breakerHistory: [
          ...state.breakerHistory,
          { at: event.at, from: state.breaker.state, to: 'closed' as const, because: 'reset by hand' },
        ].slice(-20),
      }
    case 'wait.started':
      return {
        ...state,
        waiting: { until: event.until, for: event.for },
        refusedCall: undefined,
        retryDue: undefined,
        limit: undefined,
      }
    case 'budget.warned':
      return { ...state, warned: [...state.warned, event.which] }
    case 'limit.asked':
      return withLimitChoice(state, 'asked')
    case 'limit.answered':
      return limitAnswered(state, event)
    case 'wait.ended':
      return { ...state, waiting: undefined }
    case 'said':
      return withTold(state, [`A note from the user: ${event.text}`])
    case 'unblocked':
      return withTold(
        { ...state, blocked: undefined },
        event.note === '' ? [] : [`The user has resolved the blocker: ${event.note}`],
      )
    case 'question.answered':
      return questionAnswered(state, event)
    case 'pause.requested':
      return { ...state, pause: state.pause === 'none' ? 'requested' : state.pause }
    case 'run.paused':
      return { ...state, pause: 'paused' }
    case 'resume.requested':
      return { ...state, pause: 'none' }
    case 'stop.requested':
      return { ...state, stop: { by: event.by, now: event.now || state.stop?.now === true } }
    case 'noticed':
      return event.tell ? withTold(state, [event.detail]) : state
    case 'run.ended':
      return { ...state, outcome: { outcome: event.outcome, because: event.because }, flights: [], waiting: undefined }
  }
}

function callGranted(state: State, { call }: EventOf<'call.granted'>): State {
  const { role } = state.call
  const { calls, byRole } = state.totals
  const used = { ...byRole[role], calls: byRole[role].calls + 1 }
  return {
    ...state,
    call: { last: call, phase: 'granted', role },
    totals: { ...state.totals, calls: calls + 1, byRole: { ...byRole, [role]: used } },
  }
}

/** The provider's limit, learned by another run, is ours too. */
function callRefused(state: State, { call, until, by }: EventOf<'call.refused'>): State {
  const next: State = { ...state, call: { ...state.call, last: call, phase: 'none' } }
  if (state.call.role === 'learner') return { ...next, learning: withoutLearning(state.learning) }
  if (by === 'rate') return { ...next, refusedCall: { until } }
  return { ...next, limit: limitOfPerson(state) ?? { until, message: 'another run has met it', choice: 'open' } }
}

const withLimitChoice = (state: State, choice: NonNullable<State['limit']>['choice']): State =>
  state.limit === undefined ? state : { ...state, limit: { ...state.limit, choice } }

/** Whoever says to wait when the limit has passed meanwhile has nothing left to wait for. */
function limitAnswered(state: State, { choice, at }: EventOf<'limit.answered'>): State {
  const { until } = state.limit ?? {}
  return choice === 'wait' && until !== undefined && until <= at ? { ...state, limit: undefined } : withLimitChoice(state, choice)
}

function iterationStarted(state: State, event: EventOf<'iteration.started'>): State {
  const { iteration, story, attempt, mode, worker } = event
  const known = story === null ? undefined : state.stories[story]
  const flight: Flight = {
    iteration,
    story,
    attempt,
    mode,
    startedAt: event.at,
    isStopping: false,
    gates: 'none',
    reviews: [],
    unread: [],
    isReviewing: false,
    ...(worker === undefined ? {} : { worker }),
    landing: 'none',
    isShift: event.shifts > (known?.shifts ?? 0),
    shifts: event.shifts,
  }
  const attempted =
    story === null || state.totals.attempted.includes(story) ? state.totals.attempted : [...state.totals.attempted, story]
  const next: State = {
    ...state,
    iteration,
    call: { ...state.call, phase: 'none' },
    flights: [...state.flights, flight],
    totals: { ...state.totals, attempted },
  }
  if (story === null || (event.saves !== true && worker === undefined)) return next
  return withStoryState(next, story, worker === undefined ? { isSaved: true } : { isApart: true })
}

function iterationEnded(state: State, event: EventOf<'iteration.ended'>): State {
  const { kind: _kind, at: _at, run: _run, ...ended } = event
  const next = withFlight(state, ended.iteration, (flight) => ({ ...flight, ended }))
  if (isApart(state, ended.iteration)) return next // the repository itself is as it was
  const changed = hasChanged(state, ended)
  const plan = ended.plan === undefined || state.plan === null ? state.plan : withUnjudged(state, ended.plan)
  // Whoever looked at the whole has not seen this iteration.
  const isReviewed = state.finals.length > 0
  return { ...next, plan, check: changed || isReviewed ? { phase: 'due' } : state.check, finals: [], final: noFinal }
}

const isApart = ({ flights }: State, iteration: number): boolean =>
  flights.some((flight) => flight.iteration === iteration && flight.worker !== undefined)

function gatesStarted(state: State, { iteration }: EventOf<'gates.started'>): State {
  const next = withFlight(state, iteration, (flight) => ({ ...flight, gates: 'running' }))
  if (isApart(state, iteration)) return next
  return { ...next, check: { phase: 'running', isWhole: iteration === 0, isStopping: false } }
}

/** The agent's word that a story passes counts only once the gates have spoken. */
function withUnjudged(state: State, plan: Plan): Plan {
  const stories = plan.stories.map((story): Story => {
    const before = storyNamed(state.plan, story.id)
    const marked = plan.marks === 'log' ? withMarks(story, before) : story
    return { ...marked, passes: before?.passes === true }
  })
  return { ...plan, stories }
}

function gatesEnded(state: State, event: EventOf<'gates.ended'>): State {
  const results = withTolerance(event.results, state)
  const whole = results.filter((result) => result.story === undefined)
  const wasStopped = results.some((result) => result.ended === 'stopped')
  const isBaseline = event.iteration === 0 && state.baseline === undefined && !wasStopped
  const isElsewhere = isApart(state, event.iteration) // it says nothing of the repository itself
  const check: State['check'] = isElsewhere
    ? state.check
    : wasStopped || state.check.phase !== 'running'
      ? { phase: 'due' }
      : whole.some(isRed)
        ? { phase: 'red', results: whole }
        : { phase: 'green' }
  const gateMs = results.reduce((sum, result) => sum + result.durationMs, state.totals.gateMs)
  const next: State = {
    ...state,
    check,
    totals: { ...state.totals, gateMs },
    // What a gate leaves behind (reports, caches) is nobody's work.
    ...(event.repo === undefined
      ? {}
      : { repo: event.repo, seen: withSeen(state.seen, [treeKey(event.repo.tree), dirtKey(event.repo)]) }),
  }
  if (isBaseline) return withBaseline(next, results)
  return withFlight(next, event.iteration, (flight) => ({ ...flight, gates: results }))
}

/** What was red before the first iteration is named to it. */
function withBaseline(state: State, results: GateResult[]): State {
  const red = results.filter(isRed).map(({ name }) => name)
  const told =
    red.length === 0
      ? []
      : state.policy.baseline === 'tolerate'
        ? [`${gatesWere(red)} red before this run began. That is tolerated as long as it is red in the very same way.`]
        : [
            `${gatesWere(red)} red before this run began. No story passes until ${red.length === 1 ? 'it is' : 'they are'} green: mending that comes first.`,
          ]
  const tolerant: State = { ...state, baseline: results }
  const check: State['check'] =
    state.policy.baseline === 'tolerate' && state.check.phase === 'red' ? { phase: 'due' } : state.check
  return withTold({ ...tolerant, check }, told)
}

const gatesWere = (names: string[]): string => (names.length === 1 ? `Gate ${names[0]} was` : `Gates ${names.join(', ')} were`)

function storyFailed(state: State, { story: id, hash, branch, because, at }: EventOf<'story.failed'>): State {
  const next = withStory(state, id, (story) => ({ ...story, failed: { branch, reason: because, at } }))
  return {
    ...next,
    failing: { story: id, branch },
    breaker: breakerAfterFailure(state.breaker, id, hash),
    questions: withoutStories(state.questions, [id]),
  }
}

/** The repository is what it was before the story, or nothing was moved and a person must look. */
function storyPutAside(state: State, { story: id, branch, problem, repo }: EventOf<'story.put-aside'>): State {
  const marked = withStory(state, id, (story) => (story.failed ? { ...story, failed: { ...story.failed, branch } } : story))
  const next: State = {
    ...withStoryState(marked, id, { isSaved: false, isApart: false, commits: [] }),
    failing: undefined,
    learning: withFinished(state.learning, [id], 'failure', state.iteration),
    repo,
    seen: withSeen(state.seen, [treeKey(repo.tree), dirtKey(repo)]),
    check: repo.tree === state.repo.tree && repo.dirt === state.repo.dirt ? state.check : { phase: 'due' },
  }
  return problem === undefined ? next : { ...next, unmoved: `the work of ${id} could not be put aside: ${problem}` }
}

function questionAnswered(state: State, { text, story }: EventOf<'question.answered'>): State {
  const asked = questionFor(state, story)
  if (asked === undefined) return state
  return { ...state, questions: state.questions.map((question) => (question === asked ? { ...question, text } : question)) }
}

/** Its past is forgotten, but not where its work lies. */
function storyRetried(state: State, id: StoryId): State {
  const { [id]: forgotten, ...rest } = state.stories
  const { receipt, isApart = false } = forgotten ?? {}
  const stories = receipt || isApart ? { ...rest, [id]: { ...noStory, isApart, ...(receipt ? { receipt } : {}) } } : rest
  return withStory({ ...state, stories }, id, (story) => ({ ...story, failed: undefined, skip: false }))
}

const withoutMootQuestions = (state: State): State => ({ ...state, questions: withoutClosed(state.questions, state.plan) })

const withStoryState = (state: State, id: StoryId, change: Partial<StoryState>): State => ({
  ...state,
  stories: { ...state.stories, [id]: { ...(state.stories[id] ?? noStory), ...change } },
})

const withTold = (state: State, texts: string[]): State => ({
  ...state,
  tell: [...state.tell, ...texts.map((text) => ({ text, since: state.iteration }))].slice(-20),
})

function withStory(state: State, id: StoryId, change: (story: Story) => Story): State {
  if (state.plan === null) return state
  return {
    ...state,
    plan: { ...state.plan, stories: state.plan.stories.map((story) => (story.id === id ? change(story) : story)) },
  }
}
