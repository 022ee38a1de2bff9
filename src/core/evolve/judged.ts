/** What follows from the verdict on an iteration; what follows from settling it is in settled.ts. */

import { breakerAfter } from '../decide/breaker.ts'
import { checksOf, hasBounced, isRed, redHash, resultsOf } from '../decide/gates.ts'
import { isAnswered } from '../decide/hand-marked.ts'
import { dirtKey, doneInARow, hasOnlyAsked, treeKey } from '../decide/verdict.ts'
import { acceptanceOf, askedBy, suspicionQuestion, withoutStories, withQuestion } from '../plan/questions.ts'
import { storyNamed } from '../plan/stories.ts'
import { addedByJudgement } from '../prompt/about-last-iteration.ts'
import { isProven, judgedResults, proofOfStory, suspicionsToAsk } from '../proof/grade.ts'
import { withCounted } from '../proof/last-census.ts'
import { about } from '../proof/receipt.ts'
import { blockedBy, isFirstWordOfDone } from '../reading/needs-person.ts'
import { errorHash } from '../reading/reading.ts'
import type { JudgedFlight, Refusal, State, StoryState } from '../state.ts'
import type { Totals } from '../types/totals.ts'
import type { Ended, EventOf, GateResult, Plan, Signal, StoryId } from '../types.ts'
import { alikeAttempts, failedAfter } from './alike.ts'
import { endedFlight, isClaimCheck } from './flights.ts'
import { isByGatesAlone, withoutFlaky } from './given-back.ts'
import { withSeen } from './growing-set.ts'
import { noStory } from './initial.ts'
import { withUses } from './learned.ts'
import { unreadableAfter } from './unreadable.ts'
import { agentOfFlight, atUsageLimit, limitOfPerson, withoutPassedLimit } from './usage-limits.ts'
import { afterIteration } from './users-files.ts'
import { withBranchNote, withFlight } from './with-change.ts'

export function iterationJudged(state: State, event: EventOf<'iteration.judged'>): State {
  const before = endedFlight(state, event.iteration)
  if (before === undefined) return state
  const flight: JudgedFlight = { ...before, phase: 'judged', judged: event }
  const { ended } = flight
  const counts = countsAsUsed(event.verdict)
  const isTesting =
    ended.signals.some((signal) => signal.kind === 'testing-only') && event.passed.length === 0 && ended.commits.length === 0
  const throttled = event.verdict === 'throttled' ? ended.signals.find((signal) => signal.kind === 'throttled') : undefined
  const isClaim = ended.signals.some((signal) => signal.kind === 'claimed-done')
  const seen = [...ended.trees.map(treeKey), treeKey(ended.repo.tree), dirtKey(ended.repo)]
  const told = counts ? state.tell.filter((note) => note.since >= event.iteration) : state.tell
  const reds = judgedResults(state, flight).filter(isRed)
  const breaker = breakerAfter(state, flight, reds.length === 0 ? '' : redHash(reds), isFirstWordOfDone(state, flight))
  const next: State = {
    ...state,
    used: state.used + (counts ? 1 : 0),
    ...(flight.worker === undefined ? { repo: ended.repo, ...afterIteration(state, ended, leaverOf(state, flight)) } : {}),
    seen: withSeen(state.seen, seen),
    learning: withUses(state.learning, flight),
    breaker,
    stories: storiesAfter(state, flight),
    plan: state.plan && withPasses(state.plan, event.passed, true),
    census: event.passed.length === 0 ? state.census : withCounted(state.census, resultsOf(state, flight)),
    inARow: {
      done: event.claim === 'asked' ? 0 : counts ? doneInARow(state, ended) : state.inARow.done,
      testing: isTesting ? state.inARow.testing + 1 : counts ? 0 : state.inARow.testing,
      retries: isTransient(throttled) ? state.inARow.retries + 1 : counts ? 0 : state.inARow.retries,
      refusedLogins: throttled?.by === 'login' ? state.inARow.refusedLogins + 1 : counts ? 0 : state.inARow.refusedLogins,
      limits: limitsInARow(state, throttled, counts),
    },
    indicators: {
      done: lastFive(state.indicators.done, isClaim, event.iteration),
      testing: lastFive(state.indicators.testing, isTesting, event.iteration),
      claims: lastFive(state.indicators.claims, event.claim !== 'none', event.iteration),
    },
    // An interrupted iteration says nothing about its provider: what its reviewer hit still counts.
    ...(counts || throttled !== undefined
      ? lostToProvider(state, throttled, { agent: agentOfFlight(state, flight), role: 'implementer' })
      : {}),
    asked: counts ? askedAfter(state, flight) : state.asked,
    last: {
      ...{ iteration: event.iteration, story: flight.story, agent: agentOfFlight(state, flight), ended, judged: event },
      ...(flight.gates === undefined && flight.reviews.length === 0 ? { seenAt: flight.endedAt } : {}),
    },
    claims: isAnswered(flight) ? state.claims.filter((id) => !ended.flips.includes(id)) : state.claims,
    unreadable: unreadableAfter(state, event, ended, counts),
    blocked: blockedBy(ended.signals, event) ?? state.blocked,
    questions: questionsAfter(state, flight),
    tell: [...told, ...addedByJudgement(flight, state.plan).map((text) => ({ text, since: state.iteration }))].slice(-20),
    totals: totalsAfter(state, flight, breaker.counts['no-progress'].times > state.breaker.counts['no-progress'].times),
  }
  return withFlight(withAsideNote(next, flight), event.iteration, () => flight)
}

