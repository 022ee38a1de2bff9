/** The state of a feature: what folding its log gives. */
import type { SeenContent } from './evolve/growing-set.ts'
import type { LearningState } from './learning/learning-state.ts'
import type { Question } from './plan/question.ts'
import type { Finding } from './proof/finding.ts'
import type { FailedCheck, Flake, GateRun } from './proof/flaky/gate-run.ts'
import type { Mutation } from './proof/mutants/mutation.ts'
import type { Acceptance, StoryProof } from './proof/story-proof.ts'
import type { Dismissed, LastReview } from './review/findings.ts'
import type { AgentLimit, AskedHooks, Examination, Hooks, KeptHash, KnownPrograms, KnownPull, Written } from './types/results.ts'
import type { Totals } from './types/totals.ts'
import type {
  BreakerState,
  Census,
  Ended,
  EventOf,
  GateResult,
  Instant,
  JudgedIn,
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

/** An iteration that has started and is not settled yet, by phase: each phase has the data that is known in it. */
export type Flight = WorkingFlight | EndedFlight

/** Its agent is running; or it has returned, and its work was not inspected yet. */
export type WorkingFlight = BegunFlight & { phase: 'working' | 'returned' }

/** Its gates, a reviewer or its landing are running; or it waits for the next of these, or for its verdict; or it has one and is being settled. */
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
  /** In its own worktree: as which worker. */
  worker?: number
  /** Which of several attempts on the story it works on. */
  candidate?: number
  /** What its running call may take of the budgets of money; absent: all that was left. */
  maxUsd?: number
  /** Another agent than the named one. */
  agent?: string
  /** Why it got a strategy shift; empty: none. Whether that counts for the story; how many it had, including this one. */
  shift: string
  isShift: boolean
  shifts: number
  /** If it picks its story itself: where it began, and what was uncommitted. */
  begun?: Beginning
  begunWith?: Uncommitted
}

/** How its agent ended, and the results for its work so far. */
type CheckedFlight = BegunFlight & {
  ended: Ended
  endedAt: Instant
  gates?: GateResult[]
  /** Files that were written while they ran. */
  written?: Written[]
  /** The content that they saw; and whether those that failed, or its landing, ran once more. */
  content?: string
  isRerun?: true
  isLandedAgain?: true
  /** Its cross-examination, which may run while a reviewer does. */
  examination?: Examination | 'running'
  /** What mutants of its code have shown. */
  mutation?: Mutation
  /** Reviewers' results, and which answers could not be read. */
  reviews: GateResult[]
  unread: { review: Review; story: StoryId | null; problem: string }[]
  /** Its reviewers' ended calls, and when one was lost to a kill. */
  reviewed: (EventOf<'review.ended'> | Instant)[]
  /** How its work landed on the run's branch. */
  landing?: GateResult[]
  hooks?: AskedHooks
}

/** The commit where something began, and the tests that ran then, by gate: from the log, because an agent can move refs. */
export type Beginning = { commit: string | null; census: Record<string, Census> }

/** Files with uncommitted changes: the user's, and those that iterations left and that are restored if the story is put aside. */
export type Uncommitted = { users: string[]; left: string[] }

/** Why a story's last attempts were rejected: quoted in the next prompt. */
export type Refusal = {
  iteration: number
  because: string
  /** Hash of the parts that are stable between runs: two rejections with the same hash failed alike. */
  hash: string
  gates: GateResult[]
  /** What the attempt said about itself, and what it changed. */
  summary: string
  files: string[]
  /** It had a strategy shift. */
  wasShift: boolean
  /** Which of the story's attempts it was. */
  attempt: number
  /** Ralph ended it: it timed out or went in circles. */
  cut?: 'timeout' | 'circling'
  /** Gates failed without a flip: alone not a failed attempt. */
  isUnfinished?: true
  /** What the gates saw, if they alone refused it. */
  content?: string
}

