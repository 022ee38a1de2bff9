/** An iteration in flight: it starts, its agent ends, its gates run. What follows from its verdict is in judged.ts. */
import { checkAfter, isBaselineCheck, isHeldOut, isRed, withTolerance } from '../decide/gates.ts'
import { dirtKey, hasChanged, treeKey } from '../decide/verdict.ts'
import { storyNamed } from '../plan/stories.ts'
import { ownWork, withEarlier, withRerun, withRuns } from '../proof/flaky/flaky.ts'
import { withCounted } from '../proof/last-census.ts'
import type { AlsoPassed, Beginning, State, StoryState, WorkingFlight } from '../state.ts'
import type { BaselineAnswer, Ended, EventOf, GateResult, Plan, Scope, Story } from '../types.ts'
import { endedFlight, flightOf } from './flights.ts'
import { withSeen } from './growing-set.ts'
import { noFinal, noStory } from './initial.ts'
import { tolerant, withMarks } from './run.ts'
import { beginningFor } from './users-files.ts'
import { withBranchNote, withEnded, withFlight, withStoryState, withTold } from './with-change.ts'

export function iterationStarted(state: State, event: EventOf<'iteration.started'>): State {
  const { iteration, story, attempt, mode, worker, agent, candidate, maxUsd } = event
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
    ...(agent === undefined ? {} : { agent }),
    ...(candidate === undefined ? {} : { candidate }),
    ...(maxUsd === undefined ? {} : { maxUsd }),
    shift: event.shift,
    isShift: event.shifts > (known?.shifts ?? 0),
    shifts: event.shifts,
    ...(story === null ? { begun: beginningNow(state) } : {}),
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
  if (story === null) return next
  const { [story]: _begun, ...ready } = state.worktrees.ready
  const isNew = event.saves === true || worker !== undefined
  const shelf = candidate === undefined ? undefined : known?.shelf
  const told =
    shelf === undefined
      ? { ...next, worktrees: { ...state.worktrees, ready } }
      : withBranchNote(next, `${story}: its earlier work is on ${shelf.branch}; the candidates start without it`)
  return withStoryState(told, story, {
    begun: known?.begun ?? beginningNow(state),
    ...(candidate === undefined ? { candidates: undefined } : withCandidate(known, candidate, event)),
    ...(!isNew ? {} : worker === undefined ? { isSaved: true, begunWith: beginningFor(state, story) } : { isApart: true }),
  })
}

/** The work of earlier attempts stays on its branch: the candidates start without it. */
function withCandidate(
  story: StoryState | undefined,
  candidate: number,
  { iteration }: EventOf<'iteration.started'>,
): Pick<StoryState, 'candidates' | 'losers' | 'shelf'> {
  const { candidates = [], shelf, losers = [] } = story ?? noStory
  const isNewRound = candidates.every(({ isOut }) => isOut) && candidate === 1
  const known = isNewRound ? [] : candidates
  const earlier =
    shelf === undefined
      ? []
      : [{ iteration, branch: shelf.branch, because: 'earlier work, before several attempts were made at once' }]
  return {
    candidates: known.length >= candidate ? known : [...known, { usd: 0, tokens: 0, ms: 0 }],
    losers: [...losers, ...earlier],
    shelf: undefined,
  }
}

const beginningNow = ({ repo, census }: State): Beginning => ({ commit: repo.head, census })

export function iterationEnded(state: State, event: EventOf<'iteration.ended'>): State {
  const { kind: _kind, at: _at, run: _run, ...ended } = event
  const known = { ended, endedAt: event.at, reviews: [], unread: [], reviewed: [] }
  const next = withPastHooks(
    withFlight(withSpent(state, ended), ended.iteration, (flight) => ({ ...flight, phase: 'waiting', ...known })),
    ended,
  )
  if (isApart(state, ended.iteration)) return next // the repository itself is unchanged
  const changed = hasChanged(state, ended)
  const plan = ended.plan === undefined || state.plan === null ? state.plan : withUnjudged(state, ended.plan)
  // The last final check has not seen this iteration.
  const isReviewed = state.finals.length > 0
  return { ...next, plan, check: changed || isReviewed ? { phase: 'due' } : state.check, finals: [], final: noFinal }
}

/** What a candidate takes: the next one starts only if that much is left. */
function withSpent(state: State, { iteration, usage, durationMs }: Ended): State {
  const { story = null, candidate } = flightOf(state, iteration) ?? {}
  const { candidates } = (story === null ? undefined : state.stories[story]) ?? noStory
  if (story === null || candidate === undefined || candidates === undefined) return state
  const spent = candidates.map((known, at) =>
    at !== candidate - 1
      ? known
      : {
          ...known,
          usd: known.usd + (usage.costUsd ?? 0),
          tokens: known.tokens + usage.inputTokens + usage.outputTokens,
          ms: known.ms + durationMs,
        },
  )
  return withStoryState(state, story, { candidates: spent })
}

