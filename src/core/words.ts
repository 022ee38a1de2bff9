/** The nouns of the program as types: stories, plans, policies, gates and signals. */

/** ISO 8601 in UTC with milliseconds: sorts as text. */
export type Instant = string
export type StoryId = string
export type RunId = string
export type Role = 'implementer' | 'reviewer' | 'learner'
export type Mode = 'implement' | 'fix' | 'review' | 'check' // check: no agent, only gates and reviewers
/** A reviewer's question: does the story meet its criteria, is it done well, is everything done? */
export type Review = 'spec' | 'quality' | 'final'
/** What a check, a review or a stop is about: an iteration, by its number, or the whole as it stands, without one. */
export type Scope = number | 'whole'
/** As logs and the names of files have it. */
export const scopeNumber = (scope: Scope): number => (scope === 'whole' ? 0 : scope)
export const scopeOf = (number: number): Scope => (number === 0 ? 'whole' : number)

export type Story = {
  id: StoryId
  title: string
  /** 1 is first; ties go by position in the file. */
  priority: number
  passes: boolean
  dependsOn: StoryId[]
  /** Skipped: by a person, or under a heading such as "Optional". */
  skip: boolean
  /** Completion words in an iteration on this story count as an explicit exit signal. */
  exitSignal: boolean
  /** Hard gates for this story only: name to command. */
  gates: Record<string, string>
  /** Files and folders that it will change, if the plan says so: two such stories do not run in parallel. */
  touches?: string[]
  /** It says itself that it changes tests: suspicions about them are for its reviewer alone. */
  changesTests?: true
  /** The least proof that it needs, instead of the run's. */
  proof?: Grade
  /** What it is, in a word of the plan: `feature`, `fix`, `docs`, `refactor`, `chore`. */
  kind?: string
  /** The issue that it comes from: its URL, or a tracker and an id, such as `beads:bd-7`. */
  source?: string
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
  /** Whether the format can store `failed` and `skip`, or the log must. */
  marks: 'file' | 'log'
}

/** The settings that the core needs: read once at the start of a run, and stored in its log. */
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
  /** Whether the agent's session is resumed in the next iteration of a story. */
  session: 'fresh' | 'resume'
  /** What the run may spend; null: no limit. */
  budget: { costUsd: number | null; tokens: number | null; durationMs: number | null }
  /** A question to a person ends the run, or waits while other work continues. */
  decide: 'stop' | 'park'
  /** Time inside agents and gates after which a story is reported as slow, and after which it fails. */
  storyMs: { soft: number; hard: number }
  /** The multiplier of time limits; absent: 1. */
  timeoutMultiplier?: number
  /** Run only this story. */
  only?: StoryId
  gates: Gate[]
  /** Gates that failed before the run: like any other, or tolerated while they fail the same way. */
  baseline: 'strict' | 'tolerate'
  /** A gate that cannot run before the first iteration ends the run. Absent: an older log, or the gates are tolerated. */
  missingTools?: 'stop'
  /** Weakened checks: reported, or a reason to reject. */
  tamper: 'warn' | 'refuse'
  /**
   * What is done about a suspicion, which grade a pass needs, and when checks are cross-examined. Absent: an older log. `heldOut`: when held-out checks run;
   * what they are is in no log. `mutants`: how many of a story's lines are tried; absent: none.
   */
  proof?: {
    suspicion: 'reserve' | 'ask' | 'refuse'
    minimum: Grade
    crossExamine: 'auto' | 'always' | 'off'
    heldOut?: 'flip' | 'complete'
    mutants?: number
  }
  /** Reviewers: of each flip against its criteria, of each flip's quality, of all changes before the end. */
  review: { spec?: string; quality?: string; final: string[] }
  /** Who learns from finished stories, and after how many of them lessons are collected; `atEnd`: new ones are also collected at the end. */
  learn?: { agent: string; aggregateEvery: number; atEnd?: true }
  agent: string
  /** Who takes a call while the named agent is at its usage limit, in order, by role. Absent: nobody; the run waits. */
  fallback?: Record<Role, string[]>
  workers: number
  /** Which hooks the user has set. Absent: none. */
  hooks?: HookName[]
}

