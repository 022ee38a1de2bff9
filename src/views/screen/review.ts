/** How a reviewer answered, on the screen. */
import { findingLine } from '../../core/review/findings.ts'
import { sayDuration } from '../../core/text/time.ts'
import type { EventOf } from '../../core/types.ts'
import { line, type ScreenLine } from './line.ts'

export function reviewLines({ review, agent, result, problem, throttled }: EventOf<'review.ended'>): ScreenLine[] {
  if (throttled) return [line('warn', `  · ${review} review interrupted by the provider: ${throttled.message}`)]
  if (problem !== undefined) return [line('warn', `  ! could not read the answer from ${agent}: ${problem}`)]
  if (result === undefined) return [line('warn', `  · ${review} review stopped`)]
  const took = `${sayDuration(result.durationMs)}, by ${agent}`
  if (result.passed)
    return [
      line('good', `  ✓ ${review} review passed (${took})`),
      ...(result.findings ?? []).map((finding) => line('warn', `  ! ${findingLine(finding)}`)),
    ]
  const findings = result.output.split('\n').filter((text) => text.trim() !== '')
  const shown = findings.slice(0, 6).map((text) => line('plain', `      ${text}`))
  const head =
    review === 'quality'
      ? line('warn', `  ! quality review found problems (${took})`)
      : line('bad', `  ✗ ${review} review failed (${took})`)
  return [head, ...shown, ...(findings.length > 6 ? [line('dim', `      … ${findings.length - 6} more in the log`)] : [])]
}