/** What a later commit may make right. */
function withPastHooks(state: State, { iteration, findings = [] }: Ended): State {
  const story = flightOf(state, iteration)?.story ?? null
  const pastHooks = findings.filter(({ rule }) => rule === 'hooks-bypassed')
  const isKnown = story !== null && (state.stories[story]?.pastHooks?.length ?? 0) > 0
  return story === null || (pastHooks.length === 0 && !isKnown) ? state : withStoryState(state, story, { pastHooks })
}

const isApart = (state: State, iteration: Scope): boolean => flightOf(state, iteration)?.worker !== undefined

export function gatesStarted(state: State, { iteration, again }: EventOf<'gates.started'>): State {
  const next = withEnded(state, iteration, (flight) => ({ ...flight, phase: 'checking' }))
  if (isApart(state, iteration)) return next
  // After a passing check, only what was not checked yet is left.
  const isWhole = iteration === 'whole'
  const first = again && state.check.phase === 'red' ? state.check.failed : undefined
  const { phase, ...passed } = state.check
  const before: AlsoPassed = isWhole && phase === 'green' ? passed : (first?.before ?? {})
  const known = first === undefined ? {} : { first }
  return { ...next, check: { ...before, phase: 'running', isWhole, isStopping: false, ...known } }
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
  const ended = withTolerance(event.results, state)
  const first = firstRun(state, event.iteration)
  const results =
    first === undefined
      ? withEarlier(state, event.content, ended)
      : withRerun(first.results, ended, event.content === first.content)
  const wasStopped = results.some((result) => result.ended === 'stopped')
  const isBaseline = isBaselineCheck(state, event.iteration) && !wasStopped
  const flips = endedFlight(state, event.iteration)?.ended.flips ?? []
  const isElsewhere = isApart(state, event.iteration) // it says nothing about the repository itself
  const check: State['check'] = isElsewhere
    ? state.check
    : state.check.phase !== 'running'
      ? { phase: 'due' }
      : checkAfter(results, flips, state.check)
  const gateMs = ended.reduce((sum, result) => sum + result.durationMs, state.totals.gateMs)
  const { at, content } = event
  const [by = null] = ownWork(endedFlight(state, event.iteration))
  const next: State = {
    ...state,
    ...withRuns(state, { content, by, iteration: state.iteration, at, ended, results }),
    check: first === undefined && event.iteration === 'whole' && !isBaseline ? mayFailByChance(check, state, content) : check,
    totals: { ...state.totals, gateMs },
    ...(event.ignored === undefined ? {} : { ignored: event.ignored }),
    // What a gate leaves behind (reports, caches) is nobody's work.
    ...(event.repo === undefined
      ? {}
      : { repo: event.repo, seen: withSeen(state.seen, [treeKey(event.repo.tree), dirtKey(event.repo)]) }),
  }
  // No held-out check that fails was known before the run.
  if (isBaseline)
    return withBaseline(
      withAnswer({ ...next, judgedIn: event.judgedIn, written: event.written }, event.asked),
      results.filter((result) => !isHeldOut(result)),
    )
  const seen = first === undefined ? (content === undefined ? {} : { content }) : { isRerun: true as const }
  const { written = [] } = event
  return withEnded(next, event.iteration, (flight) => {
    const all = [...(flight.written ?? []), ...written]
    return { ...flight, phase: 'waiting', gates: results, ...seen, ...(all.length === 0 ? {} : { written: all }) }
  })
}

/** What a check whose failed gates run once more had shown before. */
function firstRun(state: State, iteration: Scope): { results: GateResult[]; content?: string | undefined } | undefined {
  if (iteration === 'whole') return state.check.phase === 'running' ? state.check.first : undefined
  const { gates, content } = endedFlight(state, iteration) ?? {}
  return gates === undefined ? undefined : { results: gates, content }
}

/** The final check failed for the first time on what it saw: `decide` says whether its failed gates run once more. */
function mayFailByChance(check: State['check'], { check: before }: State, content: string | undefined): State['check'] {
  if (check.phase !== 'red' || content === undefined) return check
  const { stories, heldOut } = before.phase === 'running' ? before : {}
  const passed = { ...(stories === undefined ? {} : { stories }), ...(heldOut === undefined ? {} : { heldOut }) }
  return { ...check, failed: { results: check.results, content, before: passed } }
}

/** Of a person who saw the red gates. */
function withAnswer(state: State, asked: BaselineAnswer | undefined): State {
  if (asked === 'quit') return { ...state, stop: { by: 'user', now: true } }
  return asked === 'tolerate' ? { ...state, toleratesBaseline: true, policy: tolerant(state.policy) } : state
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
  const census = withCounted(state.census, results)
  const begun = state.begun && { ...state.begun, census: { ...census, ...state.begun.census } }
  const known: State = { ...state, baseline: results, census, ...(begun === undefined ? {} : { begun }) }
  const check: State['check'] =
    state.policy.baseline === 'tolerate' && state.check.phase === 'red' ? { phase: 'due' } : state.check
  return withTold({ ...known, check }, told)
}

const gatesWere = (names: string[]): string => (names.length === 1 ? `Gate ${names[0]} was` : `Gates ${names.join(', ')} were`)
