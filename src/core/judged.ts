/** What follows from the verdict on an iteration, and from its being settled. */
import { breakerAfter } from './breaker.ts'
import { noStory } from './initial.ts'
import { withSeen } from './seen.ts'
import type { Flight, State, StoryState, Totals } from './state.ts'
import { storyNamed } from './stories.ts'
import { addedByJudgement } from './tell.ts'
import type { EventOf, Plan, Signal, StoryId } from './types.ts'
import { dirtKey, doneInARow, hasOnlyAsked, isSameAsker, treeKey } from './verdict.ts'

export function iterationJudged(state: State, event: EventOf<'iteration.judged'>): State {
  const flight = state.flights.find((candidate) => candidate.iteration === event.iteration)
  if (flight?.ended === undefined) return state
  const ended = flight.ended
  const counts = countsAsUsed(event.verdict)
  const isTesting =
    ended.signals.some((signal) => signal.kind === 'testing-only') && event.passed.length === 0 && ended.commits.length === 0
  const throttled = event.verdict === 'throttled' ? ended.signals.find((signal) => signal.kind === 'throttled') : undefined
  const isClaim = ended.signals.some((signal) => signal.kind === 'claimed-done')
  const question = ended.signals.find((signal) => signal.kind === 'question' || signal.kind === 'asked')
  const seen = [...ended.trees.map(treeKey), treeKey(ended.repo.tree), dirtKey(ended.repo)]
  const told = counts ? state.tell.filter((note) => note.since >= event.iteration) : state.tell
  const breaker = breakerAfter(state.breaker, flight, event)
  const next: State = {
    ...state,
    used: state.used + (counts ? 1 : 0),
    repo: ended.repo,
    seen: withSeen(state.seen, seen),
    breaker,
    stories: storiesAfter(state, flight, event),
    plan: state.plan && withPassed(state.plan, event.passed),
    inARow: {
      done: counts ? doneInARow(state, ended) : state.inARow.done,
      testing: isTesting ? state.inARow.testing + 1 : counts ? 0 : state.inARow.testing,
      retries: isTransient(throttled) ? state.inARow.retries + 1 : counts ? 0 : state.inARow.retries,
      refusedLogins: throttled?.by === 'login' ? state.inARow.refusedLogins + 1 : counts ? 0 : state.inARow.refusedLogins,
    },
    indicators: {
      done: lastFive(state.indicators.done, isClaim, event.iteration),
      testing: lastFive(state.indicators.testing, isTesting, event.iteration),
      claims: lastFive(state.indicators.claims, event.claim !== 'none', event.iteration),
    },
    ...lostToProvider(throttled),
    asked: counts ? askedAfter(state, flight, event) : state.asked,
    last: { iteration: event.iteration, story: flight.story, ended, judged: event },
    blocked: blockedBy(ended.signals, event) ?? state.blocked,
    answer:
      event.verdict === 'question' && question
        ? { question: question.text, iteration: event.iteration, story: flight.story }
        : answerAfter(state, event.passed),
    tell: [...told, ...addedByJudgement(flight, ended, event).map((text) => ({ text, since: state.iteration }))].slice(-20),
    totals: totalsAfter(state, flight, event, breaker.idle > state.breaker.idle),
  }
  return withFlight(next, event.iteration, (candidate) => ({ ...candidate, judged: event }))
}

/** The agent's own word, and each named stop: that one ends the run whatever the verdict on the iteration is. */
function blockedBy(signals: Signal[], { iteration, verdict }: EventOf<'iteration.judged'>): State['blocked'] {
  const reasons = signals.flatMap((signal) => {
    if (signal.kind === 'stop') return [signal.reason === '' ? signal.name : `${signal.name}: ${signal.reason}`]
    return signal.kind === 'blocked' && verdict === 'blocked' ? [signal.reason] : []
  })
  return reasons.length === 0 ? undefined : { reason: reasons.join('; '), iteration }
}

type Throttled = Extract<Signal, { kind: 'throttled' }>

/** Overload and its like pass; a usage limit has a time of its own, a refused login a person's. */
const isTransient = (throttled: Throttled | undefined): boolean =>
  throttled !== undefined && throttled.by !== 'login' && throttled.by !== 'usage-limit'

function lostToProvider(throttled: Throttled | undefined): Pick<State, 'limit' | 'retryDue'> {
  if (throttled === undefined) return { limit: undefined, retryDue: undefined }
  const { by, until, message } = throttled
  const when = until === undefined ? {} : { until }
  if (by === 'usage-limit') return { limit: { ...when, message, choice: 'open' }, retryDue: undefined }
  return { limit: undefined, retryDue: { by, ...when, message } }
}

/** Iterations in a row on one story that did nothing but ask. */
function askedAfter(state: State, flight: Flight, judged: EventOf<'iteration.judged'>): State['asked'] {
  if (judged.verdict === 'question' || !hasOnlyAsked(state, flight.ended!)) return undefined
  return { story: flight.story, times: isSameAsker(state, flight) ? state.asked!.times + 1 : 1 }
}

/** Lost, throttled and interrupted iterations have a number, but count toward nothing. */
const countsAsUsed = (verdict: EventOf<'iteration.judged'>['verdict']): boolean =>
  verdict !== 'lost' && verdict !== 'throttled' && verdict !== 'interrupted'

