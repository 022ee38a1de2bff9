/** Words of the core that need no other type: names, scopes, results of an iteration or a run, and what is counted. */

/** ISO 8601 in UTC with milliseconds: sorts as text. */
export type Instant = string
export type StoryId = string
export type RunId = string
export type Role = 'implementer' | 'reviewer' | 'learner'
export type Mode = 'implement' | 'fix' | 'review' | 'check' // check: no agent, only gates and reviewers
/** What a check, a review or a stop is about: an iteration, by its number, or the whole as it stands, without one. */
export type Scope = number | 'whole'
/** As logs and the names of files have it. */
export const scopeNumber = (scope: Scope): number => (scope === 'whole' ? 0 : scope)
export const scopeOf = (number: number): Scope => (number === 0 ? 'whole' : number)

/** 'circling' and 'over-budget': ended by the live watch. */
export type Exit = 'ok' | 'failed' | 'timeout' | 'circling' | 'over-budget' | 'stopped' | 'lost'
export type Progress = 'made' | 'neutral' | 'idle'
export type Verdict = 'done' | 'worked' | 'failed' | 'blocked' | 'question' | 'throttled' | 'unreadable' | 'interrupted' | 'lost'

/** The state of the repository, without `.ralph/`. */
export type Repo = {
  /** The commit, or null outside git. */
  head: string | null
  /** Hash of the committed content (outside git: of the files). */
  tree: string
  /** Hash of uncommitted changes; empty: none. */
  dirt: string
}

export type Usage = {
  /** All of them, including cache reads and writes. 0 in and out, and a cost that is not 0: the agent does not report them. */
  inputTokens: number
  outputTokens: number
  /** null: the agent does not report it. */
  costUsd: number | null
  cacheReadTokens?: number
  cacheWriteTokens?: number
}

/** What has a budget: a run's cost, tokens and time, and what the user's runs cost on a day and in a month. */
export type BudgetName = 'cost' | 'tokens' | 'time' | Envelope['which']

/** A budget over all runs and projects of the user, as it was when a call was asked for: what is spent of it, and when it starts again. */
export type Envelope = {
  which: 'day' | 'month'
  usedUsd: number
  limitUsd: number
  until: Instant
  /** Calls whose cost nobody knows. */
  unknown: number
}

/** How a run ends. */
export type Outcome =
  | 'complete'
  | 'blocked'
  | 'question'
  | 'login'
  | 'agent-unusable'
  | 'limited'
  | 'budget'
  | 'testing-only'
  | 'gate-missing'
  | 'stuck'
  | 'stories-failed'
  | 'incomplete'
  | 'interrupted'

/** The states of the circuit breaker, and its rules: of several that apply, the first. */
export type BreakerState = 'closed' | 'half-open' | 'open'
export const ruleNames = ['no-progress', 'same-error', 'output-decline', 'permission-denied', 'stories-alike'] as const
export type Rule = (typeof ruleNames)[number]

/** When a command of the user's runs. Those named before.* come before something, and may refuse it. */
export const hookNames = [
  'run.started',
  'iteration.ended',
  'story.passed',
  'story.failed',
  'question.asked',
  'breaker.opened',
  'run.ended',
  'before.iteration',
  'before.commit',
  'before.landing',
] as const
export type HookName = (typeof hookNames)[number]
