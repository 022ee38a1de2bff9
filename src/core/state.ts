/** What follows from the facts: the state of a feature, as folding its log gives it. */
import type {
  BreakerState,
  Ended,
  EventOf,
  GateResult,
  Instant,
  Mode,
  Outcome,
  Plan,
  Policy,
  Repo,
  Review,
  Role,
  Rule,
  RunId,
  StoryId,
} from './types.ts'

/** An iteration that has started and is not settled yet, by its phase: each has what is known in it. */
export type Flight = WorkingFlight | EndedFlight

/** Its agent is at work; or it has returned, and its work is not looked at yet. */
export type WorkingFlight = BegunFlight & { phase: 'working' | 'returned' }

/** Its gates run, a reviewer is at work, it lands; or it waits for the next of these, or for its verdict; or it has that and is settled. */
export type EndedFlight = CheckedFlight & ({ phase: 'checking' | 'reviewing' | 'landing' | 'waiting' } | JudgedPhase)
export type JudgedFlight = CheckedFlight & JudgedPhase

type JudgedPhase = { phase: 'judged'; judged: EventOf<'iteration.judged'> }

type BegunFlight = {
  iteration: number
  story: StoryId | null
  attempt: number
  mode: Mode
  startedAt: Instant
  isStopping: boolean
  /** In a worktree of its own: as which worker. */
  worker?: number
  /** Why it was told to find another way; empty: it was not. Whether that counts for the story; how often it was, this one counted. */
  shift: string
  isShift: boolean
  shifts: number
  /** What was uncommitted before it, where it picks its story itself. */
  begunWith?: Uncommitted
}

/** How its agent ended, and what was said of its work so far. */
type CheckedFlight = BegunFlight & {
  ended: Ended
  endedAt: Instant
  gates?: GateResult[]
  /** What reviewers have said, and which answers could not be read. */
  reviews: GateResult[]
  unread: { review: Review; story: StoryId | null; problem: string }[]
  /** Its reviewers' calls as they came back, and when one was lost to a kill. */
  reviewed: (EventOf<'review.ended'> | Instant)[]
  /** How its work came from its worktree onto the working branch. */
  landing?: GateResult[]
}

/** Files with uncommitted changes: the user's, and what iterations left and is still there should the story be put aside. */
export type Uncommitted = { users: string[]; left: string[] }

/** Why a story's last attempts were refused: what the next prompt quotes. */
export type Refusal = {
  iteration: number
  because: string
  /** Over what differs not from run to run: two refusals with the same hash failed alike. */
  hash: string
  gates: GateResult[]
  /** What the attempt said of itself, and what it touched. */
  summary: string
  files: string[]
  /** It had been told to find another way. */
  wasShift: boolean
  /** Which of the story's attempts it was. */
  attempt: number
  /** It was ended by us: by its time limit, or because it went in circles. */
  cut?: 'timeout' | 'circling'
  /** Gates were red, and the story was not said to be done: no failed attempt by itself. */
  isUnfinished?: true
}