/** A call for a person leaves the story as it was. */
const isAttempt = (verdict: EventOf<'iteration.judged'>['verdict']): boolean =>
  verdict === 'done' || verdict === 'worked' || verdict === 'failed'

function storiesAfter(state: State, flight: Flight, judged: EventOf<'iteration.judged'>): Record<StoryId, StoryState> {
  const ended = flight.ended!
  const stories = { ...state.stories }
  const results = Array.isArray(flight.gates) ? flight.gates : []
  const worked = new Set<StoryId>([...(flight.story === null ? [] : [flight.story]), ...judged.passed, ...judged.refused])
  for (const id of worked) {
    const before = stories[id] ?? noStory
    const counts = countsAsUsed(judged.verdict)
    const isRefused = judged.refused.includes(id) && judged.verdict === 'failed'
    const story = storyNamed(state.plan, id)
    const isOut = story?.failed !== undefined || story?.skip === true // whoever flips it all the same uses up nothing
    const isFailed =
      counts && !isOut && (isRefused || ((ended.exit === 'timeout' || ended.exit === 'circling') && id === flight.story))
    const refusal = { iteration: judged.iteration, because: judged.because, gates: results.filter((result) => !result.passed) }
    stories[id] = {
      ...before,
      attempts: before.attempts + (isAttempt(judged.verdict) ? 1 : 0),
      failedAttempts: before.failedAttempts + (isFailed ? 1 : 0),
      lastRefused: isAttempt(judged.verdict) ? isRefused : before.lastRefused,
      refusals: isFailed ? [...before.refusals, refusal].slice(-3) : before.refusals,
    }
    if (id === flight.story) stories[id].session = sessionAfter(flight, judged)
    if (!judged.passed.includes(id)) continue
    const gates = results.map(({ output: _output, ...rest }) => rest)
    stories[id].receipt = {
      iteration: judged.iteration,
      proven: judged.proven,
      commits: ended.commits,
      tree: ended.repo.tree,
      gates,
      given: false,
    }
  }
  return stories
}

/** A session goes on only after honest work that is not done yet: a failure, a limit or a kill starts afresh. */
function sessionAfter({ ended }: Flight, judged: EventOf<'iteration.judged'>): StoryState['session'] {
  const goesOn = judged.verdict === 'worked' || judged.verdict === 'blocked' || judged.verdict === 'question'
  if (!goesOn || ended?.session === undefined || ended.exit !== 'ok') return undefined
  return { id: ended.session, at: judged.at, costUsd: ended.sessionCostUsd ?? null }
}

function totalsAfter(state: State, flight: Flight, judged: EventOf<'iteration.judged'>, isIdle: boolean): Totals {
  const { usage, durationMs } = flight.ended!
  const { totals } = state
  return {
    ...totals,
    iterations: totals.iterations + 1,
    idle: totals.idle + (isIdle ? 1 : 0),
    claimsRefused: totals.claimsRefused + (judged.claim === 'refused' ? 1 : 0),
    agentMs: totals.agentMs + durationMs,
    inputTokens: totals.inputTokens + usage.inputTokens,
    outputTokens: totals.outputTokens + usage.outputTokens,
    costUsd: totals.costUsd + (usage.costUsd ?? 0),
    unpriced: totals.unpriced + (usage.costUsd === null ? 1 : 0),
    attempted: [...new Set([...totals.attempted, ...judged.passed, ...judged.refused])],
  }
}

/** Ralph's own commit moves content from the tree to the history: the same content, nothing new to check. */
export function iterationSettled(state: State, event: EventOf<'iteration.settled'>): State {
  const flight = state.flights.find((candidate) => candidate.iteration === event.iteration)
  const stories = { ...state.stories }
  for (const id of flight?.judged?.passed ?? []) {
    const story = stories[id]
    if (story?.receipt)
      stories[id] = {
        ...story,
        receipt: { ...story.receipt, commits: [...story.receipt.commits, ...event.commits], tree: event.repo.tree },
      }
  }
  return {
    ...state,
    stories,
    repo: event.repo,
    seen: withSeen(state.seen, [treeKey(event.repo.tree), dirtKey(event.repo)]),
    flights: state.flights.filter((candidate) => candidate.iteration !== event.iteration),
  }
}

/** An answer stays with its story until that passes or fails. */
export const answerAfter = (state: State, ended: StoryId[]): State['answer'] =>
  state.answer?.story !== undefined && state.answer.story !== null && ended.includes(state.answer.story)
    ? undefined
    : state.answer

const lastFive = (list: number[], isNew: boolean, iteration: number): number[] => (isNew ? [...list, iteration].slice(-5) : list)

const withPassed = (plan: Plan, passed: StoryId[]): Plan =>
  passed.length === 0
    ? plan
    : { ...plan, stories: plan.stories.map((story) => (passed.includes(story.id) ? { ...story, passes: true } : story)) }

export function withFlight(state: State, iteration: number, change: (flight: Flight) => Flight): State {
  return { ...state, flights: state.flights.map((flight) => (flight.iteration === iteration ? change(flight) : flight)) }
}
