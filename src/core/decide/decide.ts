/** What to do next, from the state alone. Asked again after its answer is recorded, it says nothing. */

import { hookBeforeIteration, hookBeforePass, hookNow } from '../evolve/hooks.ts'
import { nextLesson } from '../evolve/learned.ts'
import { agentInTurn, insteadWords, namedAgent } from '../evolve/usage-limits.ts'
import { isAccepted } from '../plan/questions.ts'
import { isAllPassed, storyNamed } from '../plan/stories.ts'
import type { EndedFlight, Flight, State } from '../state.ts'
import { codeOf } from '../text/hash.ts'
import { later } from '../text/time.ts'
import type { Decision, Gate, Scope, StoryId } from '../types.ts'
import { acceptedCheck, isCheckDue } from './accepted.ts'
import { branchDue, isAskingBranch } from './branch.ts'
import { breakerDue } from './breaker.ts'
import { nearBudget } from './budget.ts'
import { checkedWhole, ending, forbidsCalls, isLastCheckDue } from './ending.ts'
import { exhaustedStory, shiftFor, slowStory } from './escalation.ts'
import { isExaminationDue, whyExamined } from './examination.ts'
import { finalDue, gatesFor, hardGates, type ReviewDue, reviewDue, wholeGatesLeft } from './gates.ts'
import { claimCheck } from './hand-marked.ts'
import { also, isHeldOutFor, isHeldOutLeft } from './held-out.ts'
import { isMutationDue, mutationOf } from './mutation.ts'
import { nextTarget } from './next-story.ts'
import { beaten, isHeldBack, withAside } from './parallel/best-of.ts'
import { rivalFor } from './parallel/candidates.ts'
import { isLandingDue, nextLanding } from './parallel/landing.ts'
import { hasFreeWorker, hasRoom, workerFor } from './parallel/parallel.ts'
import { shareFor } from './parallel/share.ts'
import { readyFor, worktreeAhead } from './parallel/worktrees-ahead.ts'
import { mayLandAgain, rerunDue, wholeRerunDue } from './rerun.ts'
import { shelvedStory } from './shelve.ts'
import { isUnderWay } from './under-way.ts'
import { judge, needsGates } from './verdict.ts'
import { nextWait } from './wait.ts'

export function decide(state: State): Decision[] {
  const next = decided(state, false)
  // If nothing else will ever come, the best of the candidates that wait for others lands.
  return next.length === 0 && state.flights.length > 0 && !isUnderWay(state) ? decided(state, true) : next
}

