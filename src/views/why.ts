/** `ralph why`: explains the last stop, or the current state of a live run, from the log. */

import { outcomeTitle } from '../core/decide/outcome.ts'
import { evolve } from '../core/evolve/evolve.ts'
import { endedFlight } from '../core/evolve/flights.ts'
import { initialState } from '../core/evolve/initial.ts'
import { exitCode } from '../core/exit-codes.ts'
import type { Question } from '../core/plan/question.ts'
import { openQuestions } from '../core/plan/questions.ts'
import { failureWords, type LastFailure, lastFailure } from '../core/proof/last-failure.ts'
import { reservedStories } from '../core/proof/receipt.ts'
import type { State } from '../core/state.ts'
import type { Event, Instant } from '../core/types.ts'
import { inLocalTime, sayLocal } from './local-time.ts'
import { cut, flat } from './log-lines.ts'
import { gradeLine, openReservationLines, proofData } from './proof.ts'
import { readingWords, silent } from './reading.ts'
import { linesFor } from './screen/screen.ts'
import { does, nextThing } from './screen/summary.ts'
import { branchNotes, type WayThere, whereWork } from './work-branches.ts'

/** `way`: to the branch of the run, if another one is checked out; `heldOut`: where what the last held-out check printed is, if it is there and a person asks. */
export type WhyPaths = { dir: string; log(iteration: number): string; heldOut?(run: string): string | null; way?: WayThere }

/** Explains one run of a feature: the last, or the named one. null: no such run. */
export function whyOf(events: Iterable<Event>, { run, isLive, now }: AskedRun): ExplainedRun | null {
  let state = initialState
  let told: ExplainedRun | null = null
  let story: string[] = []
  let endedAt = ''
  const begunAt = new Map<number, Instant>()
  for (const event of events) {
    if (event.kind === 'run.started') story = []
    if (event.kind === 'iteration.started') begunAt.set(event.iteration, event.at)
    if (event.kind === 'run.ended') endedAt = event.at // later actions of people are in the log too
    state = evolve(state, event)
    if (tells(event)) story.push(...linesFor(event, state).map((line) => line.text), ...readingLine(event, state))
    if (state.run !== '' && (run === undefined || state.run === run)) told = { state, story, endedAt, begunAt, isLive, now }
  }
  return told
}

type AskedRun = { run: string | undefined; isLive: boolean; now: Instant }
export type ExplainedRun = {
  state: State
  story: string[]
  endedAt: Instant
  /** When each iteration began. */
  begunAt?: ReadonlyMap<number, Instant>
  isLive: boolean
  now: Instant
}

/** The cause first: what happened on the way there comes last. */
export function whyLines(why: ExplainedRun, paths: WhyPaths): string[] {
  return [...headline(why), ...causeLines(why, paths), '', ...lastIterations(why.story)]
}

/** The same for programs. */
export function whyData(why: ExplainedRun, paths: WhyPaths): object {
  const { state, endedAt, isLive } = why
  const { outcome } = state
  const failure = failureIn(state)
  return {
    version: 1,
    feature: state.feature,
    run: state.run,
    state: outcome === undefined ? (isLive ? 'running' : 'killed') : 'ended',
    outcome: outcome?.outcome ?? null,
    exitCode: outcome === undefined ? null : exitCode(outcome.outcome, state.stop),
    endedAt: outcome === undefined ? null : endedAt,
    because: outcome?.because ?? (isLive ? doingNow(state) : (state.halted ?? '')),
    reserved: reservedStories(state),
    stories: (state.plan?.stories ?? []).map(({ id, title, passes }) => {
      const { receipt } = state.stories[id] ?? {}
      return { id, title, passes, proof: receipt === undefined ? null : proofData(receipt) }
    }),
    questions: openQuestions(state).map(({ story, question }) => ({ story, question })),
    failure: failure === null ? null : { ...failure, log: paths.log(failure.iteration) },
    work: whereWork(state),
    branchNotes: state.aboutBranch,
    next: nextOf(state, isLive, paths),
  }
}

/** How its answer was read: shown with the verdict, as evidence. */
function readingLine(event: Event, state: State): string[] {
  const flight = event.kind === 'iteration.judged' ? endedFlight(state, event.iteration) : undefined
  const words = flight === undefined ? silent : readingWords(flight.ended.reading)
  return words === silent ? [] : [`    read as: ${words}`]
}

const tells = ({ kind }: Event): boolean =>
  kind === 'iteration.started' ||
  kind === 'iteration.judged' ||
  kind === 'gates.started' ||
  kind === 'iteration.settled' ||
  kind === 'gates.ended' ||
  kind === 'landing.started' ||
  kind === 'landing.ended' ||
  kind === 'breaker.changed' ||
  kind === 'breaker.reset' ||
  kind === 'story.failed' ||
  kind === 'story.shelved' ||
  kind === 'story.put-aside' ||
  kind === 'story.slow' ||
  kind === 'review.ended' ||
  kind === 'mutants.ended' ||
  kind === 'question.answered' ||
  kind === 'criterion.amended' ||
  kind === 'finding.dismissed' ||
  kind === 'noticed' ||
  kind === 'wait.started' ||
  kind === 'run.resumed'

