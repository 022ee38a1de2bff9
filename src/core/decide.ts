/** What to do next, from the state alone. Asked again after its answer is recorded, it says nothing. */
import { breakerDue } from './breaker.ts'
import { nearBudget, withinTime } from './budget.ts'
import { ending } from './ending.ts'
import { fingerprint } from './hash.ts'
import type { Flight, State } from './state.ts'
import { isAllPassed, nextTarget, storyNamed } from './stories.ts'
import { later } from './time.ts'
import type { Decision, StoryId } from './types.ts'
import { gatesFor, judge, needsGates } from './verdict.ts'

export function decide(state: State): Decision[] {
  if (state.run === '' || state.outcome !== undefined) return []
  for (const flight of state.flights) {
    const step = nextStep(state, flight)
    if (step !== null) return [step]
  }
  if (state.check.phase === 'running' && state.stop?.now === true && !state.check.isStopping && state.flights.length === 0) {
    return [{ kind: 'iteration.stopping', iteration: 0, because: `asked to stop (${state.stop.by})` }]
  }
  const isQuiet = state.flights.length === 0 && state.check.phase !== 'running'
  const end = ending(state)
  if (end?.outcome === 'testing-only') return isQuiet ? [end] : [] // before the breaker counts the same iterations
  const breaker = breakerDue(state.breaker, state.policy, state.at)
  if (breaker !== null) return [{ kind: 'breaker.changed', from: state.breaker.state, ...breaker }]
  const exhausted = exhaustedStory(state)
  if (exhausted !== null) return [exhausted]
  if (end !== null) return isQuiet ? [end] : [] // what is in flight comes home first
  const near = nearBudget(state)
  if (near !== undefined) return [{ kind: 'budget.warned', which: near.which, because: `${near.words} are spent` }]
  if (isQuiet && isAllPassed(state.plan, state.policy) && state.check.phase === 'due') {
    return [
      {
        kind: 'gates.started',
        iteration: 0,
        gates: state.policy.gates,
        because: 'every story passes: the whole is checked once more',
      },
    ]
  }
  if (state.pause === 'requested' && isQuiet) return [{ kind: 'run.paused', because: 'asked to pause after the iteration' }]
  if (state.pause !== 'none' || state.waiting !== undefined) return []
  return nextWait(state) ?? nextCall(state)
}

/** What an iteration in flight needs: to be stopped, its gates, or its verdict. */
function nextStep(state: State, flight: Flight): Decision | null {
  if (flight.judged !== undefined) return null // its settling is under way
  const isWorking = flight.ended === undefined || flight.gates === 'running'
  if (isWorking) {
    if (state.stop?.now !== true || flight.isStopping) return null
    return { kind: 'iteration.stopping', iteration: flight.iteration, because: `asked to stop (${state.stop.by})` }
  }
  const ended = flight.ended!
  if (flight.gates === 'none' && needsGates(state, flight, ended) && state.stop?.now !== true) {
    const gates = gatesFor(state, ended)
    const why = ended.flips.length > 0 ? `${ended.flips.join(', ')} flipped` : 'the tree changed'
    return { kind: 'gates.started', iteration: flight.iteration, gates, because: why }
  }
  const wasCutShort = Array.isArray(flight.gates)
    ? flight.gates.some((result) => result.ended === 'stopped')
    : needsGates(state, flight, ended)
  return judge(state, flight, wasCutShort ? { ...ended, exit: 'stopped' } : ended)
}

/** A story whose failed attempts are used up. */
function exhaustedStory(state: State): Decision | null {
  const { plan, policy } = state
  if (plan === null || policy.maxAttempts === 0) return null
  for (const story of plan.stories) {
    const known = state.stories[story.id]
    if (known === undefined || story.passes || story.failed || story.skip || known.failedAttempts < policy.maxAttempts) continue
    if (state.flights.some((flight) => flight.story === story.id)) continue
    const last = known.refusals.at(-1)
    return {
      kind: 'story.failed',
      story: story.id,
      because: `${policy.maxAttempts === 1 ? 'its only attempt failed' : `${policy.maxAttempts} failed attempts are used up`}${last ? `; the last: ${last.because}` : ''}`,
    }
  }
  return null
}

