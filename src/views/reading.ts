/** How Ralph read an answer, in one line: its meaning, the confidence, and which rule matched which text. */

import { plain } from '../core/text/plain.ts'
import type { Reading } from '../core/types/results.ts'
import { cut } from './log-lines.ts'

export function readingWords({ status, exitSignal, confidence, workType, tests, evidence }: ReadingShown): string {
  if (evidence.length === 0 && confidence === 0 && !exitSignal && workType === '' && tests === '') return silent
  const parts = [
    status === 'unknown' ? 'no signal' : status,
    ...(exitSignal ? ['exit signal'] : []),
    ...(confidence === 0 ? [] : [`confidence ${confidence}`]),
    ...(workType === '' ? [] : [`work ${workType}`]),
    ...(tests === '' ? [] : [`tests ${tests}`]),
  ]
  return plain(`${parts.join(', ')}${evidence.length === 0 ? '' : ` (${evidence.map(short).join('; ')})`}`)
}

/** There was nothing to read in it. */
export const silent = 'no signal'

/** A question is shown whole elsewhere. */
const short = (text: string): string => cut(text.replace(/\s+/g, ' '), 100)

/** Its signals are shown by their effects. */
export type ReadingShown = Omit<Reading, 'signals'>

export const shownReading = ({ signals: _signals, ...shown }: Reading): ReadingShown => shown
