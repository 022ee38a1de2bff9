/** What a run has used. */
import type { Role, StoryId } from './words.ts'

export type Totals = {
  /** Ended or lost. */
  calls: number
  iterations: number
  idle: number
  claimsRefused: number
  agentMs: number // of all roles
  gateMs: number
  /** The known tokens, and calls without any. */
  inputTokens: number
  outputTokens: number
  uncounted: number
  /** The known cost, and calls without one, with their tokens. */
  costUsd: number
  unpriced: number
  unpricedTokens: number
  /** The dearest call. */
  dearestUsd: number
  /** Cost of failed attempts. */
  failedUsd: number
  byRole: Record<Role, RoleTotals>
  attempted: StoryId[]
}

export type RoleTotals = { calls: number; costUsd: number; unpriced: number; ms: number }