/** Nothing else says where the work of a candidate is that did not land. */
function withAsideNote(state: State, { story, iteration, judged: { aside, verdict } }: JudgedFlight): State {
  if (aside === undefined) return state
  const why = verdict === 'failed' ? 'failed' : 'passed its gates, but another attempt was better'
  return withBranchNote(state, `${story}: iteration ${iteration} ${why}; its work is on ${aside}`)
}

/** What the agent asks comes first: a story has one question at a time. */
function questionsAfter(state: State, flight: JudgedFlight): State['questions'] {
  const { ended, judged, story, iteration } = flight
  if (judged.claim === 'asked') return withQuestion(state.questions, acceptanceOf(ended))
  const own = ended.signals.find((signal) => signal.kind === 'question' || signal.kind === 'asked')
  const isAsking = judged.verdict === 'question' && own !== undefined && (own.kind === 'question' || judged.parked === undefined)
  const questions = isAsking
    ? withQuestion(state.questions, askedBy(own, iteration, story))
    : withoutStories(state.questions, judged.passed)
  const parked = (judged.parked ?? []).filter((id) => !isAsking || id !== story)
  return parked.reduce(
    (known, id) => withQuestion(known, suspicionQuestion(id, iteration, suspicionsToAsk(state, flight, id))),
    questions,
  )
}

/** Who owns uncommitted files from now on. A check finds what others have left. */
const leaverOf = ({ leftBy }: State, flight: JudgedFlight): StoryId | undefined =>
  isClaimCheck(flight) ? leftBy : (workedStory(flight) ?? undefined)

type ThrottledSignal = Extract<Signal, { kind: 'throttled' }>

/** Overload and the like pass; a usage limit has its own wait, and a rejected login needs a person. */
export const isTransient = (throttled: ThrottledSignal | undefined): boolean =>
  throttled !== undefined && throttled.by !== 'login' && throttled.by !== 'usage-limit'

export function lostToProvider(
  state: State,
  throttled: ThrottledSignal | undefined,
  caller: Parameters<typeof atUsageLimit>[1],
): Pick<State, 'limit' | 'retryDue' | 'agentLimits'> {
  const kept = limitOfPerson(state)
  if (throttled === undefined) return { limit: kept, retryDue: undefined, ...withoutPassedLimit(state, caller.agent) }
  const { by, until, message } = throttled
  const when = until === undefined ? {} : { until }
  if (by === 'usage-limit') return { ...atUsageLimit(state, caller, { ...when, message, isMet: true }), retryDue: undefined }
  return { limit: kept, retryDue: { by, ...when, message } }
}

/** Usage limits hit one after the other. Other workers that hit the same one do not add to it. Where others stand in, each agent has its own count. */
export function limitsInARow({ limit, inARow, policy }: State, throttled: ThrottledSignal | undefined, counts: boolean): number {
  if (policy.fallback !== undefined) return 0
  if (throttled?.by === 'usage-limit') return limit === undefined ? inARow.limits + 1 : inARow.limits
  return counts ? 0 : inARow.limits
}

/** Iterations in a row on one story that only asked. */
function askedAfter(state: State, { story, ended, judged }: JudgedFlight): State['asked'] {
  if (judged.verdict === 'question' || !hasOnlyAsked(state, ended)) return undefined
  return { story, times: state.asked?.story === story ? state.asked.times + 1 : 1 }
}

/** Lost, throttled, unreadable and interrupted iterations have a number, but count toward nothing. */
const countsAsUsed = (verdict: EventOf<'iteration.judged'>['verdict']): boolean =>
  verdict !== 'lost' && verdict !== 'throttled' && verdict !== 'unreadable' && verdict !== 'interrupted'

/** A request for a person leaves the story as it was. */
const isAttempt = (verdict: EventOf<'iteration.judged'>['verdict']): boolean =>
  verdict === 'done' || verdict === 'worked' || verdict === 'failed'

