/** An iteration in flight: it starts, its agent ends, its gates run. What follows from its verdict is in judged.ts. */
import { checkAfter, isBaselineCheck, isRed, withTolerance } from '../decide/gates.ts'
import { dirtKey, hasChanged, treeKey } from '../decide/verdict.ts'
import { storyNamed } from '../plan/stories.ts'
import type { State, WorkingFlight } from '../state.ts'
import type { EventOf, GateResult, Plan, Scope, Story } from '../types.ts'
import { endedFlight, flightOf } from './flights.ts'
import { withSeen } from './growing-set.ts'
import { noFinal } from './initial.ts'
import { withMarks } from './run.ts'
import { beginningFor } from './users-files.ts'
import { withEnded, withFlight, withStoryState, withTold } from './with-change.ts'

export function iterationStarted(state: State, event: EventOf<'iteration.started'>): State {
  const { iteration, story, attempt, mode, worker } = event
  const known = story === null ? undefined : state.stories[story]
  const flight: WorkingFlight = {
    phase: 'working',
    iteration,
    story,
    attempt,
    mode,
    startedAt: event.at,
    isStopping: false,
    ...(worker === undefined ? {} : { worker }),
    shift: event.shift,
    isShift: event.shifts > (known?.shifts ?? 0),
    shifts: event.shifts,
    ...(story === null && event.saves === true ? { begunWith: beginningFor(state, null) } : {}),
  }
  const attempted =
    story === null || state.totals.attempted.includes(story) ? state.totals.attempted : [...state.totals.attempted, story]
  const next: State = {
    ...state,
    iteration,
    call: mode === 'check' ? state.call : { ...state.call, phase: 'none' },
    flights: [...state.flights, flight],
    totals: { ...state.totals, attempted },
  }
  if (story === null || (event.saves !== true && worker === undefined)) return next
  return withStoryState(
    next,
    story,
    worker === undefined ? { isSaved: true, begunWith: beginningFor(state, story) } : { isApart: true },
  )
}

export function iterationEnded(state: State, event: EventOf<'iteration.ended'>): State {
  const { kind: _kind, at: _at, run: _run, ...ended } = event
  const known = { ended, endedAt: event.at, reviews: [], unread: [], reviewed: [] }
  const next = withFlight(state, ended.iteration, (flight) => ({ ...flight, phase: 'waiting', ...known }))
  if (isApart(state, ended.iteration)) return next // the repository itself is unchanged
  const changed = hasChanged(state, ended)
  const plan = ended.plan === undefined || state.plan === null ? state.plan : withUnjudged(state, ended.plan)
  // The last final check has not seen this iteration.
  const isReviewed = state.finals.length > 0
  return { ...next, plan, check: changed || isReviewed ? { phase: 'due' } : state.check, finals: [], final: noFinal }
}

const isApart = (state: State, iteration: Scope): boolean => flightOf(state, iteration)?.worker !== undefined

export function gatesStarted(state: State, { iteration }: EventOf<'gates.started'>): State {
  const next = withEnded(state, iteration, (flight) => ({ ...flight, phase: 'checking' }))
  if (isApart(state, iteration)) return next
  // After a passing check, only what was not checked yet is left.
  const isWhole = iteration === 'whole'
  const stories = isWhole && state.check.phase === 'green' ? state.check.stories : undefined
  return { ...next, check: { phase: 'running', isWhole, isStopping: false, ...(stories === undefined ? {} : { stories }) } }
}

/** The agent's flip counts only after the gates. */
function withUnjudged(state: State, plan: Plan): Plan {
  const stories = plan.stories.map((story): Story => {
    const before = storyNamed(state.plan, story.id)
    const marked = plan.marks === 'log' ? withMarks(story, before) : story
    return { ...marked, passes: before?.passes === true }
  })
  return { ...plan, stories }
}

export function gatesEnded(state: State, event: EventOf<'gates.ended'>): State {
  const results = withTolerance(event.results, state)
  const wasStopped = results.some((result) => result.ended === 'stopped')
  const isBaseline = isBaselineCheck(state, event.iteration) && !wasStopped
  const flips = endedFlight(state, event.iteration)?.ended.flips ?? []
  const isElsewhere = isApart(state, event.iteration) // it says nothing about the repository itself
  const check: State['check'] = isElsewhere
    ? state.check
    : state.check.phase !== 'running'
      ? { phase: 'due' }
      : checkAfter(results, flips, state.check.stories)
  const gateMs = results.reduce((sum, result) => sum + result.durationMs, state.totals.gateMs)
  const next: State = {
    ...state,
    check,
    totals: { ...state.totals, gateMs },
    ...(event.ignored === undefined ? {} : { ignored: event.ignored }),
    // What a gate leaves behind (reports, caches) is nobody's work.
    ...(event.repo === undefined
      ? {}
      : { repo: event.repo, seen: withSeen(state.seen, [treeKey(event.repo.tree), dirtKey(event.repo)]) }),
  }
  if (isBaseline) return withBaseline(next, results)
  return withEnded(next, event.iteration, (flight) => ({ ...flight, phase: 'waiting', gates: results }))
}

/** Tells the first iteration which gates already failed. */
function withBaseline(state: State, results: GateResult[]): State {
  const red = results.filter(isRed).map(({ name }) => name)
  const told =
    red.length === 0
      ? []
      : state.policy.baseline === 'tolerate'
        ? [`${gatesWere(red)} red before this run began. That is tolerated as long as it fails in exactly the same way.`]
        : [
            `${gatesWere(red)} red before this run began. No story passes until ${red.length === 1 ? 'it is' : 'they are'} green: fix that first.`,
          ]
  const tolerant: State = { ...state, baseline: results }
  const check: State['check'] =
    state.policy.baseline === 'tolerate' && state.check.phase === 'red' ? { phase: 'due' } : state.check
  return withTold({ ...tolerant, check }, told)
}

const gatesWere = (names: string[]): string => (names.length === 1 ? `Gate ${names[0]} was` : `Gates ${names.join(', ')} were`)
