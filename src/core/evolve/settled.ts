/** What follows from settling an iteration: its work is committed, or what passed does not pass after all. */
import { checkAfter, isRed, redResult, withTolerance } from '../decide/gates.ts'
import { dirtKey, treeKey } from '../decide/verdict.ts'
import type { JudgedFlight, State } from '../state.ts'
import type { EventOf, GateResult, StoryId } from '../types.ts'
import { judgedFlight } from './flights.ts'
import { withSeen } from './growing-set.ts'
import { noStory } from './initial.ts'
import { refusalOf, withPasses, workedStory } from './judged.ts'
import { withFinished } from './learned.ts'
import { withOlder } from './users-files.ts'

/** Ralph's own commit moves content from the tree to the history. If the content differs, gates have checked it again. */
export function iterationSettled(state: State, event: EventOf<'iteration.settled'>): State {
  const flight = judgedFlight(state, event.iteration)
  const stories = { ...state.stories }
  const isPicked = flight?.story === null && flight.mode !== 'check' && event.repo.head !== null
  const begun = isPicked ? workedStory(flight) : null
  if (begun !== null && stories[begun]?.isSaved === false)
    stories[begun] = {
      ...stories[begun],
      isSaved: true,
      begunWith: withOlder(flight?.begunWith, stories[begun]),
    }
  const results = event.results === undefined ? undefined : withTolerance(event.results, state)
  const settled: State = {
    ...state,
    stories,
    ...(results === undefined ? {} : checkedAgain(state, results, flight?.ended.flips ?? [])),
    repo: event.repo,
    seen: withSeen(state.seen, [treeKey(event.repo.tree), dirtKey(event.repo)]),
    flights: state.flights.filter((candidate) => candidate.iteration !== event.iteration),
  }
  const passed = flight?.judged.passed ?? []
  if (event.problem !== undefined && flight !== undefined) return withdrawn(settled, flight, { problem: event.problem, results })
  for (const id of passed) {
    const story = stories[id]
    if (story?.receipt === undefined) continue
    const { receipt } = story
    stories[id] = {
      ...story,
      // Its saved state must not be restored any more.
      isSaved: false,
      begun: undefined,
      isApart: false,
      candidates: undefined,
      shelf: undefined,
      commits: [],
      receipt: { ...receipt, commits: [...receipt.commits, ...event.commits], tree: event.repo.tree },
    }
  }
  // Its files are committed with it: later changes in them are somebody's newer work.
  const left = passed.length > 0 && flight?.worker === undefined ? [] : state.left
  const learnedFrom = passed.filter((id) => !isEasy(state, id, flight))
  return { ...settled, left, learning: withFinished(state.learning, learnedFrom, 'success', event.iteration) }
}

/** Passed at once with few tool calls: nothing was hard, so nothing was learned, and a learner would cost more than it finds. */
const isEasy = ({ stories }: State, id: StoryId, flight: JudgedFlight | undefined): boolean =>
  (stories[id]?.attempts ?? 0) <= 1 && (flight?.ended.tools ?? Number.POSITIVE_INFINITY) <= fewTools
const fewTools = 12

/** The gates have checked everything as committed. */
function checkedAgain({ totals }: State, results: GateResult[], flips: StoryId[]): Pick<State, 'check' | 'totals'> {
  return {
    check: checkAfter(results, flips),
    totals: { ...totals, gateMs: results.reduce((sum, { durationMs }) => sum + durationMs, totals.gateMs) },
  }
}

const wasStopped = ({ ended }: GateResult): boolean => ended === 'stopped'

/** In words; git's own if git refused. */
const whyWithdrawn = ({ problem, results }: { problem: string; results?: GateResult[] | undefined }): string =>
  results === undefined ? `git did not commit its work: ${problem}` : problem

type Withdrawal = { problem: string; results: GateResult[] | undefined }

/** Work that cannot be committed, or fails once committed, is not done: its stories are reopened, and their next attempt is told why. */
function withdrawn(state: State, flight: JudgedFlight, why: Withdrawal): State {
  const { judged } = flight
  const stories = { ...state.stories }
  const isCut = why.results?.some(wasStopped) === true // nobody has found it wrong yet
  const reds = why.results === undefined ? [uncommitted(why.problem)] : why.results.filter(isRed)
  for (const id of judged.passed) {
    const { receipt: _receipt, ...before } = stories[id] ?? noStory
    stories[id] = before
    if (isCut) continue
    const refusal = { ...refusalOf(flight, id, reds, before.attempts), because: whyWithdrawn(why) }
    stories[id] = {
      ...before,
      failedAttempts: before.failedAttempts + 1,
      lastRefused: true,
      lastFailed: true,
      refusals: [...before.refusals, refusal].slice(-3),
      errors: { ...before.errors, [refusal.hash]: (before.errors[refusal.hash] ?? 0) + 1 },
    }
  }
  const told = {
    text: `${judged.passed.join(', ')} does not pass yet: ${whyWithdrawn(why)}`,
    since: state.iteration,
  }
  return {
    ...state,
    stories,
    plan: state.plan && withPasses(state.plan, judged.passed, false),
    tell: [...state.tell, told].slice(-20),
  }
}

const uncommitted = (problem: string): GateResult => redResult('commit', 'git commit', problem)