function storiesAfter(state: State, flight: JudgedFlight): Record<StoryId, StoryState> {
  const { ended, judged } = flight
  const stories = { ...state.stories }
  const results = judgedResults(state, flight)
  const spentMs = checksOf(flight).reduce((sum, result) => sum + result.durationMs, ended.durationMs)
  const worked = new Set<StoryId>([...(flight.story === null ? [] : [flight.story]), ...flipsOf(judged)])
  for (const id of worked) {
    const known = stories[id] ?? noStory
    const before = isAttempt(judged.verdict) ? withoutFlaky(known, flight) : known
    const counts = countsAsUsed(judged.verdict)
    const isRefused = judged.refused.includes(id) && judged.verdict === 'failed'
    const story = storyNamed(state.plan, id)
    const isSkipped = story?.skip === true && id !== state.policy.only
    const isOut = story?.failed !== undefined || isSkipped // whoever flips it all the same uses up nothing
    const alike = id === flight.story && !isOut ? (judged.alike ?? 0) : 0
    const isAlike = alike >= alikeAttempts
    const isBeaten = judged.aside !== undefined && judged.verdict !== 'failed'
    const isCut = (ended.exit === 'timeout' || ended.exit === 'circling') && id === flight.story && !isBeaten
    const isFailed = counts && !isOut && (isRefused || isCut || isAlike)
    const isUnfinished = alike > 0 && !isAlike
    const isOwn = id === workedStory(flight)
    const refusal = {
      ...refusalOf(flight, id, results, before.attempts + 1),
      ...(isUnfinished ? { isUnfinished } : {}),
      ...(isByGatesAlone(flight, results) ? { content: flight.content } : {}),
    }
    stories[id] = {
      ...before,
      attempts: before.attempts + (isAttempt(judged.verdict) ? 1 : 0),
      failedAttempts: isAlike ? failedAfter(before, alike, state.policy.maxAttempts) : before.failedAttempts + (isFailed ? 1 : 0),
      lastRefused: isAttempt(judged.verdict) ? isRefused || isAlike : before.lastRefused,
      lastFailed: isAttempt(judged.verdict) ? isFailed : before.lastFailed,
      ...failuresAfter(isOwn && isGreen(flight, results) ? withoutReds(before) : before, refusal, isFailed, alike),
      shifts: isOwn && isAttempt(judged.verdict) ? flight.shifts : before.shifts,
      spentMs: before.spentMs + (isOwn && counts ? spentMs : 0),
      ...(id === flight.story ? withoutCandidate(before, flight) : {}),
      // Those of a candidate are in its own worktree, and count only if it lands.
      commits:
        isOwn && !isClaimCheck(flight) && flight.candidate === undefined
          ? [...before.commits, ...ended.commits].slice(-maxCommits)
          : before.commits,
      files: isOwn ? filesAfter(before.files, ended) : before.files,
      bounced: before.bounced + (isFailed && hasBounced(flight) ? 1 : 0),
      ...(isOwn && flight.begun !== undefined ? { begun: before.begun ?? flight.begun } : {}),
      warnings: before.warnings + results.filter((result) => result.soft === true && !result.passed).length,
    }
    if (isOwn) stories[id].session = sessionAfter(flight)
    if (isOwn && isFirstWordOfDone(state, flight)) stories[id].hasSaidDone = true
    if (flight.mode === 'check' && judged.verdict !== 'interrupted' && before.accepted !== undefined && id === flight.story)
      stories[id].accepted = { ...before.accepted, isDue: undefined }
    if (!judged.passed.includes(id)) continue
    const proof = proofOfStory(state, flight, id)
    stories[id].receipt = {
      iteration: judged.iteration,
      proven: isProven(proof),
      proof,
      commits: flight.mode === 'check' ? [...new Set([...before.commits, ...ended.commits])] : ended.commits,
      tree: ended.repo.tree,
      gates: about(results, id).map(receiptOf),
      agent: agentOfFlight(state, flight),
      costUsd: stories[id].costUsd,
      given: false,
    }
  }
  return stories
}

/** It is out, and its work is on a branch; the story may have passed meanwhile. */
function withoutCandidate(
  { candidates, losers = [] }: StoryState,
  { candidate, judged: { aside, iteration, because } }: JudgedFlight,
): Pick<StoryState, 'candidates' | 'losers'> {
  if (aside === undefined) return {}
  return {
    ...(candidates && {
      candidates: candidates.map((known, at) => (at + 1 === candidate ? { ...known, isOut: true as const } : known)),
    }),
    losers: [...losers, { iteration, branch: aside, because }],
  }
}

type Failures = Pick<StoryState, 'refusals' | 'errors' | 'reds'>

