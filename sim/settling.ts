/** How an iteration is settled: the plan file matches the verdict, the work is committed, and gates check what they have not seen. */
import { gatesFor, isHeldOut, isRed, withTolerance } from '../src/core/decide/gates.ts'
import { judgedFlight, placeOfFlight } from '../src/core/evolve/flights.ts'
import { workedStory } from '../src/core/evolve/judged.ts'
import { isWhole } from '../src/core/plan/stories.ts'
import type { JudgedFlight } from '../src/core/state.ts'
import type { Decision, EventOf, GateResult, Scope } from '../src/core/types.ts'
import { aResult } from './builders.ts'
import { heldOutOn } from './checkout.ts'
import type { Reach } from './hands.ts'
import { agentsFile } from './repository.ts'

type Judged = Extract<Decision, { kind: 'iteration.judged' }> | EventOf<'iteration.judged'>

/**
 * `gated`: iterations whose gates this process has run. Corrects the plan file, and commits what a passing story left or drops its worktree.
 * Safe to repeat.
 */
export function settlingOf(
  { random, repository, players, state, report, isKilledHere }: Reach,
  gated: ReadonlySet<Scope>,
): (judged: Judged) => void {
  const { places } = repository

  /** Gates on the committed state, if they have not seen it; one of them may be stopped. */
  const checkAgain = ({ ended, gates = [] }: JudgedFlight): GateResult[] => {
    const hard = gatesFor(state(), ended).filter(isHard)
    const ran = repository.runGates(hard, random, repository.committed())
    const isRefused = (result: GateResult): boolean => withTolerance([result], state()).some(isRed)
    const results = gates.some(isHeldOut) ? heldOutOn(repository.committed(), ran, ended.flips, isRefused) : ran
    const isStopped = state().stop?.now === true && results.length > 0
    return isStopped
      ? [...results.slice(0, -1), aResult(results.at(-1)!.name, false, { ended: 'stopped', exitCode: null })]
      : results
  }

  return (judged) => {
    for (const id of [...judged.refused, ...(judged.parked ?? [])]) repository.setStory(id, { passes: false })
    for (const id of judged.passed) repository.setStory(id, { passes: true })
    const flight = judgedFlight(state(), judged.iteration)
    const picked = flight?.story === null && flight.mode !== 'check' ? workedStory(flight) : null
    if (picked !== null && state().stories[picked]?.isSaved !== true) repository.keepPicked(picked)
    if (isKilledHere()) return
    if (flight?.worker !== undefined) {
      const place = placeOfFlight({ ...flight, story: flight.story! })
      places.of(place)?.flips.clear()
      if (judged.aside !== undefined) repository.putPlaceAside(place, judged.aside)
      if (judged.passed.length > 0) places.drop(place)
      if (isKilledHere()) return
      report({ kind: 'iteration.settled', iteration: judged.iteration, repo: repository.now(), commits: [] })
      return
    }
    const before = repository.now()
    const left = flight?.ended.uncommitted ?? []
    const isCommitting = judged.passed.length > 0 || isWhole(judged, state())
    const isLeft = isCommitting && left.some((file) => repository.dirty().includes(file))
    const isRefused = isLeft && judged.passed.length > 0 && players.refusesCommit()
    const withdraw = (): void => {
      for (const id of judged.passed) repository.setStory(id, { passes: false })
    }
    if (isRefused) withdraw()
    const isHooked = isLeft && !isRefused && left.includes(agentsFile) && players.changesCommit()
    if (isHooked) repository.hookEdits(random.chance(0.5))
    if (isLeft && !isRefused) repository.commit(judged.passed.length > 0 ? (flight?.story ?? picked) : null, left)
    if (isKilledHere()) return
    const isMoved = repository.hasGit && flight !== undefined && before.tree !== flight.ended.repo.tree
    // After a kill nobody knows what the gates saw: check again.
    const isChanged = isLeft && flight !== undefined && (!gated.has(judged.iteration) || before.dirt !== flight.ended.repo.dirt)
    const results =
      isCommitting && !isRefused && flight?.gates?.some(isHard) && (isHooked || isMoved || isChanged)
        ? checkAgain(flight)
        : undefined
    const isRedNow = results !== undefined && judged.passed.length > 0 && withTolerance(results, state()).some(isRed)
    if (isRedNow) withdraw()
    const { commits } = repository.since(before)
    report({
      kind: 'iteration.settled',
      iteration: judged.iteration,
      repo: repository.now(),
      commits,
      ...(isRefused ? { problem: 'a hook says no' } : isRedNow ? { problem: 'a hook changed it' } : {}),
      ...(results === undefined ? {} : { results }),
    })
  }
}

const isHard = ({ soft }: { soft?: true }): boolean => soft !== true
