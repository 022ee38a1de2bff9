/** What a call adds to its story's costs. */
import type { CallEntry } from '../../core/figures/calls.ts'
import type { StoryTook } from '../../core/figures/forecast.ts'
import { sumOf } from '../../core/figures/totals.ts'

export function charge(
  entry: StoryTook & { tokens?: number },
  { role, ms, inputTokens, outputTokens, costUsd }: CallEntry,
): void {
  if (role === 'implementer') entry.iterations += 1
  entry.ms += ms
  if (entry.tokens !== undefined) entry.tokens += inputTokens + outputTokens
  entry.costUsd = sumOf(entry.costUsd, costUsd)
}