function decided(state: State, isLast: boolean): Decision[] {
  if (state.run === '' || state.outcome !== undefined) return []
  const hook = hookNow(state)
  if (hook !== null) return hook
  for (const flight of state.flights) {
    const step = nextStep(state, flight, isLast)
    if (step !== null) return [step]
  }
  if (state.failing !== undefined) return [] // the work of a failed story is being put aside
  const isChecking = state.check.phase === 'running' || state.final.isReviewing || state.learning.running !== 'none'
  if (isChecking && state.stop?.now === true && !isBeingStopped(state) && state.flights.length === 0) {
    return [{ kind: 'iteration.stopping', iteration: 'whole', because: `asked to stop (${state.stop.by})` }]
  }
  const isQuiet = state.flights.length === 0 && !isChecking && !isAskingBranch(state)
  const wanted = wantedReview(state, isQuiet)
  const end = ending(state)
  if (end?.outcome === 'testing-only' && !wanted?.flight) return isQuiet ? [end] : [] // before the breaker counts the same iterations
  const breaker = breakerDue(state.breaker, state.policy, state.at)
  if (breaker !== null) return [{ kind: 'breaker.changed', from: state.breaker.state, ...breaker }]
  const exhausted = exhaustedStory(state)
  if (exhausted !== null) return [exhausted]
  const slow = slowStory(state)
  if (slow !== null) return [slow]
  const out = isQuiet ? shelvedStory(state, false) : null
  if (out !== null) return [out]
  const isEnding = end !== null || isAllPassed(state.plan, state.policy)
  const lesson = isQuiet && mayLearn(end, state) ? nextLesson(state, isEnding) : null
  if (lesson !== null) return lesson
  if (end !== null && isQuiet) return [(end.outcome === 'complete' ? branchDue(state) : null) ?? end]
  if (end !== null) {
    // Work in flight is finished first: with its review, unless the end forbids calls.
    if (wanted?.flight === undefined) return []
    if (forbidsCalls(state)) return wanted.flight.examination === 'running' ? [] : [unreviewed(state, wanted.flight, end.because)]
  }
  const near = nearBudget(state)
  if (near !== undefined)
    return [
      { kind: 'budget.warned', which: near.which, because: near.until === undefined ? `${near.words} are spent` : near.words },
    ]
  const check = isQuiet ? nextCheck(state) : null
  if (check !== null) return [check]
  if (state.pause === 'requested' && isQuiet) return [{ kind: 'run.paused', because: 'asked to pause after the iteration' }]
  if (isWholeChecked(state)) return [] // nothing starts meanwhile
  if ((state.pause !== 'none' && !wanted?.flight) || state.waiting !== undefined) return []
  if (wanted !== null) return nextWait(state) ?? nextReview(state, wanted)
  const claim = claimCheck(state) ?? acceptedCheck(state, (id) => saved(state, id, state.stories[id]?.isSaved))
  return claim === null ? (nextWait(state) ?? nextCall(state)) : [claim]
}

const isWholeChecked = (state: State): boolean => {
  const { check, final, learning } = state
  return isAskingBranch(state) || learning.running !== 'none' || (check.phase === 'running' && check.isWhole) || final.isReviewing
}

/** Also before the end of a run, if that still allows a call and nobody waits for it to stop; not while the provider is unavailable. */
const mayLearn = (end: Decision | null, state: State): boolean =>
  state.waiting === undefined &&
  state.stop === undefined &&
  state.retryDue === undefined &&
  state.limit === undefined &&
  !(state.refusedCall !== undefined && state.refusedCall.until > state.at) &&
  (end === null || !forbidsCalls(state))

const isBeingStopped = ({ check, final, learning }: State): boolean =>
  (learning.running !== 'none' && learning.isStopping) ||
  (check.phase === 'running' && check.isStopping) ||
  (final.isReviewing && final.isStopping)

/** The gates for everything: once before the first iteration, to know which already fail, and when every story passes. */
function nextCheck(state: State): Decision | null {
  const { plan, policy, check, baseline } = state
  if (check.phase === 'red') return wholeRerunDue(state)
  if (check.phase !== 'due' && check.phase !== 'green') return null
  const isHeldOut = isHeldOutLeft(state)
  const whole = (gates: Gate[], because: string): Decision => ({
    kind: 'gates.started',
    iteration: 'whole',
    gates,
    ...also(isHeldOut),
    because,
  })
  if (isAllPassed(plan, policy)) {
    const left = wholeGatesLeft(state)
    return left.length === 0 && !isHeldOut ? null : whole(left, 'every story passes: final check of all gates')
  }
  if (isLastCheckDue(state)) return whole(wholeGatesLeft(state), 'the work is said to be done: final check')
  const gates = hardGates(policy)
  if (check.phase !== 'due' || gates.length === 0) return null
  if (isAccepted(state)) return whole(gates, 'a person accepted the work: final check of all gates')
  if (baseline !== undefined) return null
  return { kind: 'gates.started', iteration: 'whole', gates, because: 'to know which gates fail before the first iteration' }
}

type Wanted = ReviewDue & { iteration: Scope; flight?: EndedFlight }

