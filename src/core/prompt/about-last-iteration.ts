/** What the next iteration must know about the last one, in sentences that the agent can act on. */
import { doneMark, gatesAre, listed } from '../plan/stories.ts'
import { type FindingHeading, headingOf, undeclared, wordsOf } from '../proof/finding.ts'
import { isLeftOpen } from '../reading/needs-person.ts'
import type { JudgedFlight } from '../state.ts'
import type { EventOf, Plan, Signal } from '../types.ts'

export function addedByJudgement(flight: JudgedFlight, plan: Plan | null): string[] {
  const { ended, judged } = flight
  const notes: string[] = []
  const n = judged.iteration
  if (ended.exit === 'timeout') notes.push(`Iteration ${n} timed out. Work in smaller steps and commit early.`)
  if (ended.exit === 'circling')
    notes.push(`Iteration ${n} was stopped early: ${judged.because}. Do not try the same again: find another approach.`)
  if (ended.exit === 'lost' && flight.mode !== 'check')
    notes.push(`Iteration ${n} was interrupted from outside. Check the state of the tree before you continue.`)
  for (const repair of ended.repairs) notes.push(`The plan was corrected after iteration ${n}: ${repair}.`)
  for (const [heading, found] of Map.groupBy(undeclared(ended.findings), headingOf))
    notes.push(toFix[heading](n, listed(wordsOf(found))))
  // Gates that failed are quoted as what failed before.
  if (judged.refused.length > 0 && judged.verdict === 'interrupted') notes.push(interruptedFlips(judged))
  if (judged.claim === 'refused') notes.push(refusedClaim(flight))
  if (ended.uncommitted.length > 0 && judged.passed.length === 0) {
    notes.push(`Iteration ${n} left these files uncommitted: ${listed(ended.uncommitted)}. Commit, fix or remove them.`)
  }
  if (ended.signals.some((signal) => signal.kind === 'unsigned')) {
    notes.push(
      `Iteration ${n} sent a signal without the code from its prompt, so it did not count. Use the code from this prompt.`,
    )
  }
  const isSaidDone = ended.signals.some((signal) => signal.kind === 'claimed-done') && ended.flips.length === 0
  if (isSaidDone && judged.verdict === 'worked') notes.push(...saidDone(flight, plan))
  if (ended.signals.some((signal) => signal.kind === 'unclear')) {
    notes.push(
      `Iteration ${n} wrote a signal that did not count: it was not alone on its line, the words around it say that work is not done, or it has the altered form in which a prompt quotes it (other brackets, a dot in the marker). If you mean it, send it exactly as described under "How to signal": with ordinary angle brackets, alone on the last line, and with nothing above it that contradicts it.`,
    )
  }
  if (
    ended.reading.status === 'question' &&
    judged.verdict !== 'question' &&
    judged.progress === 'idle' &&
    flight.story !== null
  ) {
    notes.push(
      `Iteration ${n} ended with a question, but nobody is there to answer. Decide yourself, or, if only a person can decide, signal DECIDE as described under "How to signal".`,
    )
  }
  return notes
}

/** Words alone prove nothing: how to show it. */
function saidDone({ story, ended: { signals }, judged }: JudgedFlight, plan: Plan | null): string[] {
  const { iteration, progress, claim } = judged
  if (signals.some(isLeftOpen))
    return [
      `Iteration ${iteration} sent the done signal, but its words did not say that everything is done. If it is, say so in one English sentence right before the signal; if not, do what is missing.`,
    ]
  if (plan === null)
    return claim === 'none'
      ? [
          `Iteration ${iteration} said that the work is done, but did not send the done signal, so it did not count. If everything is done, send the signal as described under "How to signal"; if not, do what is missing.`,
        ]
      : []
  if (progress !== 'idle' || claim !== 'none') return []
  return [
    `Iteration ${iteration} said that ${story ?? 'its story'} is done and changed nothing, but did not mark it in the plan. If it is done, ${doneMark(plan.file)}: the gates then check it, and you need not change anything else. If not, do what is missing.`,
  ]
}

const toFix: Record<FindingHeading, (iteration: number, found: string) => string> = {
  'weakened check': (iteration, found) =>
    `Checks were weakened in iteration ${iteration}: ${found}. Restore them and make the code pass them, unless the story itself asks for the change.`,
  'unfinished work': (iteration, found) =>
    `The work of iteration ${iteration} looks unfinished: ${found}. Do what the story asks for.`,
  'weak test': (iteration, found) =>
    `The tests of iteration ${iteration} show little: ${found}. Add tests that fail without the work and pass with it.`,
  'review finding': (iteration, found) => `The work of iteration ${iteration} ${found}.`,
  'suspicious code': (iteration, found) =>
    `The code of iteration ${iteration} looks written for its tests: ${found}. Make it right for every input, tested or not.`,
}

const interruptedFlips = ({ refused, iteration }: EventOf<'iteration.judged'>): string =>
  `${refused.join(', ')} was set back to passes: false: iteration ${iteration} was interrupted before its gates and reviews finished.`

function refusedClaim({ story, ended: { signals }, judged }: JudgedFlight): string {
  const reasons = [
    ...(judged.openStories.length > 0 ? [`these stories are still open: ${listed(judged.openStories)}`] : []),
    ...(judged.failedGates.length > 0 ? [`${gatesAre(judged.failedGates)} red`] : []),
  ]
  const isOfWhole = signals.some((signal) => signal.kind === 'claimed-done' && isForWhole(signal.by))
  if (story !== null && !isOfWhole)
    return `Iteration ${judged.iteration} said that ${story} is done, but the plan does not. If it is, set its passes to true, and the gates check it. Still open: ${reasons.join('; ')}.`
  return `Iteration ${judged.iteration} claimed that everything is done. Rejected: ${reasons.join('; ')}.`
}

/** Words and a status block are about the named story; the promise, a plugin and the marker file are about everything. */
const isForWhole = (by: Extract<Signal, { kind: 'claimed-done' }>['by']): boolean =>
  by === 'promise' || by === 'plugin' || by === 'marker'
