/** What follows from each fact: the state is a fold of the log. Total and pure. */
import { breakerChanged, closedBreaker } from './breaker.ts'
import { noneInARow, noStory, noTotals } from './initial.ts'
import { answerAfter, iterationJudged, iterationSettled, withFlight } from './judged.ts'
import { nothingSeen, withSeen } from './seen.ts'
import type { Flight, State, StoryState } from './state.ts'
import { storyNamed } from './stories.ts'
import type { Event, EventOf, Plan, Story, StoryId } from './types.ts'
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
      return { ...state, call: { last: event.call, phase: 'requested' } }
    case 'call.granted':
      return {
        ...state,
        call: { last: event.call, phase: 'granted' },
        totals: { ...state.totals, calls: state.totals.calls + 1 },
      }
    case 'call.refused':
      return callRefused(state, event)
    case 'iteration.started':
      return iterationStarted(state, event)
    case 'iteration.stopping':
      if (event.iteration === 0) return { ...state, check: { phase: 'running', isStopping: true } }
      return withFlight(state, event.iteration, (flight) => ({ ...flight, isStopping: true }))
    case 'iteration.ended':
      return iterationEnded(state, event)
    case 'gates.started':
      return withFlight({ ...state, check: { phase: 'running', isStopping: false } }, event.iteration, (flight) => ({
        ...flight,
        gates: 'running',
      }))
    case 'gates.ended':
      return gatesEnded(state, event)
    case 'iteration.judged':
      return iterationJudged(state, event)
    case 'iteration.settled':
      return iterationSettled(state, event)
    case 'plan.changed':
      return { ...adoptPlan(state, event.plan, 'given'), check: state.check }
    case 'story.failed':
      return storyFailed(state, event)
    case 'story.retried':
      return storyRetried(state, event.story)
    case 'story.skipped':
      return withStory(state, event.story, (story) => ({ ...story, skip: true }))
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
      return state.answer === undefined ? state : { ...state, answer: { ...state.answer, text: event.text } }
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

/** The provider's limit, learned by another run, is ours too. */
function callRefused(state: State, { call, until, by }: EventOf<'call.refused'>): State {
  const next: State = { ...state, call: { last: call, phase: 'none' } }
  if (by === 'rate') return { ...next, refusedCall: { until } }
  return { ...next, limit: { until, message: 'another run has met it', choice: 'open' } }
}

const withLimitChoice = (state: State, choice: NonNullable<State['limit']>['choice']): State =>
  state.limit === undefined ? state : { ...state, limit: { ...state.limit, choice } }

/** Whoever says to wait when the limit has passed meanwhile has nothing left to wait for. */
function limitAnswered(state: State, { choice, at }: EventOf<'limit.answered'>): State {
  const { until } = state.limit ?? {}
  return choice === 'wait' && until !== undefined && until <= at ? { ...state, limit: undefined } : withLimitChoice(state, choice)
}

function runStarted(state: State, event: EventOf<'run.started'>): State {
  const fresh: State = {
    ...state,
    feature: event.feature,
    run: event.run,
    runStartedAt: event.at,
    pid: event.pid,
    policy: event.policy,
    repo: event.repo,
    dirtyAtStart: event.dirty,
    outcome: undefined,
    used: 0,
    call: { last: state.call.last, phase: 'none' },
    flights: [],
    waiting: undefined,
    refusedCall: undefined,
    retryDue: undefined,
    limit: undefined,
    asked: undefined,
    pause: 'none',
    stop: undefined,
    check: { phase: 'due' },
    inARow: noneInARow,
    warned: [],
    seen: withSeen(nothingSeen, [treeKey(event.repo.tree), dirtKey(event.repo)]),
    last: undefined,
    totals: noTotals,
  }
  return adoptPlan(fresh, event.plan, 'given')
}

/** The same run after a kill, with today's files. What was asked of the world and not answered is asked again. */
function runResumed(state: State, event: EventOf<'run.resumed'>): State {
  const resumed: State = {
    ...state,
    pid: event.pid,
    policy: event.policy,
    call: { last: state.call.last, phase: 'none' },
    flights: state.flights.map((flight) => ({
      ...flight,
      isStopping: false,
      gates: flight.gates === 'running' ? 'none' : flight.gates,
    })),
    waiting: undefined,
    refusedCall: undefined,
    retryDue: undefined,
    limit: undefined,
    stop: undefined,
    pause: 'none',
    check: { phase: 'due' }, // nobody watched meanwhile: content and gates may have changed
  }
  return adoptPlan(resumed, event.plan, 'strict')
}

