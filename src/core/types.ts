/** What can happen (reports) and what Ralph decides (decisions), as types. What follows from both is in state.ts. */

import type { Estimate } from './figures/estimate.ts'
import type { Finding } from './proof/finding.ts'
import type { Mutation } from './proof/mutants/mutation.ts'
import type { BaselineAnswer, Gate, GateResult, JudgedIn, Review } from './types/checks.ts'
import type { Plan } from './types/plan.ts'
import type { Policy } from './types/policy.ts'
import type {
  BranchAnswered,
  CriterionAmended,
  Examination,
  HookEnded,
  IterationSettled,
  KeptHash,
  KnownPrograms,
  LandingEnded,
  LearningEnded,
  OutOfSight,
  PullRequestAnswered,
  PullRequestEnded,
  PullRequestReviewed,
  PullRequestStarted,
  PutAside,
  QuestionAnswered,
  Reading,
  Resumed,
  ReviewEnded,
  SkillEnded,
  Written,
} from './types/results.ts'
import type { Signal } from './types/signal.ts'
import type {
  BreakerState,
  BudgetName,
  Envelope,
  Exit,
  HookName,
  Instant,
  Mode,
  Outcome,
  Progress,
  Repo,
  Role,
  Rule,
  RunId,
  Scope,
  StoryId,
  Usage,
  Verdict,
} from './types/words.ts'

export type * from './types/checks.ts'
export type * from './types/plan.ts'
export type * from './types/policy.ts'
export type * from './types/signal.ts'
export type * from './types/words.ts'

export type Ended = {
  iteration: number
  exit: Exit
  exitCode: number | null
  reading: Reading
  signals: Signal[]
  repo: Repo
  /** In its own worktree: its state before. */
  before?: Repo
  /** Commits made, oldest first, with a hash of each one's content. */
  commits: string[]
  trees: string[]
  /** Files changed by those commits (at most 50). */
  files?: string[]
  /** Of a candidate: lines that it added and removed, all in all. */
  lines?: number
  /** Files left uncommitted, outside `.ralph/` and not the user's (at most 5000). */
  uncommitted: string[]
  /**
   * What no commit has and what did not exist when the run began, except dependencies: ignored, in a nested repository, left by a gate (at most 500).
   */
  hidden?: string[]
  /** The user's files that are no longer uncommitted: it committed them, or they could not be restored. */
  taken?: string[]
  /** Its work that is not on its branch, in words: none of its flips pass. */
  astray?: string
  /** What was found about its checks since the story began. */
  findings?: Finding[]
  /** Tests, fixtures and settings of test runners that changed since the story began (at most 200): what is cross-examined. */
  checks?: string[]
  /** Tests that were added, by their names (at most 50). */
  tests?: string[]
  /** How many more tests the files of Python have than when the story began: runners must run them. */
  moreTests?: number
  /** Stories that pass in the plan file now and did not before. */
  flips: StoryId[]
  /** Corrected edits of the agent to the plan, in words. */
  repairs: string[]
  /** The plan after the allowed edits. */
  plan?: Plan
  usage: Usage
  durationMs: number
  outputChars: number
  /** The beginning of the agent's final message, and the hash of all of it. */
  summary: string
  saidHash?: string
  /** Lessons in its prompt, and skills that existed for it, by id and name. */
  lessons?: string[]
  skills?: string[]
  /** The agent appended its own entry to progress.txt. */
  wroteProgress?: boolean
  session?: string
  /** The model that answered, as the agent reported it, otherwise as it was asked for. And its tool calls, if its program is one that Ralph knows. Absent: unknown. */
  model?: string
  tools?: number
  /** What the agent reports as the cost of its whole session: more than this iteration's if the session is resumed. */
  sessionCostUsd?: number
  /** It stopped at its part of the budgets (see `iteration.started`): more may be left. */
  shareSpent?: true
}

