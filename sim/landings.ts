/** The simulated hands of a landing: work that was done apart comes onto the working branch, step by step. */
import { hardGates, isRed, withTolerance } from '../src/core/decide/gates.ts'
import { endedFlight } from '../src/core/evolve/flights.ts'
import { storyNamed } from '../src/core/plan/stories.ts'
import type { State } from '../src/core/state.ts'
import type { Decision, Gate, GateResult, StoryId } from '../src/core/types.ts'
import { aResult } from './builders.ts'
import type { Reach } from './hands.ts'
import type { Landing, Luck, Place } from './places.ts'

export type Landings = {
  start(decision: Extract<Decision, { kind: 'landing.started' }>, state: State): void
  /** Asked to, before the working branch has moved. */
  stop(iteration: number): void
}

type Under = { place: Place; from: string; landing: Landing; results: GateResult[] }

export function landingsOf(
  { random, repository, temper, gatesMs, state, report, isKilledHere }: Reach,
  soon: (ms: number, act: () => void) => void,
): Landings {
  const { places } = repository
  const waiting = new Map<number, StoryId>()
  const under = new Map<number, Under>()

  const luck = (): Luck =>
    random.chance(temper().conflicts) ? random.pick(['conflict', 'conflict', 'broken', 'broken', 'blocked'] as const) : 'good'

  /** What the gates have seen where it was made. */
  const gatedContent = (iteration: number): string => {
    const { tree, dirt } = endedFlight(state(), iteration)?.ended.repo ?? repository.now()
    return dirt === '' ? tree : dirt.slice(1)
  }

  /** What is left is committed, the two lines are joined, and the gates look at the result. */
  const join = (iteration: number, story: StoryId, gates: Gate[]): void => {
    const place = places.of(story)!
    const from = place.last().head
    place.record(place.work(), story)
    if (isKilledHere()) return
    const landing = places.fit(place, luck())
    const isGated = landing.kind !== 'fits' || repository.nameOf(landing.content) === gatedContent(iteration)
    const results = isGated ? [] : repository.runGates(gates, random, landing.content)
    under.set(iteration, { place, from, landing, results })
    soon(results.length > 0 ? random.int(100, gatesMs) : 1, () => end(iteration))
  }

  /** Where all is green the working branch goes on; done twice that does nothing more. */
  const end = (iteration: number): void => {
    const { place, landing, results } = under.get(iteration) ?? {}
    if (place === undefined || landing === undefined || results === undefined) return
    const before = repository.now()
    if (landing.kind === 'fits' && !withTolerance(results, state()).some(isRed)) places.advance(place, landing)
    if (isKilledHere()) return
    const isRefused = landing.kind === 'conflict' || landing.kind === 'blocked'
    tell(
      iteration,
      isRefused ? [aResult('landing', false, { kind: 'landing', output: `landing is red: ${landing.kind}` })] : results,
      before.head,
    )
  }

  const tell = (iteration: number, results: GateResult[], before: string | null): void => {
    const { place, from, landing } = under.get(iteration)!
    under.delete(iteration)
    waiting.delete(iteration)
    const own = place.since({ head: from, tree: '' }).commits
    const { commits } = repository.since({ head: before, tree: '' })
    report({
      kind: 'landing.ended',
      iteration,
      results,
      commits: [...new Set([...own, ...commits])],
      repo: repository.now(),
      ...(landing.kind === 'blocked' ? { blocked: 'a.ts is in the way' } : {}),
    })
  }

  return {
    start({ iteration, story }, { policy, plan }) {
      const own = Object.entries(storyNamed(plan, story)?.gates ?? {})
      const gates = [...hardGates(policy), ...own.map(([name, command]): Gate => ({ name, command, story }))]
      waiting.set(iteration, story)
      soon(random.int(1, 1_000), () => void (waiting.has(iteration) && join(iteration, story, gates)))
    },
    stop(iteration) {
      const story = waiting.get(iteration)
      if (story === undefined) return
      const place = places.of(story)!
      const { from = place.last().head, results = [] } = under.get(iteration) ?? {}
      under.set(iteration, { place, from, landing: { kind: 'nothing' }, results })
      const stopped = aResult(results.at(-1)?.name ?? 'landing', false, { ended: 'stopped', exitCode: null })
      tell(iteration, [...results.slice(0, -1), stopped], repository.now().head)
    },
  }
}