/**
 * Takes a plan as the file has it. A story that passes there without a receipt is the user's word ('given'),
 * or, after a kill, what an unfinished iteration left: no pass yet ('strict').
 */
function adoptPlan(state: State, plan: Plan | null, how: 'given' | 'strict'): State {
  if (plan === null) return { ...state, plan: null }
  const stories: Record<StoryId, StoryState> = { ...state.stories }
  const adopted = plan.stories.map((story): Story => {
    const known = stories[story.id] ?? noStory
    const marked = plan.marks === 'log' ? withMarks(story, storyNamed(state.plan, story.id)) : story
    if (marked.passes && known.receipt === undefined) {
      if (how === 'strict') return { ...marked, passes: false }
      stories[story.id] = { ...known, receipt: { iteration: 0, proven: false, commits: [], tree: '', gates: [], given: true } }
    }
    if (!marked.passes && known.receipt !== undefined) stories[story.id] = { ...known, receipt: undefined }
    return marked
  })
  return { ...state, plan: { ...plan, stories: adopted }, stories }
}

const withMarks = (story: Story, before: Story | undefined): Story => ({
  ...story,
  skip: story.skip || before?.skip === true,
  failed: before?.failed,
})

function iterationStarted(state: State, event: EventOf<'iteration.started'>): State {
  const { iteration, story, attempt, mode } = event
  const flight: Flight = { iteration, story, attempt, mode, startedAt: event.at, isStopping: false, gates: 'none' }
  const attempted =
    story === null || state.totals.attempted.includes(story) ? state.totals.attempted : [...state.totals.attempted, story]
  return {
    ...state,
    iteration,
    call: { ...state.call, phase: 'none' },
    flights: [...state.flights, flight],
    totals: { ...state.totals, attempted },
  }
}

function iterationEnded(state: State, event: EventOf<'iteration.ended'>): State {
  const { kind: _kind, at: _at, run: _run, ...ended } = event
  const changed = hasChanged(state, ended)
  const plan = ended.plan === undefined || state.plan === null ? state.plan : withUnjudged(state, ended.plan)
  const next = withFlight(state, ended.iteration, (flight) => ({ ...flight, ended }))
  return { ...next, plan, check: changed ? { phase: 'due' } : state.check }
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
  const whole = event.results.filter((result) => result.story === undefined)
  const wasStopped = event.results.some((result) => result.ended === 'stopped')
  // What another worker brought home meanwhile is not in these results: the whole is checked once more at the end.
  const isOvertaken = state.flights.some((flight) => flight.iteration !== event.iteration && flight.ended !== undefined)
  const check: State['check'] =
    wasStopped || isOvertaken || state.check.phase !== 'running'
      ? { phase: 'due' }
      : whole.every((result) => result.passed)
        ? { phase: 'green' }
        : { phase: 'red', results: whole }
  const gateMs = event.results.reduce((sum, result) => sum + result.durationMs, state.totals.gateMs)
  return withFlight({ ...state, check, totals: { ...state.totals, gateMs } }, event.iteration, (flight) => ({
    ...flight,
    gates: event.results,
  }))
}

function storyFailed(state: State, event: EventOf<'story.failed'>): State {
  const failed = { branch: '', reason: event.because, at: event.at }
  const next = withStory(state, event.story, (story) => ({ ...story, failed }))
  return { ...next, breaker: { ...state.breaker, idle: 0, iterations: [] }, answer: answerAfter(state, [event.story]) }
}

function storyRetried(state: State, id: StoryId): State {
  const { [id]: forgotten, ...rest } = state.stories
  const stories = forgotten?.receipt ? { ...rest, [id]: { ...noStory, receipt: forgotten.receipt } } : rest
  return withStory({ ...state, stories }, id, (story) => ({ ...story, failed: undefined, skip: false }))
}

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