/** A fact about the world. `id`, if present, is an inbox file's name: the same id twice is one report. */
export type Report =
  | (OutOfSight & {
      kind: 'run.started'
      log: 1 // its version: see docs/upgrades.md
      feature: string
      plan: Plan | null
      policy: Policy
      repo: Repo
      /** Dirty before the run: the user's, never committed by Ralph, except what an iteration had `left`. */
      dirty: string[]
      left?: string[]
      /**
       * The run's branch; null: a detached HEAD. Absent: no git, or an older log. `links`: which of Ralph's files, or this ref, are links
       * made by the user.
       */
      branch?: string | null
      links?: string[]
      /** Stories of the project, in any feature, that were learned from since lessons were last collected. */
      unlearned?: number
      /** What its open stories will take; absent: nothing is open, or an older log. */
      estimate?: Estimate
      pid: number
      /** Of the machine: a later one of the same machine means that it went down in between. */
      boot?: string
      /** Hashes of its configuration files; empty: none. And of the user's files that agents must not change. */
      settings?: string[]
      kept?: KeptHash[]
      programs?: KnownPrograms
    })
  | ({ kind: 'run.resumed' } & Resumed)
  /** `envelopes`: the user's budgets over all runs; absent: none is set, or an older log. */
  | { kind: 'call.granted'; call: number; envelopes?: Envelope[] }
  | { kind: 'call.refused'; call: number; until: Instant; by: 'rate' | 'usage-limit' | 'budget'; envelopes?: Envelope[] }
  /** Before its agent starts: dirty files that no iteration has left. They count as the user's from here on. */
  | { kind: 'users.found'; iteration: number; files: string[] }
  /** With several workers: it said nothing that others must wait for; its work is inspected next. */
  | { kind: 'agent.returned'; iteration: number }
  | ({ kind: 'iteration.ended' } & Ended)
  /** `repo`: the state after a check without an iteration; `ignored`: what gates themselves created before the first
   * iteration; `judgedIn`: where they can judge a flip, as tried then; `content`: a hash of what they saw, where they judge; absent: unknown;
   * `written`: files of the checkout that were written while they ran; `asked`: what a person at the terminal said about red ones before
   * the first iteration.
   */
  | {
      kind: 'gates.ended'
      iteration: Scope
      results: GateResult[]
      content?: string
      judgedIn?: JudgedIn
      repo?: Repo
      ignored?: string[]
      written?: Written[]
      asked?: BaselineAnswer
    }
  | ({ kind: 'examination.ended'; iteration: number } & Examination)
  | ({ kind: 'mutants.ended'; iteration: number } & Mutation)
  | ({ kind: 'review.ended' } & ReviewEnded)
  | ({ kind: 'landing.ended' } & LandingEnded)
  /** For a story that has not started: on which commit; null: it is made when the story starts (`problem`: why). */
  | { kind: 'worktree.ready'; story: StoryId; commit: string | null; problem?: string }
  | ({ kind: 'story.put-aside' } & PutAside)
  | ({ kind: 'learning.ended' } & LearningEnded)
  | { kind: 'gathering.ended'; patterns?: true; lessons: number; due: string[]; problems: string[]; repo: Repo }
  | ({ kind: 'skill.ended'; repo: Repo } & SkillEnded)
  | ({ kind: 'iteration.settled' } & IterationSettled)
  | ({ kind: 'branch.answered' } & BranchAnswered)
  | ({ kind: 'hook.ended' } & HookEnded)
  | { kind: 'plan.changed'; plan: Plan }
  | { kind: 'wait.ended' }
  | { kind: 'limit.answered'; choice: 'wait' | 'exit'; by: 'user' | 'silence' }
  | { kind: 'breaker.reset'; id?: string }
  | { kind: 'said'; id: string; text: string }
  | { kind: 'unblocked'; id?: string; note: string }
  | ({ kind: 'question.answered'; id?: string } & QuestionAnswered)
  | ({ kind: 'criterion.amended' } & CriterionAmended)
  /** Before it is created: where the feature begins; null: on a detached HEAD. */
  | { kind: 'branch.created'; branch: string; base: string | null }
  /** Before anything is sent, and what became of it. */
  | ({ kind: 'pull-request.started' } & PullRequestStarted)
  | ({ kind: 'pull-request.ended' } & PullRequestEnded)
  /** Before its stories are in the plan; and after an answer was sent. */
  | ({ kind: 'pull-request.reviewed' } & PullRequestReviewed)
  | ({ kind: 'pull-request.answered' } & PullRequestAnswered)
  /** A person says that what a reviewer found is not to be fixed. `by`: who. */
  | { kind: 'finding.dismissed'; id?: string; story: StoryId; finding: string; why?: string; by?: string }
  | { kind: 'pause.requested'; id: string }
  | { kind: 'resume.requested'; id: string }
  | { kind: 'stop.requested'; id?: string; by: 'user' | 'SIGINT' | 'SIGTERM' | 'SIGHUP'; now: boolean }
  /** `unwritten`: another branch was checked out, so the plan file does not show it yet; it is written once the run's branch is back. */
  | { kind: 'story.retried'; id?: string; story: StoryId; unwritten?: true }
  | { kind: 'story.skipped'; id?: string; story: StoryId; unwritten?: true }
  /** `repo`: the state of the repository since. */
  | {
      kind: 'noticed'
      what: string
      detail: string
      /** The next iteration must be told. */
      tell: boolean
      repo?: Repo
      /** The user changed these since: an empty hash for one that is gone. */
      kept?: KeptHash[]
    }

