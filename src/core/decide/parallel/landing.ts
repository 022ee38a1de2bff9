/** Lands parallel work on the run's branch: one story at a time, with gates on the result. */

import { endedFlight, hasLanding } from '../../evolve/flights.ts'
import { withSeen } from '../../evolve/growing-set.ts'
import { noFinal } from '../../evolve/initial.ts'
import { withEnded } from '../../evolve/with-change.ts'
import { failingTests } from '../../proof/failing-tests.ts'
import { isSameGate, ownWork, withRuns } from '../../proof/flaky/flaky.ts'
import type { EndedFlight, State } from '../../state.ts'
import type { Decision, Ended, EventOf, GateResult } from '../../types.ts'
import { withTolerance } from '../gates.ts'
import { dirtKey, judge, landingEvidence, treeKey } from '../verdict.ts'
import { whyBest } from './best-of.ts'

/** A story whose gates and reviewers pass, and whose work is not on the run's branch yet. */
export const isLandingDue = (state: State, flight: EndedFlight): boolean =>
  flight.worker !== undefined && flight.landing === undefined && judge(state, flight).passed.length > 0

/** The next landing waits until the files show the previous one, and while a failed story is put aside. */
export function nextLanding(state: State, flight: EndedFlight): Decision | null {
  const { flights, failing } = state
  const { iteration, story, landing } = flight
  const others = flights.filter((flight) => flight.iteration !== iteration)
  if (failing !== undefined || story === null || others.some(hasLanding)) return null
  const asked = { kind: 'landing.started', iteration, story } as const
  return landing === undefined
    ? { ...asked, because: `${story} passes in its worktree: merge its work${whyBest(state, flight)}` }
    : { ...asked, again: true, because: 'after the merge only tests failed that are known to be flaky: once more' }
}

/** The repository has changed, whatever the result for the story. */
export function landingEnded(state: State, event: EventOf<'landing.ended'>): State {
  const { iteration, commits, repo, blocked, at } = event
  const ended = withTolerance(event.results, state)
  const first = endedFlight(state, iteration)
  const results = first?.landing === undefined ? ended : flakyNow(first.landing, ended)
  const [by = null] = ownWork(first)
  const gateMs = results.reduce((sum, { durationMs }) => sum + durationMs, state.totals.gateMs)
  const isChanged = repo.tree !== state.repo.tree || repo.dirt !== state.repo.dirt
  const next: State = {
    ...state,
    repo,
    seen: withSeen(state.seen, [treeKey(repo.tree), dirtKey(repo)]),
    totals: { ...state.totals, gateMs },
    ...withRuns(state, { content: undefined, by, iteration, at, ended, results }),
    ...(isChanged ? { check: { phase: 'due' }, finals: [], final: noFinal } : {}),
  }
  return withEnded(next, iteration, (flight) => ({
    ...flight,
    phase: 'waiting',
    landing: results,
    ...(flight.landing === undefined ? {} : { isLandedAgain: true }),
    ended: withLanding(flight.ended, commits, blocked),
  }))
}

/** Those that failed after the first merge and pass now. */
const flakyNow = (first: GateResult[], again: GateResult[]): GateResult[] =>
  again.map((result) => {
    const before = first.find((earlier) => isSameGate(earlier, result))
    return result.passed && before?.passed === false ? { ...result, flaky: failingTests(before.output) } : result
  })

function withLanding(ended: Ended, commits: string[], blocked: string | undefined): Ended {
  const signals = blocked === undefined ? ended.signals : [...ended.signals, blockedBy(blocked)]
  return { ...ended, signals, commits: [...ended.commits, ...commits] }
}

const blockedBy = (reason: string): Ended['signals'][number] => ({ kind: 'blocked', reason, evidence: landingEvidence })
