/** Numbers and times as the page shows them: short, aligned, and clear about unknown values. */
import { sayDuration } from '../../../core/text/time.ts'
import type { Instant } from '../../../core/types.ts'
import { localDateTime } from '../../local-time.ts'

export const money = (usd: number | null): string => (usd === null ? 'unknown' : `$${usd.toFixed(2)}`)
/** Below a second, "0.1s" would be too coarse. */
export const duration = (ms: number): string => (ms < 1000 ? `${Math.round(Math.max(0, ms))} ms` : sayDuration(ms))
/** In the zone of the machine that makes the report: a page without scripts cannot know its reader's. */
export const shownTime = (at: Instant | null): string => (at === null || at === '' ? '–' : localDateTime(at).join(' '))

/** Reasons begin in the middle of a sentence. */

/** 12,300 in full, 1.2 M above that. */
export function shownNumber(value: number): string {
  if (value >= 10_000_000) return `${Math.round(value / 1_000_000)} M`
  if (value >= 1_000_000) return `${(value / 1_000_000).toFixed(1)} M`
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',')
}
