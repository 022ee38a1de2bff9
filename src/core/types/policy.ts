/** The settings that decisions depend on. */
import type { Gate, Grade } from './checks.ts'
import type { HookName, Role, StoryId } from './words.ts'

/** An agent, with its model if that is not its usual one. */
export type Rival = { agent: string; model?: string }

/** Read once at the start of a run, and stored in its log. */
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
  /** How many candidates a story's last attempt has, and whose turn it is after the story's own agent and model. Absent: 1; only that one. */
  bestOf?: number
  rivals?: Rival[]
  /** Which hooks the user has set. Absent: none. */
  hooks?: HookName[]
}
