/** The simulated hands of a landing: merges parallel work into the run's branch, step by step. */
import { gatesFor, isHeldOut, isRed, redResult, withTolerance } from '../src/core/decide/gates.ts'
import { endedFlight, placeOfFlight } from '../src/core/evolve/flights.ts'
import type { State } from '../src/core/state.ts'
import type { Decision, Gate, GateResult, Scope } from '../src/core/types.ts'
import { aResult } from './builders.ts'
import { heldOutOn } from './checkout.ts'
import type { Content } from './content.ts'
import type { Reach } from './hands.ts'
import type { Landing, Place } from './places.ts'

export type Landings = {
  start(decision: Extract<Decision, { kind: 'landing.started' }>, state: State): void
  /** Stopped before the run's branch has moved. */
  stop(iteration: number): void
}

/** `own`: what was committed of the work there. */
type Under = { place: Place; own: string[]; landing: Landing; results: GateResult[] }

const refusal = (why: string): GateResult => redResult('landing', 'git merge', `landing is red: ${why}`)

export function landingsOf(
  { random, repository, players, gatesMs, state, report, isKilledHere }: Reach,
  soon: (ms: number, act: () => void) => void,
  gated: ReadonlySet<Scope>,
): Landings {
  const { places } = repository
  const waiting = new Map<number, string>()
  const under = new Map<number, Under>()

  /** What the gates saw in the worktree. */
  const gatedContent = (iteration: number): string => {
    const { tree, dirt } = endedFlight(state(), iteration)?.ended.repo ?? repository.now()
    return dirt === '' ? tree : dirt.slice(1)
  }

  const checked = (iteration: number, gates: Gate[], content: Content): GateResult[] => {
    const results = repository.runGates(gates, random, content)
    const flight = endedFlight(state(), iteration)
    const isRefused = (result: GateResult): boolean => withTolerance([result], state()).some(isRed)
    return flight?.gates?.some(isHeldOut) ? heldOutOn(content, results, flight.ended.flips, isRefused) : results
  }

  /** Commits what is left, merges the two lines, and runs the gates on the result. */
  const join = (iteration: number, key: string, gates: Gate[]): void => {
    const place = places.of(key)!
    const { story } = place
    const from = place.last().head
    place.record(place.work(), story)
    const own = place.since({ head: from, tree: '' }).commits
    if (isKilledHere()) return
    const landing = places.fit(place, players.landing(story))
    // After a kill nobody knows whether the gates saw what is there.
    const isSeen = own.length === 0 || gated.has(iteration)
    const isGated = landing.kind !== 'fits' || (isSeen && repository.nameOf(landing.content) === gatedContent(iteration))
    const results = isGated ? [] : checked(iteration, gates, landing.content)
    under.set(iteration, { place, own, landing, results })
    soon(results.length > 0 ? random.int(100, gatesMs) : 1, () => end(iteration))
  }

  /** If everything passes, the run's branch moves forward; safe to repeat. */
  const end = (iteration: number): void => {
    const now = under.get(iteration)
    if (now === undefined) return
    const { place, own, landing, results } = now
    const isLanded = landing.kind === 'fits' && !withTolerance(results, state()).some(isRed)
    if (isLanded) places.advance(place, landing)
    if (isKilledHere()) return
    const isRefused = landing.kind === 'conflict' || landing.kind === 'blocked'
    if (isRefused) tell(iteration, [refusal(landing.kind)], [])
    else tell(iteration, results, isLanded ? [...own, ...landing.merge] : own)
  }

  const tell = (iteration: number, results: GateResult[], commits: string[]): void => {
    const { landing } = under.get(iteration)!
    under.delete(iteration)
    waiting.delete(iteration)
    report({
      kind: 'landing.ended',
      iteration,
      results,
      commits,
      repo: repository.now(),
      ...(landing.kind === 'blocked' ? { blocked: 'a.ts is in the way' } : {}),
    })
  }

  return {
    start({ iteration, story }, now) {
      const flight = endedFlight(now, iteration)
      const gates = flight === undefined ? [] : gatesFor(now, flight.ended).filter(({ soft }) => soft !== true)
      const key = placeOfFlight({ ...flight, story })
      waiting.set(iteration, key)
      soon(random.int(1, 1_000), () => void (waiting.has(iteration) && join(iteration, key, gates)))
    },
    stop(iteration) {
      const key = waiting.get(iteration)
      if (key === undefined) return
      const place = places.of(key)!
      const { own = [], results = [] } = under.get(iteration) ?? {}
      under.set(iteration, { place, own, landing: { kind: 'nothing' }, results })
      const stopped = aResult(results.at(-1)?.name ?? 'landing', false, { ended: 'stopped', exitCode: null })
      tell(iteration, [...results.slice(0, -1), stopped], own)
    },
  }
}
