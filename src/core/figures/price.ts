/** What a call cost: known, unknown, or by its tokens. */
import type { Usage } from '../types.ts'

/** Of what took no call. */
export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, costUsd: 0 }

/** Of a call that reported nothing. */
export const unknownUsage: Usage = { inputTokens: 0, outputTokens: 0, costUsd: null }

/** In USD per million tokens. */
export type Price = { input: number; output: number; cache_read?: number; cache_write?: number }

/** By the price list, if the agent reports tokens but no cost. No tokens at all: not reported. */
export function withPrice(
  usage: Usage,
  model: string,
  { settings }: { settings: { prices: Record<string, Price>; model: string } },
): Usage {
  if (usage.costUsd !== null || usage.inputTokens + usage.outputTokens === 0) return usage
  const price = settings.prices[model] ?? settings.prices[settings.model]
  if (price === undefined) return usage
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage
  const plain = inputTokens - cacheReadTokens - cacheWriteTokens
  const cached = cacheReadTokens * (price.cache_read ?? price.input) + cacheWriteTokens * (price.cache_write ?? price.input)
  return { ...usage, costUsd: (plain * price.input + outputTokens * price.output + cached) / 1_000_000 }
}