/** A gate failure without a flip counts only once it has occurred often enough; then all of them were failures. */
function failuresAfter(before: Failures, refusal: Refusal, isFailed: boolean, alike: number): Failures {
  const { hash } = refusal
  if (!isFailed && alike === 0) return { refusals: before.refusals, errors: before.errors, reds: before.reds }
  const refusals = [...before.refusals, refusal].slice(-3)
  if (!isFailed) return { refusals, errors: before.errors, reds: { ...before.reds, [hash]: (before.reds[hash] ?? 0) + 1 } }
  const { [hash]: _counted, ...reds } = before.reds
  if (alike > 0) return { refusals, errors: { ...before.errors, [hash]: alike }, reds }
  return { refusals, errors: { ...before.errors, [hash]: (before.errors[hash] ?? 0) + 1 }, reds: before.reds }
}

const isGreen = ({ gates = [] }: JudgedFlight, results: GateResult[]): boolean => gates.length > 0 && !results.some(isRed)

/** Passing gates end what was merely unfinished. */
const withoutReds = ({ refusals, errors }: StoryState): Failures => ({
  refusals: refusals.filter(({ isUnfinished }) => isUnfinished !== true),
  errors,
  reds: {},
})

/** The story of an iteration: the named one, or the one that it picked and marked. */
export function workedStory({ story, judged }: Pick<JudgedFlight, 'story' | 'judged'>): StoryId | null {
  const [flipped = null, ...others] = flipsOf(judged)
  return story ?? (others.length === 0 ? flipped : null)
}

const flipsOf = ({ passed, refused, parked = [] }: JudgedFlight['judged']): StoryId[] => [...passed, ...refused, ...parked]

const receiptOf = ({ output, ...rest }: GateResult): Omit<GateResult, 'output'> & { output?: string } =>
  rest.kind === 'review' ? { ...rest, output } : rest

/** Files that other parallel stories should stay away from. */
function filesAfter(before: string[], { files = [], uncommitted }: Ended): string[] {
  return [...new Set([...before, ...files, ...uncommitted])].slice(-maxStoryFiles)
}

/** Of one story; the files of those with more are in its commits. */
export const maxStoryFiles = 50

/** How many commits of one story are remembered, to undo it. */
const maxCommits = 200

/** Time that ran out is of the story that was worked on: another that it marked is refused by its gates alone. */
export function refusalOf(flight: JudgedFlight, id: StoryId, results: GateResult[], attempt: number): Refusal {
  const { isShift, ended, judged } = flight
  const gates = results.filter(isRed)
  const error = ended.signals.find((signal) => signal.kind === 'error')
  return {
    iteration: judged.iteration,
    because: judged.because,
    hash: gates.length > 0 ? redHash(gates) : (error?.hash ?? errorHash(ended.exit)),
    gates,
    summary: ended.summary,
    files: [...new Set([...(ended.files ?? []), ...ended.uncommitted])].slice(0, 30),
    wasShift: isShift,
    attempt,
    ...(id === flight.story && (ended.exit === 'timeout' || ended.exit === 'circling') ? { cut: ended.exit } : {}),
  }
}

/** A session continues only after honest unfinished work: a failure, a limit or a kill starts a fresh one. */
function sessionAfter({ ended, judged, agent }: JudgedFlight): StoryState['session'] {
  const goesOn = judged.verdict === 'worked' || judged.verdict === 'blocked' || judged.verdict === 'question'
  if (!goesOn || ended.session === undefined || ended.exit !== 'ok') return undefined
  const whose = agent === undefined ? {} : { agent }
  return { id: ended.session, at: judged.at, costUsd: ended.sessionCostUsd ?? null, ...whose }
}

function totalsAfter({ totals }: State, { ended: { usage }, judged }: JudgedFlight, isIdle: boolean): Totals {
  const isFailed = judged.verdict === 'failed'
  return {
    ...totals,
    failedUsd: totals.failedUsd + (isFailed ? (usage.costUsd ?? 0) : 0),
    iterations: totals.iterations + 1,
    idle: totals.idle + (isIdle ? 1 : 0),
    claimsRefused: totals.claimsRefused + (judged.claim === 'refused' ? 1 : 0),
    attempted: [...new Set([...totals.attempted, ...flipsOf(judged)])],
  }
}

const lastFive = (list: number[], isNew: boolean, iteration: number): number[] => (isNew ? [...list, iteration].slice(-5) : list)

export const withPasses = (plan: Plan, ids: StoryId[], passes: boolean): Plan =>
  ids.length === 0
    ? plan
    : { ...plan, stories: plan.stories.map((story) => (ids.includes(story.id) ? { ...story, passes } : story)) }