/** A reviewer that must be called before anything else: for a flip that the gates let pass, or for all changes. */
function wantedReview(state: State, isQuiet: boolean): Wanted | null {
  for (const flight of state.flights) {
    if (flight.phase !== 'waiting') continue
    const due = reviewDue(state, flight)
    if (due !== null) return { ...due, iteration: flight.iteration, flight }
  }
  if (!isQuiet || state.policy.only !== undefined || checkedWhole(state) === null) return null
  const due = finalDue(state)
  return due === null ? null : { ...due, iteration: 'whole' }
}

function nextReview(state: State, { iteration, review, story, agent, again }: Wanted): Decision[] {
  const { call, policy } = state
  const share = shareFor(state)
  if (call.phase === 'requested' || !hasFreeWorker(state) || share === null) return []
  const named = agent === '' ? policy.agent : agent
  const name = agentInTurn(state, { agent: named, role: 'reviewer' })
  const of = story === null ? 'the whole' : story
  const why =
    again === undefined
      ? `${of} passes its gates: ${name} reviews it (${review})`
      : `the last answer of the ${review} review could not be read: ${again}`
  const because = `${why}${insteadWords(state, named, name)}`
  if (call.phase === 'none' || call.role !== 'reviewer')
    return [{ kind: 'call.requested', call: call.last + 1, role: 'reviewer', agent: name, because }]
  return [
    {
      kind: 'review.started',
      iteration,
      call: call.last,
      review,
      story,
      agent: name,
      ...(again === undefined ? {} : { again }),
      ...share,
      because,
    },
  ]
}

/** The run ends before its reviewer could answer: its flips do not pass yet. */
const unreviewed = (state: State, flight: EndedFlight, why: string): Decision => ({
  ...judge(state, cutShort(flight)),
  because: `its review failed: ${why}`,
})

/** What an iteration in flight needs: to be stopped, its gates, or its verdict. */
function nextStep(state: State, flight: Flight, isLast: boolean): Decision | null {
  if (flight.phase === 'judged') return null // it is being settled
  if (flight.phase !== 'waiting') {
    if (state.stop?.now !== true || flight.isStopping) return null
    return { kind: 'iteration.stopping', iteration: flight.iteration, because: `asked to stop (${state.stop.by})` }
  }
  const { ended } = flight
  const lost = beaten(state, flight)
  if (lost !== null) return lost
  if (flight.examination === 'running' && state.stop?.now === true)
    return flight.isStopping
      ? null
      : { kind: 'iteration.stopping', iteration: flight.iteration, because: `asked to stop (${state.stop.by})` }
  const isUnchecked = flight.gates === undefined && needsGates(state, flight)
  if (isUnchecked && state.stop?.now !== true) {
    const gates = gatesFor(state, ended)
    const who = flight.mode === 'check' ? 'a person' : 'agent'
    const why = ended.flips.length > 0 ? `${who} marked ${ended.flips.join(', ')} done` : 'files changed'
    return { kind: 'gates.started', iteration: flight.iteration, gates, ...also(isHeldOutFor(state, flight)), because: why }
  }
  const rerun = rerunDue(state, flight)
  if (rerun !== null && state.stop?.now !== true) return rerun
  if (state.stop?.now !== true && isMutationDue(state, flight)) return mutationOf(state, flight)
  if (state.stop?.now !== true && isExaminationDue(state, flight))
    return { kind: 'examination.started', iteration: flight.iteration, because: whyExamined(flight) }
  const isUnreviewed = reviewDue(state, flight) !== null
  if (isUnreviewed && state.stop?.now !== true) return null
  if (flight.examination === 'running') return null
  const isUnlanded = !isUnreviewed && (isLandingDue(state, flight) || mayLandAgain(state, flight))
  if (isUnlanded && state.stop?.now !== true && isHeldBack(state, flight, isLast)) return null
  const asks = isUnreviewed ? null : hookBeforePass(state, flight, isUnlanded)
  if (asks !== null && state.stop?.now !== true) return asks
  if (isUnlanded && state.stop?.now !== true) return nextLanding(state, flight)
  const wasCutShort = isUnreviewed || isUnlanded || wasStopped(flight) || isUnchecked || rerun !== null || asks !== null
  return withAside(state, flight, judge(state, wasCutShort ? cutShort(flight) : flight))
}

