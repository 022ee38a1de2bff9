/** A question to a person. */
import type { Reservation } from '../proof/story-proof.ts'
import type { Proposal } from '../types/plan.ts'
import type { StoryId } from '../types/words.ts'

export type Question = {
  question: string
  text?: string
  iteration: number
  story: StoryId | null
  /** Whether the work is done: a yes ends the run, if the gates agree. */
  accepts?: true
  /** The criterion that the asker would change. */
  proposal?: Proposal
  /** A person accepted the proposal, and the plan does not have it yet. */
  amends?: { by?: string }
  /** What is suspicious about a story that would pass: a yes lets it pass, anything else sends it back. */
  suspicions?: Reservation[]
}
