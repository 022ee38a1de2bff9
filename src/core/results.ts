/** The repository, gates, and what they, calls, landings, and the putting aside of a failed story come back with. */
import type { Exit, GateResult, Plan, Policy, Repo, Review, Scope, Signal, StoryId, Usage } from './words.ts'

/** What the agent's final words say. Confidence is shown and decides nothing. */
export type Reading = {
  status: 'complete' | 'in-progress' | 'blocked' | 'question' | 'testing' | 'stuck' | 'unknown'
  exitSignal: boolean
  confidence: number
  workType: string
  tests: string
  /** What the agent's status block says it did: shown, and compared with nothing. */
  reported?: { tasks?: number; files?: number }
  evidence: string[]
  signals: Signal[]
}

/**
 * The work of a story that was done apart came onto the working branch, or, with a red result, it did not: what it conflicts with, or
 * the gates that are red after the merge. `blocked`: a person must make room first.
 */
export type LandingEnded = { iteration: number; results: GateResult[]; commits: string[]; repo: Repo; blocked?: string }

/** A reviewer's call came back. Without a result it has not answered: its words could not be read, or the provider was away. */
export type ReviewEnded = {
  iteration: Scope
  review: Review
  story: StoryId | null
  agent: string
  result?: GateResult
  /** Why the answer could not be read; the next try is told. */
  problem?: string
  throttled?: Extract<Signal, { kind: 'throttled' }>
  /** The reviewer calls a person. */
  calls?: { for: 'blocked' | 'question'; text: string }
  exit: Exit
  usage: Usage
  durationMs: number
  outputChars: number
}

/** The work of a failed story: on its branch and out of the way, or left where it is; `problem`: why nothing could be moved. */
export type PutAside = { story: StoryId; branch: string; how: 'reset' | 'reverted' | 'kept'; problem?: string; repo: Repo }

/** What a learner's call brought: a file of learnings, or why not. Neither costs more than a warning. */
export type LearningEnded = {
  story: StoryId
  agent: string
  file?: string
  /** How many lessons, and how many texts in them were kept out as instructions in disguise. */
  lessons: number
  flagged: number
  /** Why there is none; `isLost`: not the answer's fault, so it is not asked for again. */
  problem?: string
  isLost?: true
  usage: Usage
  durationMs: number
}

/** `story`: of several questions, the one of this story. `question`: what was asked, where no run has asked it: a person wrote decide.txt. */
export type QuestionAnswered = { text: string; story?: StoryId | null; question?: string }

/** The same run after a kill. `claims`: stories that a person marked done while no run was live. */
export type Resumed = {
  log?: 1
  plan: Plan | null
  policy: Policy
  repo: Repo
  pid: number
  claims?: StoryId[]
  /** As in `run.started`. */
  settings?: string[]
}

/** `agent` empty: made from the lessons alone. */
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
 * `problem`: git would not commit the work, so what passed does not pass after all. `results`: what was committed is not what the gates
 * had seen, so they ran again on it; red, they are the problem.
 */
export type IterationSettled = { iteration: number; repo: Repo; commits: string[]; problem?: string; results?: GateResult[] }

/**
 * What git does not look at when a run begins: `ignored`, but for dependencies, which is part of the place that gates run in; `unwatched`,
 * by the index. Absent: more than can be listed, or a log of before this was written.
 */
export type OutOfSight = { ignored?: string[]; unwatched?: string[] }

/** Stories that passed and whose work is not on the branch, each with what became of it; and the repository as it stands. */
export type BranchAnswered = { missing: { story: StoryId; because: string }[]; repo: Repo }
