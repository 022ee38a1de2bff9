/** The nouns of the program as types: what stories, plans, policies, gates and signals are. */

/** ISO 8601 in UTC with milliseconds: sorts as text. */
export type Instant = string
export type StoryId = string
export type RunId = string
export type Role = 'implementer' | 'reviewer' | 'learner'
export type Mode = 'implement' | 'fix' | 'review' | 'check' // check: no agent, only gates and reviewers
/** What a reviewer is asked: is the story done as its criteria say, is it done well, is the whole done? */
export type Review = 'spec' | 'quality' | 'final'
/** What a check, a review or a stop is about: an iteration, by its number, or the whole as it stands, without one. */
export type Scope = number | 'whole'
/** As logs and the names of files have it. */
export const scopeNumber = (scope: Scope): number => (scope === 'whole' ? 0 : scope)
export const scopeOf = (number: number): Scope => (number === 0 ? 'whole' : number)

export type Story = {
  id: StoryId
  title: string
  /** 1 is first; ties go by place in the file. */
  priority: number
  passes: boolean
  dependsOn: StoryId[]
  /** Out of the count: marked by a person, or under a heading such as "Optional". */
  skip: boolean
  /** Completion words in an iteration on this story count as an explicit exit signal. */
  exitSignal: boolean
  /** Hard gates of this story alone: name to command. */
  gates: Record<string, string>
  /** Files and folders that it will change, where the plan says so: two such stories are not worked on at once. */
  touches?: string[]
  failed?: StoryFailure
  agent?: string
  model?: string
}
export type StoryFailure = { branch: string; reason: string; at: Instant }

export type Plan = {
  /** The plan file's name, such as prd.json. */
  file: string
  branch: string
  stories: Story[]
  /** Whether the format can hold `failed` and `skip`, or the log must. */
  marks: 'file' | 'log'
}

/** What the core must know of the settings: read once at the start of a run, and in the log with it. */
export type Policy = {
  maxIterations: number
  maxAttempts: number
  maxRetries: number
  /** Idle iterations in a row that open the breaker; 0: never. */
  maxStuck: number
  /** The breaker's other thresholds; 0: off. */
  sameError: number
  declinePercent: number
  maxDenied: number
  /** Minutes after which an open breaker tries again; 0: never. */
  cooldownMinutes: number
  doneSignals: number
  testLoops: number
  pick: 'ralph' | 'agent'
  /** At the provider's usage limit: wait for its reset, end, or ask the person at the terminal. */
  onLimit: 'wait' | 'exit' | 'ask'
  /** Whether the agent's own session goes on from one iteration of a story to the next. */
  session: 'fresh' | 'resume'
  /** What the run may spend; null: no limit. */
  budget: { costUsd: number | null; tokens: number | null; durationMs: number | null }
  /** A question to a person ends the run, or waits beside the work that does not need its answer. */
  decide: 'stop' | 'park'
  /** Time inside agents and gates after which a story is told to be slow, and after which it fails. */
  storyMs: { soft: number; hard: number }
  /** By which time limits were multiplied; absent: 1. */
  timeoutMultiplier?: number
  /** Run this story alone. */
  only?: StoryId
  gates: Gate[]
  /** Gates that were red before the run: as any other, or tolerated while they stay red in the same way. */
  baseline: 'strict' | 'tolerate'
  /** Weakened checks: told, or a reason to refuse. */
  tamper: 'warn' | 'refuse'
  /** Agents that review: each flip against its criteria, each flip for its quality, the whole before the end. */
  review: { spec?: string; quality?: string; final: string[] }
  /** Who learns from finished stories, and after how many of them the lessons are gathered; `atEnd`: new ones are written down at the end too. */
  learn?: { agent: string; aggregateEvery: number; atEnd?: true }
  agent: string
  workers: number
}

/** One observation out of a transcript, with its evidence. */
export type Signal =
  | {
      kind: 'claimed-done'
      by: 'promise' | 'status-block' | 'keywords' | 'plugin' | 'marker'
      /** Of a plugin's claim, or of the marker file. */
      name?: string
      exitSignal: boolean
      evidence: string
    }
  | { kind: 'stop'; name: string; reason: string; evidence: string } // a plugin's: the run ends after this iteration
  | { kind: 'blocked'; reason: string; evidence: string }
  | { kind: 'question'; text: string; evidence: string }
  | { kind: 'asked'; text: string; evidence: string } // a question at the end of an answer, to someone who is not there
  | { kind: 'testing-only'; evidence: string }
  | { kind: 'unsigned'; evidence: string } // a signal without the iteration's code: recorded, answered in the next prompt
  | { kind: 'unclear'; evidence: string } // amid words that may deny it, or copied as a prompt shows it: the same
  | { kind: 'throttled'; by: 'usage-limit' | 'rate' | 'overload' | 'unreachable' | 'login'; until?: Instant; message: string }
  /** `in`: of an agent that ended well: in its last words, or in the last result that a tool of it had. */
  | { kind: 'error'; hash: string; message: string; in?: 'words' | 'tool' }
  | { kind: 'permission-denied'; tool: string }

/** 'circling' and 'over-budget': ended by the live watch. */
export type Exit = 'ok' | 'failed' | 'timeout' | 'circling' | 'over-budget' | 'stopped' | 'lost'
export type Progress = 'made' | 'neutral' | 'idle'
export type Verdict = 'done' | 'worked' | 'failed' | 'blocked' | 'question' | 'throttled' | 'interrupted' | 'lost'

/** The repository as it stands, without `.ralph/`. */
export type Repo = {
  /** The commit, or null outside git. */
  head: string | null
  /** Identity of the committed content (outside git: of the files). */
  tree: string
  /** Identity of what is uncommitted; empty: nothing. */
  dirt: string
}

export type Usage = {
  /** All of them, with what was read from and written to a cache. */
  inputTokens: number
  outputTokens: number
  /** null: the agent does not say. */
  costUsd: number | null
  cacheReadTokens?: number
  cacheWriteTokens?: number
}

/** `soft`: run on a flip, warns and never blocks. */
export type Gate = { name: string; command: string; story?: StoryId /** only for a flip of this story */; soft?: true }

/** What a check is: a command of the user's, a reviewer's answer, or one of Ralph's own. */
export type CheckKind = 'command' | 'review' | 'landing' | 'tamper' | 'commit' | 'branch'
export type GateResult = {
  name: string
  kind: CheckKind
  /** Set for a story's own gate: its failure refuses that story alone. */
  story?: StoryId
  /** Red, and no reason to refuse anything: a soft gate, or one that was red in the same way before the run. */
  soft?: true
  tolerated?: true
  command: string
  passed: boolean
  exitCode: number | null
  /** Why it failed where the exit code does not say: a time limit, a stop. */
  ended: 'exited' | 'timeout' | 'stopped' | 'missing'
  durationMs: number
  /** Verbatim, cut to 100 lines; the whole of it is in the iteration's log. */
  output: string
  outputHash: string
}

/** How a run ends. */
export type Outcome =
  | 'complete'
  | 'blocked'
  | 'question'
  | 'login'
  | 'limited'
  | 'budget'
  | 'testing-only'
  | 'stuck'
  | 'stories-failed'
  | 'incomplete'
  | 'interrupted'

/** The circuit breaker's, and what opens it: of several that are due, the first. */
export type BreakerState = 'closed' | 'half-open' | 'open'
export const ruleNames = ['no-progress', 'same-error', 'output-decline', 'permission-denied', 'stories-alike'] as const
export type Rule = (typeof ruleNames)[number]
