/** The results of gates, calls, landings and putting aside, and the state of the repository. */

import type { Accepting } from '../proof/reach/other-values.ts'
import type { Difference } from '../proof/reach/outside-tests/differences.ts'
import type { NearDifference } from '../proof/reach/outside-tests/near-inputs.ts'
import type { Reach } from '../proof/reach/probes.ts'
import type { Unheeded } from '../proof/reach/unheeded.ts'
import type { GateResult, Review } from './checks.ts'
import type { Plan, Proposal } from './plan.ts'
import type { Policy } from './policy.ts'
import type { Signal } from './signal.ts'
import type { Exit, HookName, Instant, Repo, Scope, StoryId, Usage } from './words.ts'

/** What the agent's final message says. Confidence is only shown. */
export type Reading = {
  status: 'complete' | 'in-progress' | 'blocked' | 'question' | 'testing' | 'stuck' | 'unknown'
  exitSignal: boolean
  confidence: number
  workType: string
  tests: string
  /** What the agent's status block says it did: only shown. */
  reported?: { tasks?: number; files?: number }
  evidence: string[]
  signals: Signal[]
}

/**
 * Parallel work of a story has landed on the run's branch, or, with a failed result, it has not: the conflict, or the gates that fail after
 * the merge. `blocked`: a person must clear the way first.
 */
export type LandingEnded = { iteration: number; results: GateResult[]; commits: string[]; repo: Repo; blocked?: string }

/**
 * A flip was cross-examined: what its changed checks are worth. `oldChecks`: the checks as they were when the story began, over the new code;
 * `newChecks`: the new ones over the old code. Absent: not needed, or impossible.
 */
export type Examination = {
  oldChecks?: Examined
  /** Its own tests fail with the settings of the checks as they were; `files`: which of these changed. */
  oldSettings?: { failing: string[]; files: string[] }
  newChecks?: Examined
  /** Parts of the changed functions that its tests never run (at most 20); empty: they run all. */
  unreached?: Reach[]
  /** Calls of tests that give something else where no test runs. */
  outside?: Difference[]
  /** Functions that know only the inputs of their tests. */
  near?: NearDifference[]
  /** New tests that pass whatever a changed function gives. */
  unheeded?: Unheeded[]
  /** New tests that also pass when they expect other values. */
  accepting?: Accepting[]
  /** Why something could not be examined, in words. */
  problem?: string
  durationMs: number
}

/** A committed file that was written while gates ran; `isBack`: its content is as before, although it was written. */
export type Written = { file: string; isBack?: true }

/**
 * `failing`: tests, or gates where no test is named; empty: all pass. `isMissing`: only because something that they use does not exist there.
 * `passing`: new tests that ran, and all pass over the old code, though the code is another one now.
 */
export type Examined = { failing: string[]; isMissing?: true; passing?: string[] }

/** A reviewer's call ended. Without a result there is no answer: it could not be read, or the provider was unavailable. */
export type ReviewEnded = {
  iteration: Scope
  review: Review
  story: StoryId | null
  agent: string
  result?: GateResult
  /** The commit that it saw; absent: unknown, or an older log. */
  seen?: string
  /** Why the answer could not be read; the next try is told. */
  problem?: string
  throttled?: Extract<Signal, { kind: 'throttled' }>
  /** The reviewer asks for a person. */
  calls?: { for: 'blocked' | 'question'; text: string }
  exit: Exit
  usage: Usage
  durationMs: number
  outputChars: number
}

/** The work of a failed story: moved to its branch, or left in place; `problem`: why nothing could be moved. */
export type PutAside = { story: StoryId; branch: string; how: 'reset' | 'reverted' | 'kept'; problem?: string; repo: Repo }

/** The result of a learner's call: a file of learnings, or why not. A failure is only a warning. */
export type LearningEnded = {
  story: StoryId
  agent: string
  file?: string
  /** How many lessons, and how many texts were rejected as hidden instructions. */
  lessons: number
  flagged: number
  /** Why there is none; `isLost`: not the answer's fault, so it is not requested again. */
  problem?: string
  isLost?: true
  usage: Usage
  durationMs: number
}

