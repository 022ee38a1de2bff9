/** What checks an iteration: gates, reviewers and Ralph's own checks; their results, and what a pass is worth. */
import type { StoryId } from './words.ts'

/** A reviewer's question: does the story meet its criteria, is it done well, is everything done? */
export type Review = 'spec' | 'quality' | 'final'

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

/** About gates that are red before the first iteration: they must become green, they may stay as they are, or the run ends. */
export type BaselineAnswer = 'continue' | 'tolerate' | 'quit'
