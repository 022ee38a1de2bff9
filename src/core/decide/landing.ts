/** Work that was done apart comes onto the working branch: one story at a time, and with the gates' word on the result. */
import { withEnded } from '../evolve/changed.ts'
import { hasLanding } from '../evolve/flights.ts'
import { withSeen } from '../evolve/growing-set.ts'
import { noFinal } from '../evolve/initial.ts'
import type { EndedFlight, State } from '../state.ts'
import type { Decision, Ended, EventOf } from '../types.ts'
import { withTolerance } from './gates.ts'
import { dirtKey, judge, landingEvidence, treeKey } from './verdict.ts'

/** A story that its gates and its reviewers let pass, and whose work is not on the working branch yet. */
export const isLandingDue = (state: State, flight: EndedFlight): boolean =>
  flight.worker !== undefined && flight.landing === undefined && judge(state, flight).passed.length > 0

/** Until the files say what the landing before has brought, the next one waits; and so it does while a failed story is put aside. */
export function nextLanding({ flights, failing }: State, { iteration, story }: EndedFlight): Decision | null {
  if (failing !== undefined || story === null || flights.some(hasLanding)) return null
  return { kind: 'landing.started', iteration, story, because: `${story} passes where it was made: its work joins the others'` }
}

/** The repository has changed, whatever became of the story. */
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