/**
 * `story`: the question's story, if there are several. `question`: the question itself, if a person wrote it into decide.txt. `by`: who answered.
 */
export type QuestionAnswered = { text: string; story?: StoryId | null; question?: string; by?: string }

/** A person accepted it (`by`), and the plan now says it; or, with a problem, it could not be written. */
export type CriterionAmended = Proposal & { story: StoryId | null; by?: string; problem?: string }

/** The same run after a kill. `claims`: stories that a person marked done between runs. */
export type Resumed = {
  log?: 1
  plan: Plan | null
  policy: Policy
  repo: Repo
  pid: number
  claims?: StoryId[]
  /** As in `run.started`. */
  boot?: string
  settings?: string[]
  kept?: KeptHash[]
  programs?: KnownPrograms
}

/**
 * Programs that gates may start: where PATH found them, and the beginning of a hash of each; on which machine. `installed`: runners in node_modules;
 * `since`: when that was looked up, in milliseconds, before the first agent.
 */
export type KnownPrograms = { on: string; found: KnownProgram[]; installed?: Record<string, string>; since?: number }
export type KnownProgram = KeptHash & { name: string }

/** A file outside the project, or of Ralph's, and the beginning of its content's hash. */
export type KeptHash = { path: string; hash: string }

/** `agent` empty: built from the lessons alone. */
export type SkillEnded = {
  category: string
  agent: string
  path: string
  isNew: boolean
  isRetired?: true
  problem?: string
  usage: Usage
  durationMs: number
}

/**
 * `problem`: git did not commit the work, so what passed does not pass after all. `results`: the commit is not what the gates had seen, so
 * they ran again on it; if they fail, they are the problem.
 */
export type IterationSettled = { iteration: number; repo: Repo; commits: string[]; problem?: string; results?: GateResult[] }

/**
 * What git does not look at when a run starts: `ignored`, except dependencies, which belongs to the environment of the gates; `unwatched`, by
 * the index. Absent: too many to list, or an older log.
 */
export type OutOfSight = { ignored?: string[]; unwatched?: string[] }

/** Stories that passed but whose work is not on the branch, each with the reason; and the state of the repository. */
export type BranchAnswered = { missing: { story: StoryId; because: string }[]; repo: Repo }

/** A command of the user's that must run, and why. `iteration`: before whose end; the whole: of the run. */
export type DueHook = { hook: HookName; iteration: Scope; story: StoryId | null; because: string }

/** `refused`: one named before.*, by exit code 1. `reason`: the end of what it printed. `repo`: as it was left, if nothing else was at work in it. */
export type HookEnded = Omit<DueHook, 'because'> & {
  how: 'done' | 'refused' | 'failed' | 'timeout' | 'stopped' | 'missing'
  exitCode: number | null
  reason: string
  durationMs: number
  repo?: Repo
}

/** Hooks that are due, oldest first; the one that runs; and the last iteration for which `before.iteration` has let pass. */
export type Hooks = { due: DueHook[]; running?: DueHook & { isStopping?: true }; allowed?: string }
/** Hooks that were asked about an iteration, and what they refused. */
export type AskedHooks = { asked: HookName[]; refused: GateResult[] }

/** A branch is about to be pushed, and its pull request to be opened or updated. */
export type PullRequestStarted = { branch: string; base: string; remote: string; commit: string }
/** `problem`: why it was not opened or updated, or the branch not pushed. */
export type PullRequestEnded = {
  branch: string
  base: string
  commit: string
  url?: string
  number?: number
  isDraft?: boolean
  problem?: string
}

/** What checks and reviewers of a pull request want becomes stories; `sources`: of these stories. And a reviewer was answered. */
export type PullRequestReviewed = { number: number; round: number; sources: string[] }
export type PullRequestAnswered = { number: number; story: StoryId; source: string; commits: string[] }
export type KnownPull = Required<Omit<PullRequestEnded, 'problem'>> & { rounds?: PullRounds }
/** How many, whose stories the last one has, and which reviewers were answered. */
export type PullRounds = { times: number; sources: string[]; answered: string[] }

/** Of an agent, met in a row by calls. */
export type AgentLimit = { until: Instant; message: string; times: number }
