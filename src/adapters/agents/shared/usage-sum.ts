/** Usage of a call so far, for agents that report it request by request. */
import type { Entry } from '../../../core/reading/transcript.ts'
import type { Usage } from '../../../core/types.ts'

/** Usage of one request; `input` excludes cache reads and writes. */
export type RequestUsage = { input: number; output: number; cacheRead: number; cacheWrite: number; costUsd: number }

export function usageSum(): (request: RequestUsage) => Entry {
  let total: Usage & { costUsd: number } = { inputTokens: 0, outputTokens: 0, costUsd: 0 }
  return ({ input, output, cacheRead, cacheWrite, costUsd }) => {
    const contextTokens = input + cacheRead + cacheWrite
    const [cacheReadTokens, cacheWriteTokens] = [
      (total.cacheReadTokens ?? 0) + cacheRead,
      (total.cacheWriteTokens ?? 0) + cacheWrite,
    ]
    total = {
      inputTokens: total.inputTokens + contextTokens,
      outputTokens: total.outputTokens + output,
      costUsd: total.costUsd + costUsd,
      ...(cacheReadTokens > 0 ? { cacheReadTokens } : {}),
      ...(cacheWriteTokens > 0 ? { cacheWriteTokens } : {}),
    }
    return { kind: 'usage', usage: total, contextTokens }
  }
}
