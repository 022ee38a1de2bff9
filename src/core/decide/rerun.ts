/** Gates that run once more: they failed where that may be chance, and only if the second run can change the answer. */
import { isAccepted } from '../plan/questions.ts'
import { isAllPassed } from '../plan/stories.ts'
import { failingTests } from '../proof/failing-tests.ts'
import { couldPass, hasPassedOn, isKnownFlaky, isSameGate, ownWork } from '../proof/flaky/flaky.ts'
import type { EndedFlight, State } from '../state.ts'
import type { Decision, Gate, GateResult, StoryId } from '../types.ts'
import { gatesFor, isCutShort, isRed, resultsOf, wholeGates } from './gates.ts'
import { also, isHeldOutLeft, isHeldOutOn } from './held-out.ts'

type GatesStarted = Extract<Decision, { kind: 'gates.started' }>

/** For a flip, or work without a story; other red gates are only told to the next attempt. */
export function rerunDue(state: State, flight: EndedFlight): GatesStarted | null {
  const { ended, iteration, gates, content, isRerun, story, landing } = flight
  if (
    gates === undefined ||
    isRerun ||
    landing !== undefined ||
    isCutShort(ended) ||
    (story !== null && ended.flips.length === 0)
  )
    return null
  const reds = resultsOf(state, flight).filter(isRed)
  const heldOut = isHeldOutOn(state, flight)
  return rerunOf(state, { iteration, gates: gatesFor(state, ended), ...also(heldOut) }, reds, { content, own: ownWork(flight) })
}

/** Of the final check, as long as it is one. */
export function wholeRerunDue(state: State): GatesStarted | null {
  const { check, plan, policy } = state
  if (check.phase !== 'red' || check.failed === undefined) return null
  if (!isAllPassed(plan, policy) && !isAccepted(state)) return null
  const { results, content } = check.failed
  const asked = { iteration: 'whole' as const, gates: wholeGates(state), ...also(isHeldOutLeft(state)) }
  return rerunOf(state, asked, results.filter(isRed), { content, own: [] })
}

/** A landing that only known flaky tests refused: nothing has passed on the merged content yet. */
export const mayLandAgain = (state: State, flight: EndedFlight): boolean => {
  const reds = (flight.landing ?? []).filter(isRed)
  const own = ownWork(flight)
  return !flight.isLandedAgain && reds.length > 0 && reds.every((red) => couldPass(red) && isKnownFlaky(state, red, own))
}

type Seen = { content: string | undefined; own: StoryId[] }

/** null: one of them would fail again, so that nothing is won. */
function rerunOf(
  state: State,
  asked: Omit<GatesStarted, 'kind' | 'because'>,
  reds: GateResult[],
  { content, own }: Seen,
): GatesStarted | null {
  const isChance = (red: GateResult): boolean =>
    couldPass(red) && (hasPassedOn(state, content, red) || isKnownFlaky(state, red, own))
  if (content === undefined || reds.length === 0 || !reds.every(isChance)) return null
  const gates = asked.gates.filter((gate: Gate) => reds.some((red) => isSameGate(red, gate)))
  if (gates.length !== reds.length) return null
  const because = reds.map((red) => whyOf(red, hasPassedOn(state, content, red))).join('; ')
  return { kind: 'gates.started', ...asked, gates, again: true, because }
}

const whyOf = ({ name, output }: GateResult, hasPassed: boolean): string =>
  hasPassed
    ? `gate ${name} failed on the same content that it passed on before`
    : `only tests of gate ${name} failed that are known to be flaky: ${failingTests(output).slice(0, 5).join(', ')}`