/** A fact about Ralph itself, written before it is carried out. */
export type Decision = { because: string } & (
  | { kind: 'call.requested'; call: number; role: Role; agent: string }
  | {
      kind: 'iteration.started'
      iteration: number
      call: number
      story: StoryId | null
      attempt: number
      mode: Mode
      /** The code that signals of a plain-text agent must have. */
      code: string
      /** Why the prompt must ask for another approach; empty: it need not. */
      shift: string
      /** Strategy shifts of this story, including this one. */
      shifts: number
      /** The state of the repository is saved first: the story starts here, or one that the agent picks may. */
      saves?: true
      /** The agent's session that this iteration resumes. */
      resume?: string
      /** Another agent than the named one: that is at its usage limit, or it is this one's turn among the candidates, with a model of its own. */
      agent?: string
      model?: string
      /** In its own worktree, as this worker; absent: in the repository itself. */
      worker?: number
      /** Which of several attempts on the story it works on, each in its own worktree. */
      candidate?: number
      /** Its part of the budgets of money, which other agents at work share; absent: all that is left. */
      maxUsd?: number
      ready?: string // its worktree was made ahead, on this commit
    }
  | { kind: 'iteration.stopping'; iteration: Scope }
  | { kind: 'landing.started'; iteration: number; story: StoryId; again?: true }
  | { kind: 'worktree.requested'; story: StoryId } // while all workers are busy, for the next one
  /** `again`: these failed, and that may be chance: once more on the same content. `heldOut`: and then the held-out check, if they pass. */
  | { kind: 'gates.started'; iteration: Scope; gates: Gate[]; again?: true; heldOut?: true }
  /** Old checks over the new code, and new ones over the old, while a reviewer may be running. */
  | { kind: 'examination.started'; iteration: number }
  /** Before a reviewer is asked: small bugs in the lines that the story changed, at most this many, each against its gates. */
  | { kind: 'mutants.started'; iteration: number; most: number }
  | {
      kind: 'iteration.judged'
      iteration: number
      verdict: Verdict
      progress: Progress
      passed: StoryId[]
      /** Whether a gate confirmed what passed. */
      proven: boolean
      refused: StoryId[]
      /** Would pass, but a person must first say yes to what is suspicious about them. */
      parked?: StoryId[]
      failedGates: string[]
      /** Without a flip: how often the same gate failure has occurred on the story, including now. From the third on, the attempt failed. */
      alike?: number
      /** 'asked': only said in plain words, without a plan; a person must decide. */
      claim: 'none' | 'accepted' | 'refused' | 'asked'
      openStories: StoryId[]
      /** The candidate is out: its work goes to this branch. */
      aside?: string
    }
  | {
      kind: 'review.started'
      iteration: Scope
      call: number
      review: Review
      story: StoryId | null
      agent: string
      again?: string
      maxUsd?: number
    }
  /** `hash`: its last error; `branch`: where its work goes. */
  | { kind: 'story.failed'; story: StoryId; hash: string; branch: string }
  | { kind: 'story.shelved'; story: StoryId; branch: string } // it must wait: its work moves to the branch
  | { kind: 'story.slow'; story: StoryId }
  | {
      kind: 'learning.started'
      story: StoryId
      outcome: 'success' | 'failure'
      iteration: number
      call: number
      agent: string
      again?: string
    }
  /** `patterns`: only the general notes are written; in older logs, at the end of a run. */
  | { kind: 'gathering.started'; finished: number; patterns?: true }
  | { kind: 'skill.started'; category: string; call: number; agent: string }
  | { kind: 'lesson.retired'; lesson: string }
  | { kind: 'skill.retired'; skill: string }
  | { kind: 'breaker.changed'; from: BreakerState; to: BreakerState; rule?: Rule }
  | { kind: 'wait.started'; until: Instant; for: 'rate' | 'usage-limit' | 'retry' }
  | { kind: 'budget.warned'; which: BudgetName }
  | { kind: 'limit.asked' /** when the provider is available again, if known */; until?: Instant }
  | { kind: 'run.paused' }
  /** Everything seems done: git checks whether it is on the branch. */
  | { kind: 'branch.asked' }
  /** A command of the user's. */
  | { kind: 'hook.started'; hook: HookName; iteration: Scope; story: StoryId | null }
  /** `reserved`: stories that pass with an open reservation; absent: none. */
  | { kind: 'run.ended'; outcome: Outcome; reserved?: StoryId[] }
)

/** Where a report goes. */
export type Reporter = (report: Report) => void

export type Event = { at: Instant; run: RunId } & (Report | Decision)
export type EventOf<K extends Event['kind']> = Extract<Event, { kind: K }>