function headline({ state, endedAt, begunAt, isLive, now }: ExplainedRun): string[] {
  const { outcome, run } = state
  if (outcome)
    return [
      `Run ${run} ended ${outcomeTitle(outcome.outcome)} (exit ${exitCode(outcome.outcome, state.stop)}) at ${sayLocal(endedAt, now)}.`,
      `Because:  ${inLocalTime(outcome.because, now).replace(/(?<![.?!])$/, '.')}`,
    ]
  if (!isLive && state.halted !== undefined)
    return [`Run ${run} stopped before its end at ${sayLocal(state.at, now)}.`, `Because:  ${state.halted}`]
  if (!isLive) return [`Run ${run} was killed after ${sayLocal(state.at, now)}; its process is gone.`]
  return [`Run ${run} ${doingNow(state, { now, begunAt })}.`]
}

/** Without a clock, for programs. */
function doingNow(state: State, { now, begunAt }: { now?: Instant; begunAt?: ExplainedRun['begunAt'] } = {}): string {
  const until = (at: Instant): string => (now === undefined ? at : sayLocal(at, now))
  if (state.waiting) return `is waiting until ${until(state.waiting.until)} (${state.waiting.for})`
  if (state.pause === 'paused') return 'is paused'
  const phases = {
    working: 'is working on',
    returned: 'has worked on',
    checking: 'runs the gates for',
    reviewing: 'reviews',
  } as const
  const words = state.flights.map(({ iteration, story, phase }) => {
    const doing = phase in phases ? phases[phase as keyof typeof phases] : 'finishes'
    const since = begunAt?.get(iteration)
    const took = now === undefined || since === undefined ? '' : `, begun ${sayLocal(since, now)}`
    return `iteration ${iteration} ${doing} ${story ?? 'the project'}${took}`
  })
  if (words.length > 0) return `is running: ${words.join('; ')}`
  return state.check.phase === 'running' ? 'is running the gates on the whole project' : 'is between iterations'
}

/** Nothing failed that still matters once everything passes. */
const failureIn = (state: State): LastFailure | null => (state.outcome?.outcome === 'complete' ? null : lastFailure(state))

function causeLines({ state, isLive }: ExplainedRun, paths: WhyPaths): string[] {
  const failure = failureIn(state)
  const work = whereWork(state)
  const log = askedIn(state) ?? failure?.iteration ?? state.iteration
  const heldOut = state.outcome?.outcome === 'complete' ? null : (paths.heldOut?.(state.run) ?? null)
  return [
    ...waitingQuestions(state).map(({ story, question }) => `Asks:     ${story === null ? '' : `${story}: `}${flat(question)}`),
    ...(failure === null ? [] : [`Failing:  ${failureWords(failure)}`, ...failure.lines.map((text) => `            ${text}`)]),
    ...(failure === null ? saidLine(state) : []),
    ...gradeLine(state).map((text) => `Proof:    ${text}`),
    ...openReservationLines(state).map((text) => `Open:     reservation about ${text}`),
    ...(state.halted === undefined ? branchNotes(state) : []).map((text) => `Branch:   ${text}`),
    ...(work === null ? [] : [`Work:     ${work}`]),
    ...(paths.way ? [`Checkout: ${paths.way.words}`] : []),
    `Next:     ${nextOf(state, isLive, paths)}`,
    ...(heldOut === null ? [] : [`Held-out: ${heldOut}`]),
    ...(state.iteration > 0 || failure !== null ? [`Look at:  ralph logs ${log}   (${paths.log(log)})`] : []),
  ]
}

/** Where nothing failed and no progress was made, the agent's own words say most. */
function saidLine({ outcome, last }: State): string[] {
  const words = flat(last?.ended.summary ?? '')
  if (last === undefined || words === '' || (outcome?.outcome !== 'stuck' && outcome?.outcome !== 'testing-only')) return []
  return [`Said:     iteration ${last.iteration}${last.story === null ? '' : `, ${last.story}`}: ${cut(words, 200)}`]
}

/** The iteration whose question or blocker ended the run; undefined: it ended otherwise, or a person asked. */
function askedIn(state: State): number | undefined {
  if (state.outcome?.outcome === 'blocked') return state.blocked?.iteration || undefined
  return state.outcome?.outcome === 'question' ? openQuestions(state)[0]?.iteration || undefined : undefined
}

function nextOf(state: State, isLive: boolean, paths: WhyPaths): string {
  const { way = null } = paths
  return `${way === null || way.command === '' ? '' : `${way.command} && `}${nextHere(state, isLive, paths)}`
}

/** Beside what ended the run, or still works. A question that ended it is the cause itself. */
const waitingQuestions = (state: State): Question[] => (state.outcome?.outcome === 'question' ? [] : openQuestions(state))

function nextHere(state: State, isLive: boolean, paths: WhyPaths): string {
  if (state.outcome === undefined) {
    if (isLive) return waitingQuestions(state).length > 0 ? 'ralph answer "<your decision>"' : 'ralph monitor'
    const isFixed = state.halted === undefined || paths.way
    return does('ralph run', isFixed ? 'continues where it stopped' : 'continues where it stopped; first fix that')
  }
  const log = paths.log(lastFailure(state)?.iteration ?? state.iteration)
  return nextThing(state.outcome.outcome, state, { dir: paths.dir, log })
}

const shownLines = 24

function lastIterations(story: string[]): string[] {
  if (story.length === 0) return ['No iteration started.']
  const shown = story.slice(-shownLines)
  return [
    'What happened:',
    ...(story.length > shown.length ? [`  … ${story.length - shown.length} earlier lines`] : []),
    ...shown.map((line) => `  ${line}`),
  ]
}
