/** What follows from the facts: the state of a feature, as folding its log gives it. */
import type { Breaker, Ended, EventOf, GateResult, Instant, Mode, Outcome, Plan, Policy, Repo, RunId, StoryId } from './types.ts'

/** An iteration that has started and is not settled yet. */
export type Flight = {
  iteration: number
  story: StoryId | null
  attempt: number
  mode: Mode
  startedAt: Instant
  isStopping: boolean
  ended?: Ended
  gates: 'none' | 'running' | GateResult[]
  judged?: EventOf<'iteration.judged'>
}

/** Why a story's last attempts were refused: what the next prompt quotes. */
export type Refusal = { iteration: number; because: string; gates: GateResult[] }

export type StoryState = {
  /** Iterations spent on it, and those of them that failed. */
  attempts: number
  failedAttempts: number
  /** The agent's session of the last iteration on it, if the next may go on with it. */
  session?: { id: string; at: Instant; costUsd: number | null }
  /** The last attempt was refused by a hard gate: the next one is a fix. */
  lastRefused: boolean
  refusals: Refusal[]
  receipt?: {
    iteration: number
    proven: boolean
    commits: string[]
    tree: string
    gates: Omit<GateResult, 'output'>[]
    given: boolean
  }
}

export type State = {
  feature: string
  run: RunId
  at: Instant
  runStartedAt: Instant
  pid: number
  plan: Plan | null
  policy: Policy
  repo: Repo
  dirtyAtStart: string[]
  outcome?: { outcome: Outcome; because: string }
  /** Last iteration number, over the feature's whole life; iterations of this run that count toward the limit. */
  iteration: number
  used: number
  call: { last: number; phase: 'none' | 'requested' | 'granted' }
  flights: Flight[]
  waiting?: { until: Instant; for: 'rate' | 'usage-limit' | 'retry' }
  /** A call that the rate limit refused, or an iteration lost to the provider: what the next wait is for. */
  refusedCall?: { until: Instant }
  retryDue?: { by: 'rate' | 'overload' | 'unreachable' | 'login'; until?: Instant; message: string }
  /** The provider's usage limit, and what is done about it; 'asked': the question is on the terminal. */
  limit?: { until?: Instant; message: string; choice: 'open' | 'asked' | 'wait' | 'exit' }
  pause: 'none' | 'requested' | 'paused'
  stop?: { by: 'user' | 'SIGINT' | 'SIGTERM' | 'SIGHUP'; now: boolean }
  stories: Record<StoryId, StoryState>
  breaker: Breaker
  breakerHistory: { at: Instant; from: Breaker['state']; to: Breaker['state']; because: string }[]
  /** The check of the whole: did every hard gate pass after the last change? */
  check: { phase: 'due' | 'green' } | { phase: 'running'; isStopping: boolean } | { phase: 'red'; results: GateResult[] }
  /** Completion answers, testing-only answers and retries in a row. */
  inARow: { done: number; testing: number; retries: number; refusedLogins: number }
  /** Budgets whose near end was told. */
  warned: string[]
  /** The story whose last iteration did nothing but ask. */
  asked?: { story: StoryId | null; times: number }
  /** The last five of each, newest last: shown, so that a person sees what the counters saw. */
  indicators: { done: number[]; testing: number[]; claims: number[] }
  seen: Seen
  last?: { iteration: number; story: StoryId | null; ended: Ended; judged: EventOf<'iteration.judged'> }
  /** What the next iteration must be told, until one has truly seen it. */
  tell: { text: string; since: number }[]
  answer?: { question: string; text?: string; iteration: number; story: StoryId | null }
  blocked?: { reason: string; iteration: number }
  totals: Totals
  taken: string[]
}

/** Content identities that this run has seen: buckets, so that adding one copies little. */
export type Seen = { size: number; buckets: readonly (readonly string[])[] }

export type Totals = {
  calls: number
  iterations: number
  idle: number
  claimsRefused: number
  agentMs: number
  gateMs: number
  inputTokens: number
  outputTokens: number
  /** What is known of the cost, and iterations that did not say theirs. */
  costUsd: number
  unpriced: number
  attempted: StoryId[]
}
