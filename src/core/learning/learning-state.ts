/** What a run knows about its lessons: which are due, and what they brought. */
import type { StoryId } from '../types.ts'

/** What to learn from, what is being learned, and the effect of lessons and skills so far. */
export type LearningState = {
  due: { story: StoryId; outcome: 'success' | 'failure'; iteration: number }[]
  /** 'retiring': a skill, without a call. */
  running: 'none' | 'learning' | 'gathering' | 'skill' | 'retiring'
  isStopping: boolean
  /** Why the last answer could not be read: it is requested once more. */
  unread?: string
  /** Finished stories, and those with lessons; and those of the whole project since lessons were last collected. */
  finished: number
  captured: number
  sinceGathered: number
  /** There are new lessons since the general notes were last written. */
  hasNews?: true
  /** Categories that need a skill. */
  skills: string[]
  /** Iterations with a lesson or skill, and those that passed a story; and all iterations of the same kind. */
  uses: Record<string, UseCount>
  all: UseCount
  retired: string[]
}
export type UseCount = { times: number; passed: number }
