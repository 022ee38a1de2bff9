/** Why a run may not start: the breaker is open, or a person must resolve something first. */
import { readIfThere } from '../../adapters/files/files.ts'
import { blockedPath } from '../../adapters/project/layout.ts'
import { breakerDue } from '../../core/decide/breaker.ts'
import { nextTarget } from '../../core/decide/next-story.ts'
import { exitCode } from '../../core/exit-codes.ts'
import { openQuestions } from '../../core/plan/questions.ts'
import type { State } from '../../core/state.ts'
import type { Instant, Policy } from '../../core/types.ts'
import { sayLocal } from '../../views/local-time.ts'
import { writtenQuestions } from '../people/decide-file.ts'

/** What files ask of a person without a run: somebody wrote them by hand. */
export type HandWritten = { blocked: string | null; asked: string[] }

export const handWritten = (dir: string, state: State): HandWritten => ({
  blocked: state.blocked === undefined ? readIfThere(blockedPath(dir)) : null,
  asked: writtenQuestions(dir, state).flatMap(({ question, answer }) => (answer === '' ? [question] : [])),
})

/** `spent`: that the budget of the day or month is, in words. */
export function refusal(
  state: State,
  policy: Policy,
  { at, label, files, spent }: { at: Instant; label: string; files: HandWritten; spent: string[] | null },
): { exit: number; lines: string[] } | null {
  if (state.blocked !== undefined || files.blocked !== null) {
    const what =
      state.blocked === undefined
        ? `Blocked: ${files.blocked?.trim() || `${label}/blocked.txt exists, but is empty.`}`
        : `Blocked since iteration ${state.blocked.iteration}: ${state.blocked.reason}`
    return {
      exit: 2,
      lines: [what, `Resolve it, then: ralph unblock "<note>" (or delete ${label}/blocked.txt), and run again.`],
    }
  }
  const asked = openQuestions(state)
  if (asked.length > 0 && !canGoOn(state, policy)) {
    return {
      exit: 3,
      lines: [
        ...asked.map(({ iteration, story, question }) =>
          story === null || asked.length === 1
            ? `Iteration ${iteration} asks: ${question}`
            : `Iteration ${iteration} asks for ${story}: ${question}`,
        ),
        `Answer with: ralph answer "<your decision>"${asked.length > 1 ? ' --story <id>' : ''} (or below the --- in ${label}/decide.txt), then run again.`,
      ],
    }
  }
  if (files.asked.length > 0) {
    return {
      exit: 3,
      lines: [
        ...files.asked.map((question) => `${label}/decide.txt asks: ${question}`),
        'Answer with: ralph answer "<your decision>" (or below the --- in the file), or delete the file, then run again.',
      ],
    }
  }
  if (state.breaker.state === 'open' && breakerDue(state.breaker, policy, at) === null) {
    return {
      exit: 4,
      lines: [
        `The circuit breaker is OPEN since ${sayLocal(state.breaker.changedAt, at)}: ${state.breaker.because}`,
        `Look at ${label}/logs and fix the prompt, the plan or the environment; ralph why explains.`,
        'Then close it with: ralph breaker reset (or ralph run --reset-circuit)',
      ],
    }
  }
  if (spent !== null && nextTarget({ ...state, policy, flights: [] }) !== null) return { exit: exitCode('budget'), lines: spent }
  return null
}

/** Parked questions leave other stories alone; one without a story blocks everything. */
const canGoOn = (state: State, policy: Policy): boolean =>
  policy.decide === 'park' &&
  openQuestions(state).every(({ story }) => story !== null) &&
  nextTarget({ ...state, policy, flights: [] }) !== null
