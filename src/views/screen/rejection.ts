/** Why Ralph itself rejects a story, where no gate and no reviewer has said it. */
import { isRed } from '../../core/decide/gates.ts'
import { undeclared } from '../../core/proof/finding.ts'
import { judgedResults } from '../../core/proof/grade.ts'
import type { EndedFlight, State } from '../../core/state.ts'
import type { ScreenLine } from './line.ts'

const mostLines = 6

/** Without what is shown as a finding. */
export function rejectionLines(state: State, flight: EndedFlight): ScreenLine[] {
  const shown = undeclared(flight.ended.findings).map(({ words }) => words)
  return judgedResults(state, flight)
    .filter((result) => isRed(result) && (result.kind === 'proof' || result.kind === 'tamper'))
    .flatMap(({ kind, output }) => output.split('\n').slice(0, kind === 'tamper' ? -1 : undefined)) // what its agent must do comes last
    .filter((text) => text !== '' && !shown.includes(text))
    .slice(0, mostLines)
    .map((text) => ({ tone: 'plain', text: `      ${text}` }))
}
