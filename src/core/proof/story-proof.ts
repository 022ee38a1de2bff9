/** What a receipt says about the worth of a pass. */
import type { Grade } from '../types/checks.ts'
import type { Finding } from './finding.ts'
import type { Survivor } from './mutants/mutation.ts'

/** A suspicion that was no reason to refuse. `answer`: of a reviewer who agrees, or of a person; without one it is open. */
export type Reservation = Pick<Finding, 'rule' | 'file' | 'line' | 'words' | 'id'> & { answer?: string }

/** A mutant of the story's code that its gates did not notice. `answer`: a reviewer's. */
export type AnsweredSurvivor = Survivor & { answer?: string }

/** A person's yes to suspicions. `isDue`: the story has not been checked since. */
export type Acceptance = { by?: string; reservations: Reservation[]; isDue?: true }

/** `examined`: whether changed checks were cross-examined, or why not. `mutants`: if any were tried. */
export type StoryProof = {
  grade: Grade
  reservations: Reservation[]
  examined: 'yes' | 'not needed' | string
  /** What was checked where no test of the story fails on the old code, and why none needs to. */
  checked?: string
  mutants?: { tried: number; killed: number; survivors: AnsweredSurvivor[] }
}
