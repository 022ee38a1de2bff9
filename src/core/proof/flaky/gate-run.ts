/** What the log says about gates on a content: how they ended there, and which tests failed and passed on the same one. */
import type { GateResult } from '../../types/checks.ts'
import type { Instant, StoryId } from '../../types/words.ts'

/** `by`: the story whose iteration first had this content checked, '' for work without a story, null for a check of the whole. */
export type GateRun = {
  content: string
  name: string
  story?: StoryId
  command: string
  by: StoryId | null
  hasPassed: boolean
  /** How it ended last. */
  isRed: boolean
  /** Names of the tests that failed; empty: its runner names none. Absent: it has not failed there. */
  failed?: string[]
}

/** The final check failed, and its failed gates have not run once more. `before`: what had passed before. */
export type FailedCheck = { results: GateResult[]; content: string; before: { stories?: StoryId[]; heldOut?: true } }

/** `test` empty: the gate as a whole. `by`: as above, so the work whose own code may be the cause. */
export type Flake = { gate: string; test: string; by: StoryId | null; times: number; iteration: number; at: Instant }