export type StoryState = {
  /** Iterations spent on it, and those of them that failed. */
  attempts: number
  failedAttempts: number
  /** The agent's session of the last iteration on it, if the next may resume it. */
  session?: { id: string; at: Instant; costUsd: number | null /** whose, if not the named agent's */; agent?: string }
  /** The last attempt was rejected by a hard gate: the next one is a fix. */
  lastRefused: boolean
  /** The last attempt failed: a gate, a timeout, circles. */
  lastFailed: boolean
  /** The last three; and how often each error occurred, by hash. */
  refusals: Refusal[]
  errors: Record<string, number>
  /** Gate failures of attempts without a flip, by hash, since its gates last passed. */
  reds: Record<string, number>
  /** Attempts with a strategy shift. */
  shifts: number
  /** Time inside agents and gates, and whether its length was reported. */
  spentMs: number
  isSlow: boolean
  /** Cost of its attempts and reviews; null: one of them is unknown. */
  costUsd: number | null
  /** Commits of its attempts; and whether the state before them is saved. */
  commits: string[]
  isSaved: boolean
  /** The branch with its work so far, because another story had to go first; and the commit that reverted the work, if any. */
  shelf?: { branch: string; revertedAt?: string }
  /** Where it began, over all runs; and what was uncommitted then. */
  begun?: Beginning
  begunWith?: Uncommitted
  /** Commits past the hooks, until a later commit ran them. */
  pastHooks?: Finding[]
  /** Its work is in its own worktree; how often it could not land; and the files that its attempts changed. */
  isApart: boolean
  /** Several attempts on it, by number from 1: which of them failed, and what each has taken. */
  candidates?: Candidate[]
  /** Where the work of attempts is that did not land, newest last. */
  losers?: Loser[]
  bounced: number
  files: string[]
  /** An iteration on it said that it is done, changed nothing and did not mark it; the next one was told how. */
  hasSaidDone?: true
  /** Findings of soft gates and reviewers, over all attempts. */
  warnings: number
  /** Suspicions about it that a person has accepted. */
  accepted?: Acceptance
  review?: LastReview // against its criteria
  dismissed?: Dismissed[] // by a person
  receipt?: {
    iteration: number
    proven: boolean
    /** Absent: an older log, or passed before Ralph looked. */
    proof?: StoryProof
    commits: string[]
    tree: string
    /** Commands by the hash of their output, reviewers with their answer. */
    gates: (Omit<GateResult, 'output'> & { output?: string })[]
    agent: string
    /** Over all its attempts, including reviews; null: unknown. */
    costUsd: number | null
    given: boolean
  }
}

