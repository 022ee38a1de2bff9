/** What a call cost: known, unknown, or by its tokens. */
import type { Usage } from '../types.ts'

/** Of what took no call. */
export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, costUsd: 0 }

/** Of a call that reported nothing. */
export const unknownUsage: Usage = { inputTokens: 0, outputTokens: 0, costUsd: null }

/** No call that reached a model took no tokens: the zeros of such a call are no figures, unless it is known to have cost nothing. */
export const isUntold = ({
  inputTokens,
  outputTokens,
  costUsd,
}: Pick<Usage, 'inputTokens' | 'outputTokens' | 'costUsd'>): boolean => inputTokens + outputTokens === 0 && costUsd !== 0

/** In USD per million tokens. */
export type Price = { input: number; output: number; cache_read?: number; cache_write?: number }

/** By the price list, if the agent reports tokens but no cost. No tokens at all: not reported. `asked`: the model that it was started with. */
export function withPrice(
  usage: Usage,
  model: string,
  { settings, asked = settings.model }: { settings: { prices: Record<string, Price>; model: string }; asked?: string },
): Usage {
  if (usage.costUsd !== null || usage.inputTokens + usage.outputTokens === 0) return usage
  const price = settings.prices[model] ?? settings.prices[asked]
  if (price === undefined) return usage
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage
  const plain = inputTokens - cacheReadTokens - cacheWriteTokens
  const cached = cacheReadTokens * (price.cache_read ?? price.input) + cacheWriteTokens * (price.cache_write ?? price.input)
  return { ...usage, costUsd: (plain * price.input + outputTokens * price.output + cached) / 1_000_000 }
}
