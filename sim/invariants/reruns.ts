/** Flaky gates: what runs once more, how often, and what a pass by a second run leaves behind; known flakes are counted a second time. */
import type { State } from '../../src/core/state.ts'
import type { EventOf, GateResult, Scope, StoryId } from '../../src/core/types.ts'
import { ensure } from '../ensure.ts'
import { type Facts, failingIn, gateKey, isSameGate, type Rules } from './facts.ts'

type Check = { results: GateResult[]; content: string | undefined; times: number }

export function rerunRules(facts: Facts): Rules {
  /** How each gate ended last on a content, whether it has passed there, and whose work was checked on it first. */
  const runs = new Map<string, { hasPassed: boolean; isRed: boolean; failed: Set<string>; by: StoryId | null }>()
  /** By gate and test: whose code may be the cause. */
  const flakes = new Map<string, Set<StoryId | null>>()
  const checks = new Map<Scope, Check>()
  const again = new Set<Scope>()
  const landed = new Map<number, { results: GateResult[]; times: number }>()

  const ownOf = (iteration: Scope): StoryId[] => {
    if (iteration === 'whole') return []
    const { story } = facts.started(iteration)
    const { flips } = facts.ended(iteration)
    return story !== null ? [story] : flips.length > 0 ? flips : ['']
  }

  const isKnown = ({ name, output }: GateResult, own: StoryId[]): boolean => {
    const failing = failingIn(output)
    const isOthers = (test: string): boolean => {
      const causes = flakes.get(`${name} ${test}`) ?? new Set()
      return causes.size > 1 || [...causes].some((by) => by === null || !own.includes(by))
    }
    return failing.length > 0 && failing.every(isOthers)
  }

  const mayRunAgain = ({ iteration, gates }: EventOf<'gates.started'>): void => {
    const say = (): string => `iteration ${iteration}`
    const check = checks.get(iteration)
    ensure(check !== undefined && check.times === 1, 'the gates of a check run once more at most once', say)
    const { results, content } = check!
    const reds = results.filter(facts.isRed)
    const isSame = reds.length === gates.length && reds.every((red) => gates.some((gate) => isSameGate(gate, red)))
    ensure(isSame, 'what runs once more is what failed', say)
    const isAlone = iteration === 'whole' || facts.reds(iteration).length === reds.length
    ensure(isAlone, 'nothing runs once more where that changes no answer', say)
    const isFlip = iteration === 'whole' || facts.ended(iteration).flips.length > 0 || facts.started(iteration).story === null
    ensure(isFlip, 'a gate runs once more only where a pass depends on it', say)
    const isChance = (red: GateResult): boolean =>
      runs.get(gateKey(content, red))?.hasPassed === true || isKnown(red, ownOf(iteration))
    ensure(
      content !== undefined && reds.every(isChance),
      'only what passed on the same content, or fails by known flaky tests of others, runs once more',
      say,
    )
  }

  const mayLandAgain = ({ iteration }: EventOf<'landing.started'>): void => {
    const { results, times } = landed.get(iteration) ?? { results: [], times: 0 }
    const reds = results.filter(facts.isRed)
    const say = (): string => `iteration ${iteration}`
    ensure(times === 1, 'a landing is tried once more at most once', say)
    const isChance = reds.length > 0 && reds.every((red) => red.kind === 'command' && isKnown(red, ownOf(iteration)))
    ensure(isChance, 'a landing is tried once more only after known flaky tests of others', say)
  }

  const gatesEnded = ({ iteration, results, content }: EventOf<'gates.ended'>): void => {
    const before = checks.get(iteration)
    const isAgain = again.delete(iteration)
    checks.set(iteration, isAgain ? { ...before!, times: 2 } : { results, content, times: 1 })
    const by = ownOf(iteration)[0] ?? null
    for (const result of results) {
      if (content === undefined || result.soft || result.ended === 'stopped') continue
      const run = runs.get(gateKey(content, result)) ?? { hasPassed: false, isRed: false, failed: new Set<string>(), by }
      runs.set(gateKey(content, result), run)
      if (result.passed && run.isRed) for (const test of run.failed) found(result.name, test, run.by)
      if (!result.passed) for (const test of failingIn(result.output)) run.failed.add(test)
      run.hasPassed ||= result.passed
      run.isRed = !result.passed
    }
  }

  const landingEnded = ({ iteration, results }: EventOf<'landing.ended'>): void => {
    const first = landed.get(iteration)
    for (const result of results) {
      const before = first?.results.find((earlier) => isSameGate(earlier, result))
      if (result.passed && before?.passed === false)
        for (const test of failingIn(before.output)) found(result.name, test, ownOf(iteration)[0] ?? null)
    }
    landed.set(iteration, { results, times: (first?.times ?? 0) + 1 })
  }

  const found = (gate: string, test: string, by: StoryId | null): void => {
    const key = `${gate} ${test}`
    flakes.set(key, (flakes.get(key) ?? new Set()).add(by))
  }

  const judged = ({ iteration, passed }: EventOf<'iteration.judged'>, { stories }: State): void => {
    for (const id of passed) {
      const { reservations = [] } = stories[id]?.receipt?.proof ?? {}
      const isSaid = reservations.some(({ rule }) => rule === 'flaky-tests')
      const isFlaky = facts.flaky(iteration).length > 0
      const isOnRecord = isSaid && facts.started(iteration).mode === 'check' // what a person has accepted
      ensure(isSaid === isFlaky || isOnRecord, 'a pass by a second run is never silent, and no other one is flaky', () => id)
    }
  }

  return {
    see(event, _before, now) {
      if (event.kind === 'run.started') runs.clear()
      if (event.kind === 'gates.started' && event.again) {
        mayRunAgain(event)
        again.add(event.iteration)
      }
      if (event.kind === 'gates.ended') gatesEnded(event)
      if (event.kind === 'landing.started' && event.again) mayLandAgain(event)
      if (event.kind === 'landing.ended') landingEnded(event)
      if (event.kind === 'iteration.judged') judged(event, now)
    },
    newLife() {
      again.clear() // what a kill cut off is asked for again
    },
  }
}