type Candidate = { isOut?: true; usd: number; tokens: number; ms: number }
type Loser = { iteration: number; branch: string; because: string }
export type AlsoPassed = { stories?: StoryId[]; heldOut?: true }
export type State = {
  feature: string
  run: RunId
  at: Instant
  runStartedAt: Instant
  pid: number
  boot?: string
  plan: Plan | null
  policy: Policy
  /** Hashes of the configuration files at the start or resume. */
  settings?: string[]
  /** Hashes of the user's files that agents must not change, as they should be. */
  kept?: KeptHash[]
  /** What gates may start, as it was found when the run began. */
  programs?: KnownPrograms
  repo: Repo
  /** The user's uncommitted files, which Ralph never commits; and those that iterations left: a story's work. */
  users: string[]
  left: string[]
  leftBy?: StoryId
  /** What git ignored when the run began, except dependencies; and what it ignores since. */
  ignored?: string[]
  hidden: string[]
  /** Files that the index told git to ignore when the run began; undefined: unknown. */
  unwatched?: string[]
  /** Stories that a person marked done after a kill: they pass once they are checked. */
  claims: StoryId[]
  /** What happened to the user's files in this run that somebody must know, in words. */
  aboutUsers: string[]
  /** What happened to its branch or to HEAD in this run that somebody must know: where the work is, and how to get it. */
  aboutBranch: string[]
  /** Why its process ended before the run did; undefined: it did not, or it was killed. */
  halted?: string
  /** What a person asked for while another branch was checked out, and the plan file does not show yet. */
  unwritten?: Record<StoryId, 'retried' | 'skipped'>
  /** The run's branch, its commit when the run began, and whether git confirmed that all passed work is on it. */
  home?: { branch: string | null; from: string | null; phase: 'due' | 'asked' | 'known' }
  /** The branch that was created for the feature and where it began; and its pull request, as it was last opened or updated. */
  origin?: { branch: string; base: string | null }
  pull?: KnownPull
  /** The user's links when the run began. */
  links?: string[]
  outcome?: { outcome: Outcome; because: string }
  /** The last iteration number since the feature began; and iterations of this run that count toward the limit. */
  iteration: number
  used: number
  call: { last: number; phase: 'none' | 'requested' | 'granted'; role: Role; agent?: string }
  envelopes?: EventOf<'call.granted'>['envelopes'] // as they were when a call was last asked for
  flights: Flight[]
  /** Made ahead in this process, which began at `from`: the one asked for, and those of stories that have not started, on which commit; null: none could be made. */
  worktrees: { from: Instant; asked?: StoryId; ready: Record<StoryId, string | null> }
  waiting?: { until: Instant; for: 'rate' | 'usage-limit' | 'retry' }
  /** A call refused by the rate limit, or an iteration lost to the provider: what the next wait is for. */
  refusedCall?: { until: Instant }
  retryDue?: { by: 'rate' | 'overload' | 'unreachable' | 'login'; until?: Instant; message: string }
  /** The provider's usage limit, and what is done about it; 'asked': the question is on the terminal. */
  limit?: { until?: Instant; message: string; choice: 'open' | 'asked' | 'wait' | 'exit' }
  /** Usage limits of agents that others stand in for. */
  agentLimits?: Record<string, AgentLimit>
  pause: 'none' | 'requested' | 'paused'
  stop?: { by: 'user' | 'SIGINT' | 'SIGTERM' | 'SIGHUP'; now: boolean }
  stories: Record<StoryId, StoryState>
  breaker: Breaker
  breakerHistory: { at: Instant; from: BreakerState; to: BreakerState; because: string }[]
  /** The final check: did every hard gate pass after the last change? `stories`: whose own gates passed too; `heldOut`: the held-out check too. */
  check:
    | { phase: 'due' }
    | ({ phase: 'green' } & AlsoPassed)
    | ({ phase: 'running'; isWhole: boolean; isStopping: boolean; first?: FailedCheck } & AlsoPassed)
    | { phase: 'red'; results: GateResult[]; failed?: FailedCheck }
  /** How gates ended in this run, by content; and the tests that were flaky, in all runs. */
  ran: GateRun[]
  flakes: Flake[]
  /** The gates' results before the first iteration of this run. */
  baseline?: GateResult[]
  /** A person said that gates may stay as red as they were, whatever the settings say. */
  toleratesBaseline?: true
  /** Where its gates can judge a flip, as tried then, and which committed files they write. */
  judgedIn?: JudgedIn
  written?: Written[]
  /** Where the feature began, or where somebody last committed between two runs; and the tests that ran last, by gate. */
  begun?: Beginning
  census: Record<string, Census>
  finals: GateResult[] // of final reviewers, for the current state
  /** A final reviewer is running; unreadable answers of the current one. */
  final: { isReviewing: boolean; isStopping: boolean; unread: { agent: string; problem: string }[] }
  /** A failed or waiting story whose work is being put aside; why work could not be moved. */
  failing?: { story: StoryId; branch: string; isShelved?: true }
  unmoved?: string
  learning: LearningState
  /** Completion answers, testing-only answers and retries in a row. */
  inARow: { done: number; testing: number; retries: number; refusedLogins: number; limits: number }
  warned: string[] // budgets that were reported as nearly spent
  /** The story whose last iteration only asked. */
  asked?: { story: StoryId | null; times: number }
  /** The last five of each, newest last: shown, so that a person sees what the counters saw. */
  indicators: { done: number[]; testing: number[]; claims: number[] }
  seen: SeenContent // of this run
  /** `seenAt`: when the work tree was looked at, if nothing has run in it since. */
  last?: {
    iteration: number
    story: StoryId | null
    agent: string
    ended: Ended
    judged: EventOf<'iteration.judged'>
    seenAt?: Instant
  }
  tell: { text: string; since: number }[] // notes for the next iteration, until one has really seen them
  hooks?: Hooks // of the user; absent: none was due yet
  /** Questions to a person, oldest first; with a text once answered. */
  questions: Question[]
  blocked?: { reason: string; iteration: number }
  /** Iterations in a row whose agent could not be read; it needs a person at `mostUnreadable`. */
  unreadable?: { times: number; message: string }
  totals: Totals
  taken: string[]
}

/** How often in a row, in which iterations, and of what: the error's hash, the story; with words for people. */
export type Count = { times: number; iterations: number[]; key: string; words: string }
export type Breaker = {
  state: BreakerState
  counts: Record<Rule, Count>
  /** The rule that opened it. */
  by?: Rule
  /** How many characters the agent wrote in each of the last five iterations, and the hash of its last message. */
  words: number[]
  said: { hash: string; iteration: number }
  /** Every error of the last iteration, with how often it occurred in a row: of several, the one that stays is the same. */
  errors: Count[]
  changedAt: Instant
  because: string
}