export type StoryState = {
  /** Iterations spent on it, and those of them that failed. */
  attempts: number
  failedAttempts: number
  /** The agent's session of the last iteration on it, if the next may go on with it. */
  session?: { id: string; at: Instant; costUsd: number | null }
  /** The last attempt was refused by a hard gate: the next one is a fix. */
  lastRefused: boolean
  /** The last attempt failed: by a gate, by time, in circles. */
  lastFailed: boolean
  /** The last three; and how often each error came, by its hash. */
  refusals: Refusal[]
  errors: Record<string, number>
  /** Gate failures of attempts that did not say the story was done, by their hash, since its gates were last green. */
  reds: Record<string, number>
  /** Attempts that were told to find another way. */
  shifts: number
  /** Time inside agents and gates, and whether its length was told. */
  spentMs: number
  isSlow: boolean
  /** What its attempts and reviews cost; null: one of them did not say. */
  costUsd: number | null
  /** Commits of its attempts; and whether the state of the repository before them is kept. */
  commits: string[]
  isSaved: boolean
  /** The branch that has its work so far, since another story had to go first; and the commit that took the work back, if one did. */
  shelf?: { branch: string; revertedAt?: string }
  /** What was uncommitted when it began. */
  begunWith?: Uncommitted
  /** Its work is in a worktree of its own; how often that could not land; and the files that its attempts changed. */
  isApart: boolean
  bounced: number
  files: string[]
  /** An iteration on it said that it is done, changed nothing and did not mark it; the next one was told how. */
  hasSaidDone?: true
  /** What soft gates and reviewers found, all attempts together. */
  warnings: number
  receipt?: {
    iteration: number
    proven: boolean
    commits: string[]
    tree: string
    /** Commands by the hash of their output, reviewers with their answer. */
    gates: (Omit<GateResult, 'output'> & { output?: string })[]
    agent: string
    /** Of all its attempts, its reviews counted; null: unknown. */
    costUsd: number | null
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
  /** Hashes of the configuration files that it was begun or resumed with. */
  settings?: string[]
  repo: Repo
  /** Uncommitted files of the user, which we never commit; and what iterations have left uncommitted: a story's work. */
  users: string[]
  left: string[]
  leftBy?: StoryId
  /** What git ignored when the run began, but for dependencies; and what it ignores since. */
  ignored?: string[]
  hidden: string[]
  /** Files that the index told git not to look at when the run began; undefined: not known. */
  unwatched?: string[]
  /** Stories that a person marked done after a kill: they pass once they are checked. */
  claims: StoryId[]
  /** What became of the user's files in this run where somebody must know, in words. */
  aboutUsers: string[]
  /** The branch that the run works on, where it was when the run began, and whether git was asked if all that passed is on it. */
  home?: { branch: string | null; from: string | null; phase: 'due' | 'asked' | 'known' }
  /** Links that the user had when the run began. */
  links?: string[]
  outcome?: { outcome: Outcome; because: string }
  /** Last iteration number, over the feature's whole life; iterations of this run that count toward the limit. */
  iteration: number
  used: number
  call: { last: number; phase: 'none' | 'requested' | 'granted'; role: Role }
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
  breakerHistory: { at: Instant; from: BreakerState; to: BreakerState; because: string }[]
  /** The check of the whole: did every hard gate pass after the last change? `stories`: whose own gates did too. */
  check:
    | { phase: 'due' }
    | { phase: 'green'; stories?: StoryId[] }
    | { phase: 'running'; isWhole: boolean; isStopping: boolean; stories?: StoryId[] }
    | { phase: 'red'; results: GateResult[] }
  /** What the gates said before the first iteration of this run. */
  baseline?: GateResult[]
  /** What final reviewers say of the whole as it stands. */
  finals: GateResult[]
  /** A final reviewer is at work; answers of the one whose turn it is that could not be read. */
  final: { isReviewing: boolean; isStopping: boolean; unread: { agent: string; problem: string }[] }
  /** A failed story, or one that has to wait, whose work is being put aside; why a work could not be moved. */
  failing?: { story: StoryId; branch: string; isShelved?: true }
  unmoved?: string
  learning: LearningState
  /** Completion answers, testing-only answers and retries in a row. */
  inARow: { done: number; testing: number; retries: number; refusedLogins: number; limits: number }
  /** Budgets whose near end was told. */
  warned: string[]
  /** The story whose last iteration did nothing but ask. */
  asked?: { story: StoryId | null; times: number }
  /** The last five of each, newest last: shown, so that a person sees what the counters saw. */
  indicators: { done: number[]; testing: number[]; claims: number[] }
  seen: SeenContent
  last?: { iteration: number; story: StoryId | null; ended: Ended; judged: EventOf<'iteration.judged'> }
  /** What the next iteration must be told, until one has truly seen it. */
  tell: { text: string; since: number }[]
  /** Asked of a person, oldest first; with a text once answered. */
  questions: Question[]
  blocked?: { reason: string; iteration: number }
  totals: Totals
  taken: string[]
}

/** What is to be learned from, what is being learned, and what lessons and skills have done so far. */
export type LearningState = {
  due: { story: StoryId; outcome: 'success' | 'failure'; iteration: number }[]
  /** 'retiring': a skill, without a call. */
  running: 'none' | 'learning' | 'gathering' | 'skill' | 'retiring'
  isStopping: boolean
  /** Why the last answer could not be read: it is asked for once more. */
  unread?: string
  /** Stories finished, and those of them that taught something; and those of the whole project since lessons were last gathered. */
  finished: number
  captured: number
  sinceGathered: number
  /** Lessons were learned since what everybody should know was last written down. */
  hasNews?: true
  /** Categories whose skill is to be written. */
  skills: string[]
  /** Iterations that had a lesson or skill, and those of them that passed a story; and all iterations of the same kind. */
  uses: Record<string, UseCount>
  all: UseCount
  retired: string[]
}
export type UseCount = { times: number; passed: number }

export type Question = {
  question: string
  text?: string
  iteration: number
  story: StoryId | null
  /** Whether the work is done: a yes ends the run, if the gates agree. */
  accepts?: true
}

/** Content identities that this run has seen: buckets, so that adding one copies little. */
export type SeenContent = { size: number; buckets: readonly (readonly string[])[] }

export type Totals = {
  /** That came back, or were lost. */
  calls: number
  iterations: number
  idle: number
  claimsRefused: number
  /** Inside agents of every role. */
  agentMs: number
  gateMs: number
  inputTokens: number
  outputTokens: number
  /** What is known of the cost, and calls that did not say theirs. */
  costUsd: number
  unpriced: number
  /** Money on attempts that failed. */
  failedUsd: number
  byRole: Record<Role, RoleTotals>
  attempted: StoryId[]
}

export type RoleTotals = { calls: number; costUsd: number; unpriced: number; ms: number }

/** How often in a row, in which iterations, and of what: the error's hash, the story; with words for people. */
export type Count = { times: number; iterations: number[]; key: string; words: string }
export type Breaker = {
  state: BreakerState
  counts: Record<Rule, Count>
  /** The rule that moved it from closed. */
  by?: Rule
  /** How many characters the agent said in each of the last five iterations, and the hash of its last words. */
  words: number[]
  said: { hash: string; iteration: number }
  /** Every error of the last iteration, with how often it came in a row: of several, the one that stays is the same. */
  errors: Count[]
  changedAt: Instant
  because: string
}