/** A criterion as the plan has it, and as an agent proposes it. */
export type Proposal = { before: string; after: string }

/** One observation from a transcript, with its evidence. */
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
  | { kind: 'question'; text: string /** a change of a criterion that would settle it */; proposal?: Proposal; evidence: string }
  | { kind: 'asked'; text: string; evidence: string } // a question at the end of an answer, to someone who is not there
  | { kind: 'testing-only'; evidence: string }
  | { kind: 'unsigned'; evidence: string } // a signal without the iteration's code: recorded, answered in the next prompt
  | { kind: 'unclear'; evidence: string } // amid words that may deny it, or copied from a prompt: the same
  | { kind: 'throttled'; by: 'usage-limit' | 'rate' | 'overload' | 'unreachable' | 'login'; until?: Instant; message: string }
  /** `in`: for an agent that ended well: in its last message, or in its last tool result. */
  | { kind: 'error'; hash: string; message: string; in?: 'words' | 'tool' }
  | { kind: 'permission-denied'; tool: string }
  /** No line of the agent's could be read, or its program does not know an option: another version is installed. */
  | { kind: 'unreadable'; by: 'lines' | 'option'; message: string }

/** Why the provider gave no answer, in words for people. */
export const providerWords: Record<Extract<Signal, { kind: 'throttled' }>['by'], string> = {
  'usage-limit': 'usage limit',
  rate: 'rate limit',
  overload: 'provider overloaded',
  unreachable: 'provider unreachable',
  login: 'login rejected',
}

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

/** `soft`: run on a flip, warns and never blocks. */
export type Gate = { name: string; command: string; story?: StoryId /** only for a flip of this story */; soft?: true }

/** How many tests a gate ran, from what its runner printed. */
export type Census = { passed: number; failed: number; skipped: number }

/** The kind of a check: a command of the user, a reviewer's answer, or one of Ralph's own. */
export type CheckKind = 'command' | 'review' | 'landing' | 'tamper' | 'commit' | 'branch' | 'proof' | 'held-out' | 'hook'
export type GateResult = {
  name: string
  kind: CheckKind
  /** Set for a story's own gate: its failure rejects only that story. */
  story?: StoryId
  /** Failed, but no reason to reject: a soft gate, or one that failed the same way before the run. */
  soft?: true
  tolerated?: true
  command: string
  passed: boolean
  exitCode: number | null
  /** Why it failed if the exit code does not say: a timeout, a stop. */
  ended: 'exited' | 'timeout' | 'stopped' | 'missing'
  durationMs: number
  /** Absent: its output cannot be counted. */
  census?: Census
  /** It passes, and failed on the same content: names of the tests that failed then; empty: its runner names none. */
  flaky?: string[]
  /** Of a reviewer: what it says about each suspicion that it was asked about, in order. */
  answers?: string[]
  /** Of a reviewer of a story's criteria: what it objects to. Absent: it has not judged, or an older log. */
  findings?: ReviewFinding[]
  /** Verbatim, cut to 100 lines; all of it is in the iteration's log. */
  output: string
  outputHash: string
}

/** What a reviewer objects to. */
export type ReviewFinding = {
  /** The same in every later review of the story. */
  id: string
  kind: 'missing' | 'extra' | 'reason'
  words: string
  /** 'late': new, and about code that has not changed since the last review: a warning. 'dismissed': by a person. */
  standing: 'open' | 'late' | 'dismissed'
  /** Where, if its words say so. */
  file?: string
  line?: number
}

/**
 * What a pass is worth: a test of the story fails on the old code and passes now; a reviewer agrees and nothing is left open; gates pass; nothing was
 * checked.
 */
export const grades = ['unproven', 'gated', 'reviewed', 'demonstrated'] as const
export type Grade = (typeof grades)[number]

/** Where gates judge a flip: a clean checkout of the commit, one with ignored files too, or the work tree. */
export type JudgedIn = 'clean' | 'ignored' | 'tree'

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

/** About gates that are red before the first iteration: they must become green, they may stay as they are, or the run ends. */
export type BaselineAnswer = 'continue' | 'tolerate' | 'quit'
