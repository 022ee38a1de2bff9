/** Arithmetic on instants and durations: text in, text out, no clock. */
import type { Instant } from '../types.ts'

export const instantOf = (epochMs: number): Instant => new Date(epochMs).toISOString()
export const epochMs = (at: Instant): number => Date.parse(at)
export const later = (at: Instant, ms: number): Instant => instantOf(epochMs(at) + ms)
export const msBetween = (from: Instant, to: Instant): number => epochMs(to) - epochMs(from)

/** The longest possible timer: a longer one would fire at once. */
export const longestTimerMs = 2 ** 31 - 1

/** 90s, 15m, 1h, 1h30m, 250ms, or a bare number of minutes; undefined: not a duration. */
export function parseDuration(text: string): number | undefined {
  const trimmed = text.trim()
  if (/^\d+(\.\d+)?$/.test(trimmed)) return Number(trimmed) * 60_000
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(trimmed)) return undefined
  const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
  let total = 0
  for (const [, amount, unit] of trimmed.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g))
    total += Number(amount) * unitMs[unit as keyof typeof unitMs]
  return total
}

/** 47m 23s. A negative duration, after a clock was set back, is 0. */
export function sayDuration(givenMs: number): string {
  const ms = Math.max(0, givenMs)
  const seconds = Math.round(ms / 1000)
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)}s`
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}m ${seconds % 60}s`
  return `${Math.floor(minutes / 60)}h ${minutes % 60}m`
}