const cutShort = (flight: EndedFlight): EndedFlight => ({ ...flight, ended: { ...flight.ended, exit: 'stopped' } })

const wasStopped = ({ gates = [], landing = [] }: EndedFlight): boolean =>
  [...gates, ...landing].some(({ ended }) => ended === 'stopped')

/** A call is requested, granted by the world (rate, usage limits), and then used for the story that is next by then. */
function nextCall(state: State): Decision[] {
  const { policy, call } = state
  if (!hasFreeWorker(state)) return worktreeAhead(state)
  if (call.phase === 'requested' || !hasRoom(state)) return []
  if (state.used + state.flights.length >= policy.maxIterations) return []
  const share = shareFor(state)
  if (share === null) return []
  const target = nextTarget(state)
  if (target === null || (target.story !== null && isHeldUp(state, target.story.id))) return []
  const shelved = shelvedStory(state, true)
  if (shelved !== null) return [shelved]
  const named = namedAgent(state, target.story?.id ?? null)
  const rival = target.candidate === undefined ? { agent: named } : rivalFor(state, named, target.candidate)
  const agent = agentInTurn(state, { agent: rival.agent, role: 'implementer' })
  const because = `${target.because}${insteadWords(state, rival.agent, agent)}`
  if (call.phase === 'none' || call.role !== 'implementer')
    return [{ kind: 'call.requested', call: call.last + 1, role: 'implementer', agent, because }]
  const iteration = state.iteration + 1
  const id = target.story?.id ?? null
  const asks = hookBeforeIteration(state, iteration, id)
  if (asks !== null) return [asks]
  const known = id === null ? undefined : state.stories[id]
  const beside = state.flights.filter(({ story, phase }) => id !== null && story === id && phase !== 'judged').length
  const ownShift = shiftFor(known)
  const worker = workerFor(state, id)
  const shift = ownShift ?? (state.breaker.state === 'half-open' ? state.breaker.because : '')
  return [
    {
      kind: 'iteration.started',
      iteration,
      call: call.last,
      story: storyNamed(state.plan, id)?.id ?? null,
      attempt: (known?.attempts ?? 0) + 1 + beside,
      mode: target.mode,
      code: codeOf(`${state.run}:${iteration}`),
      shift,
      shifts: (known?.shifts ?? 0) + (ownShift === null ? 0 : 1),
      ...(worker === null ? saved(state, id, known?.isSaved) : { worker, ...readyFor(state, id, target.candidate) }),
      ...(target.candidate === undefined ? {} : { candidate: target.candidate }),
      ...(agent === named ? {} : { agent }),
      ...(rival.model === undefined || agent !== rival.agent ? {} : { model: rival.model }),
      ...(shift === '' && target.candidate === undefined ? resumed(state, id, agent === named ? undefined : agent) : {}),
      ...share,
      because,
    },
  ]
}

/** By a check of it, or its worktree, which is there in a moment. */
const isHeldUp = (state: State, id: StoryId): boolean => isCheckDue(state, id) || state.worktrees.asked === id

/** The state before a story is saved once; for a parallel story it is the run's branch. */
const saved = (state: State, id: StoryId | null, isSaved = false): { saves?: true } =>
  state.repo.head !== null && !isSaved && (id !== null || isPicking(state)) ? { saves: true } : {}

const isPicking = ({ policy, plan }: State): boolean => policy.pick === 'agent' && plan !== null

/** Within a story and for at most a day, by the agent whose session it is; a strategy shift needs a fresh context. */
function resumed({ policy, stories, at }: State, id: StoryId | null, instead: string | undefined): { resume?: string } {
  const session = id === null ? undefined : stories[id]?.session
  if (policy.session !== 'resume' || session === undefined || session.agent !== instead) return {}
  return at < later(session.at, longestSessionMs) ? { resume: session.id } : {}
}

const longestSessionMs = 24 * 3_600_000