function nextWait(state: State): Decision[] | null {
  const { refusedCall, retryDue, limit, at } = state
  if (limit !== undefined) return atLimit(state, limit)
  if (refusedCall !== undefined && refusedCall.until > at) {
    return [
      {
        kind: 'wait.started',
        until: withinTime(refusedCall.until, state),
        for: 'rate',
        because: 'the calls of this hour are used up',
      },
    ]
  }
  if (retryDue === undefined) return null
  const until = retryDue.until !== undefined && retryDue.until > at ? retryDue.until : later(at, retryPauseMs(state))
  return [{ kind: 'wait.started', until: withinTime(until, state), for: 'retry', because: `${retryDue.by}: ${retryDue.message}` }]
}

/** Ended by `ending` where the choice is to exit; asked first where a person sits at the terminal. */
function atLimit(state: State, { until, message, choice }: NonNullable<State['limit']>): Decision[] {
  const { at, policy } = state
  const because = `the provider's usage limit: ${message}`
  if (choice === 'open' && policy.onLimit === 'ask')
    return [{ kind: 'limit.asked', because, ...(until === undefined ? {} : { until }) }]
  if (choice === 'asked') return []
  const isKnown = until !== undefined && until > at
  return [
    { kind: 'wait.started', until: withinTime(isKnown ? until : later(at, unknownResetMs), state), for: 'usage-limit', because },
  ]
}

/** How long to wait for a limit that does not say when it ends. */
export const unknownResetMs = 3_600_000

/** 5 s, 15 s, 1, 5 and 15 minutes, give or take a fifth: many runs of one user must not come back at the same moment. */
function retryPauseMs(state: State): number {
  const pausesMs = [5_000, 15_000, 60_000, 300_000, 900_000]
  const tries = Math.max(state.inARow.retries, state.inARow.refusedLogins)
  const pause = pausesMs[Math.min(Math.max(tries, 1), pausesMs.length) - 1]!
  return Math.round(pause * (0.8 + 0.4 * (fingerprint(state.run + state.at) / 0xffffffff)))
}

/** A call is asked for, granted by the world (rate, usage limits), and then spent on the story that is next by then. */
function nextCall(state: State): Decision[] {
  const { policy, call } = state
  if (call.phase === 'requested' || state.flights.length >= policy.workers) return []
  if (state.used + state.flights.length >= policy.maxIterations) return []
  const target = nextTarget(state)
  if (target === null) return []
  if (call.phase === 'none') {
    const agent = target.story?.agent ?? policy.agent
    return [{ kind: 'call.requested', call: call.last + 1, role: 'implementer', agent, because: target.because }]
  }
  const iteration = state.iteration + 1
  const id = target.story?.id ?? null
  const attempt = id === null ? 1 : (state.stories[id]?.attempts ?? 0) + 1
  return [
    {
      kind: 'iteration.started',
      iteration,
      call: call.last,
      story: storyNamed(state.plan, id)?.id ?? null,
      attempt,
      mode: target.mode,
      code: codeOf(`${state.run}:${iteration}`),
      shift: state.breaker.state === 'half-open',
      ...resumed(state, id),
      because: target.because,
    },
  ]
}

/** Inside a story and for a day at most; a call for another way needs a fresh mind. */
function resumed({ policy, stories, breaker, at }: State, id: StoryId | null): { resume?: string } {
  const session = id === null ? undefined : stories[id]?.session
  if (policy.session !== 'resume' || session === undefined || breaker.state === 'half-open') return {}
  return at < later(session.at, longestSessionMs) ? { resume: session.id } : {}
}

const longestSessionMs = 24 * 3_600_000

/** Four letters and digits that nobody writes by accident. */
function codeOf(text: string): string {
  const letters = 'bcdfghjkmnpqrstvwxz23456789'
  let rest = fingerprint(text)
  let code = ''
  for (let i = 0; i < 4; i++) {
    code += letters[rest % letters.length]
    rest = Math.floor(rest / letters.length)
  }
  return code
}
