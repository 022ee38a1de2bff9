/** Lands parallel work on the run's branch: one story at a time, with gates on the result. */

import { hasLanding } from '../evolve/flights.ts'
import { withSeen } from '../evolve/growing-set.ts'
import { noFinal } from '../evolve/initial.ts'
import { withEnded } from '../evolve/with-change.ts'
import type { EndedFlight, State } from '../state.ts'
import type { Decision, Ended, EventOf } from '../types.ts'
import { withTolerance } from './gates.ts'
import { dirtKey, judge, landingEvidence, treeKey } from './verdict.ts'

/** A story whose gates and reviewers pass, and whose work is not on the run's branch yet. */
export const isLandingDue = (state: State, flight: EndedFlight): boolean =>
  flight.worker !== undefined && flight.landing === undefined && judge(state, flight).passed.length > 0

/** The next landing waits until the files show the previous one, and while a failed story is put aside. */
export function nextLanding({ flights, failing }: State, { iteration, story }: EndedFlight): Decision | null {
  if (failing !== undefined || story === null || flights.some(hasLanding)) return null
  return { kind: 'landing.started', iteration, story, because: `${story} passes in its worktree: merge its work` }
}

/** The repository has changed, whatever the result for the story. */
export function landingEnded(state: State, event: EventOf<'landing.ended'>): State {
  const { iteration, commits, repo, blocked } = event
  const results = withTolerance(event.results, state)
  const gateMs = results.reduce((sum, { durationMs }) => sum + durationMs, state.totals.gateMs)
  const isChanged = repo.tree !== state.repo.tree || repo.dirt !== state.repo.dirt
  const next: State = {
    ...state,
    repo,
    seen: withSeen(state.seen, [treeKey(repo.tree), dirtKey(repo)]),
    totals: { ...state.totals, gateMs },
    ...(isChanged ? { check: { phase: 'due' }, finals: [], final: noFinal } : {}),
  }
  return withEnded(next, iteration, (flight) => ({
    ...flight,
    phase: 'waiting',
    landing: results,
    ended: withLanding(flight.ended, commits, blocked),
  }))
}

function withLanding(ended: Ended, commits: string[], blocked: string | undefined): Ended {
  const signals = blocked === undefined ? ended.signals : [...ended.signals, blockedBy(blocked)]
  return { ...ended, signals, commits: [...ended.commits, ...commits] }
}

const blockedBy = (reason: string): Ended['signals'][number] => ({ kind: 'blocked', reason, evidence: landingEvidence })
