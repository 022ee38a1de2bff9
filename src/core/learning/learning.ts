/** What was learned from a finished story: its shape, and the single lessons in it. */
import type { Instant, StoryId } from '../types.ts'

/** As its file in `learnings/` has it. */
export type StoryLearnings = {
  task_id: StoryId
  outcome: 'success' | 'failure'
  timestamp: Instant
  successes: { pattern: string; category: string; reusable: boolean; mark?: Mark }[]
  failures: { pattern: string; lesson: string; category: string; mark?: Mark }[]
  discoveries: { description: string; category: string; mark?: Mark }[]
}

/** A person's word on a lesson, or Ralph's: kept for good, dropped, or retired because it did not help. */
export type Mark = 'kept' | 'dropped' | 'retired'

/** One thing to know, wherever it came from. The id is a hash of its normalised text and category: the same thing learned twice has one id. */
export type Lesson = {
  id: string
  kind: 'success' | 'failure' | 'discovery'
  /** What to know or to do, in one sentence or two. */
  text: string
  category: string
  mark?: Mark
  /** `file`: from the project root. */
  source: { feature: string; story: StoryId; at: Instant; file: string }
}
