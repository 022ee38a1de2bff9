/** How Ralph read an answer, in one line: its meaning, the confidence, and which rule matched which text. */
import type { Reading } from '../core/results.ts'
import { plain } from '../core/text/plain.ts'

export function readingWords({ status, exitSignal, confidence, workType, tests, evidence }: ReadingShown): string {
  const parts = [
    status === 'unknown' ? 'no signal' : status,
    ...(exitSignal ? ['exit signal'] : []),
    `confidence ${confidence}`,
    ...(workType === '' ? [] : [`work ${workType}`]),
    ...(tests === '' ? [] : [`tests ${tests}`]),
  ]
  return plain(`${parts.join(', ')}${evidence.length === 0 ? '' : ` (${evidence.join('; ').replace(/\s+/g, ' ')})`}`)
}

/** Its signals are shown by their effects. */
export type ReadingShown = Omit<Reading, 'signals'>

export const shownReading = ({ signals: _signals, ...shown }: Reading): ReadingShown => shown
