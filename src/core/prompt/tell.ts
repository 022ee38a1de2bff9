/** What the next iteration must be told about the last one, in sentences the agent can act on. */
import { doneMark, gatesAre, listed } from '../plan/stories.ts'
import { isLeftOpen } from '../reading/needs-person.ts'
import type { JudgedFlight } from '../state.ts'
import type { EventOf, Plan, Signal } from '../types.ts'

export function addedByJudgement(flight: JudgedFlight, plan: Plan | null): string[] {
  const { ended, judged } = flight
  const notes: string[] = []
  const n = judged.iteration
  if (ended.exit === 'timeout') notes.push(`Iteration ${n} was ended by its time limit. Work in smaller steps and commit early.`)
  if (ended.exit === 'circling')
    notes.push(`Iteration ${n} was ended early: ${judged.because}. Do not try the same again: find another way.`)
  if (ended.exit === 'lost' && flight.mode !== 'check')
    notes.push(`Iteration ${n} was cut off from outside. Look at the state of the tree before you go on.`)
  for (const repair of ended.repairs) notes.push(`The plan was corrected after iteration ${n}: ${repair}.`)
  if (ended.weakened !== undefined && ended.weakened.length > 0) notes.push(weakenedChecks(n, ended.weakened))
  if (judged.refused.length > 0) notes.push(refusedFlips(judged))
  if (judged.claim === 'refused') notes.push(refusedClaim(flight))
  if (judged.refused.length === 0 && judged.claim !== 'refused' && judged.failedGates.length > 0) {
    notes.push(`After iteration ${n}, ${gatesAre(judged.failedGates)} red.`)
  }
  if (ended.uncommitted.length > 0 && judged.passed.length === 0) {
    notes.push(`Iteration ${n} left these files uncommitted: ${listed(ended.uncommitted)}. Commit them or put them right.`)
  }
  if (ended.signals.some((signal) => signal.kind === 'unsigned')) {
    notes.push(
      `Iteration ${n} sent a signal without the code that its prompt gave. Such a signal does not count; use the code of this prompt.`,
    )
  }
  const isSaidDone = ended.signals.some((signal) => signal.kind === 'claimed-done') && ended.flips.length === 0
  if (isSaidDone && judged.verdict === 'worked') notes.push(...saidDone(flight, plan))
  if (ended.signals.some((signal) => signal.kind === 'unclear')) {
    notes.push(
      `Iteration ${n} wrote a signal that does not count: other words stood on its line, words beside it say that work is not done, or it has the broken form in which a prompt quotes it (other brackets, a dot in the marker). If you mean it, send it exactly as described below under "How to signal": with ordinary angle brackets, alone on the last line, nothing above it that denies it.`,
    )
  }
  if (
    ended.reading.status === 'question' &&
    judged.verdict !== 'question' &&
    judged.progress === 'idle' &&
    flight.story !== null
  ) {
    notes.push(
      `Iteration ${n} ended with a question, and nobody is there to answer it. Decide it yourself, or, if only a person can, signal DECIDE as described below.`,
    )
  }
  return notes
}

/** Words alone show nothing: how to show it. */
function saidDone({ story, ended: { signals }, judged }: JudgedFlight, plan: Plan | null): string[] {
  const { iteration, progress, claim } = judged
  if (signals.some(isLeftOpen))
    return [
      `Iteration ${iteration} signalled that everything is done, but its words did not say so. If it is, say so in one English sentence right before the signal; if not, do what is missing.`,
    ]
  if (plan === null)
    return claim === 'none'
      ? [
          `Iteration ${iteration} said that the work is done, but did not send the signal for it: words alone do not count. If everything is done, send the signal as described below under "How to signal"; if not, do what is missing.`,
        ]
      : []
  if (progress !== 'idle' || claim !== 'none') return []
  return [
    `Iteration ${iteration} said that ${story ?? 'its story'} is done and changed nothing, but the plan does not say that it is done. If it is, ${doneMark(plan.file)}: the gates then check it, and nothing else has to change. If it is not, do what is missing.`,
  ]
}

const weakenedChecks = (iteration: number, weakened: string[]): string =>
  `Checks were weakened by the end of iteration ${iteration}: ${listed(weakened)}. Put them back as they were and make the code pass them, unless the story itself asks for it.`

function refusedFlips(judged: EventOf<'iteration.judged'>): string {
  const stories = judged.refused.join(', ')
  if (judged.verdict === 'interrupted')
    return `${stories} was set back to passes: false: iteration ${judged.iteration} was interrupted before its gates and reviews were done.`
  return `${stories} was set back to passes: false after iteration ${judged.iteration}: ${gatesAre(judged.failedGates)} red.`
}

function refusedClaim({ story, ended: { signals }, judged }: JudgedFlight): string {
  const reasons = [
    ...(judged.openStories.length > 0 ? [`these stories are still open: ${listed(judged.openStories)}`] : []),
    ...(judged.failedGates.length > 0 ? [`${gatesAre(judged.failedGates)} red`] : []),
  ]
  const isOfWhole = signals.some((signal) => signal.kind === 'claimed-done' && isForWhole(signal.by))
  if (story !== null && !isOfWhole)
    return `Iteration ${judged.iteration} said that ${story} is done, but the plan does not: set its passes to true if it is, and the gates check it. Until then: ${reasons.join('; ')}.`
  return `Iteration ${judged.iteration} claimed that everything is done. That was refused: ${reasons.join('; ')}.`
}

/** Words and a status block speak of the story that was named; the promise, a plugin and the marker file of everything. */
const isForWhole = (by: Extract<Signal, { kind: 'claimed-done' }>['by']): boolean =>
  by === 'promise' || by === 'plugin' || by === 'marker'
