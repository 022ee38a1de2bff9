/** What was learned from a finished story: its form, and its lessons. */
import type { Instant, StoryId } from '../types.ts'

/** As in its file in `learnings/`. */
export type StoryLearnings = {
  task_id: StoryId
  outcome: 'success' | 'failure'
  timestamp: Instant
  successes: { pattern: string; category: string; reusable: boolean; mark?: Mark }[]
  failures: { pattern: string; lesson: string; category: string; mark?: Mark }[]
  discoveries: { description: string; category: string; mark?: Mark }[]
}

/** A mark on a lesson, by a person or by Ralph: kept for good, dropped, or retired because it did not help. */
export type Mark = 'kept' | 'dropped' | 'retired'

/** One thing to know, whatever its source. The id is a hash of its normalised text and category: the same lesson learned twice has one id. */
export type Lesson = {
  id: string
  kind: 'success' | 'failure' | 'discovery'
  /** What to know or do, in one or two sentences. */
  text: string
  category: string
  mark?: Mark
  /** `file`: from the project root. */
  source: { feature: string; story: StoryId; at: Instant; file: string }
}
