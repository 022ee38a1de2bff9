/** What proved a story, and what only warned: the only place that decides this, for the core and all views. */
import { countingStories, listed } from '../plan/stories.ts'
import type { State, StoryState } from '../state.ts'
import type { GateResult, StoryId } from '../types.ts'
import type { Reservation } from './story-proof.ts'

type Result = Pick<GateResult, 'name' | 'passed' | 'soft' | 'story'>
/** Names, each once: hard gates and reviewers that passed; soft gates that failed. */
export type Proof = { by: string[]; warned: string[] }

export const proofOf = (results: Result[]): Proof => ({
  by: namesOf(results.filter(({ passed, soft }) => passed && soft !== true)),
  warned: namesOf(results.filter(({ passed }) => !passed)),
})

/** From all results of an iteration, those for this story. */
export const about = <R extends Pick<GateResult, 'story'>>(results: R[], id: StoryId): R[] =>
  results.filter(({ story }) => story === undefined || story === id)

/** After "every story passes": what proved them, from their receipts. `hasGates`: hard gates for everything just passed. */
export function wholeProof(state: State, hasGates: boolean): string {
  const stories = state.plan === null ? [] : countingStories(state.plan, state.policy)
  const proofs = stories.map(({ id, gates = {} }) => {
    const { by, warned } = receiptProof(state.stories[id]?.receipt)
    return { by: [...by, ...Object.keys(gates)], warned } // its own gates pass at the end, whoever said that it passes
  })
  const warned = [...new Set(proofs.flatMap((proof) => proof.warned))]
  const only = warned.length === 0 ? '' : ` (${listed(warned)} only warned)`
  const but = reservationWords(reservedStories(state))
  if (hasGates) return `, and so does every ${warned.length === 0 ? '' : 'hard '}gate${only}${but}`
  const proven = proofs.filter(({ by }) => by.length > 0)
  if (proven.length === 0) return `; no gate is configured to check it${only}`
  const by = listed([...new Set(proven.flatMap((proof) => proof.by))])
  const whole = proven.length === stories.length ? 'proven by' : `${proven.length} of ${stories.length} proven by`
  return `, ${whole} ${by}${only}${but}`
}

/** Suspicions about a pass that nobody has answered. */
export const openReservations = <R extends Pick<Reservation, 'answer'>>(
  receipt: { proof?: { reservations: R[] } } | undefined,
): R[] => receipt?.proof?.reservations.filter(({ answer }) => answer === undefined) ?? []

/** Not by a reviewer, who explains. */
export const isAcceptedByPerson = ({ answer }: Reservation): boolean => answer?.startsWith(acceptedMark) === true
export const acceptedMark = 'accepted by '
/** Of what a reviewer found. */
export const dismissedWords = ({ by, why }: { by?: string | undefined; why?: string | undefined }): string =>
  `${acceptedMark}${by ?? 'a person'}${why === undefined ? '' : `: ${why}`}`

/** Of passed stories. */
export const reservedStories = ({ plan, stories }: Pick<State, 'plan' | 'stories'>): StoryId[] =>
  (plan?.stories ?? [])
    .filter(({ id, passes }) => passes && openReservations(stories[id]?.receipt).length > 0)
    .map(({ id }) => id)

/** At the end of a sentence about what passes. */
export const reservationWords = (reserved: StoryId[]): string =>
  reserved.length === 0 ? '' : `, with ${reserved.length === 1 ? 'a reservation' : 'reservations'} about ${listed(reserved)}`

/** A story that passed before Ralph looked has none. */
export const receiptProof = (receipt: Pick<NonNullable<StoryState['receipt']>, 'gates'> | undefined): Proof =>
  proofOf(receipt?.gates ?? [])

const namesOf = (results: Result[]): string[] => [...new Set(results.map(({ name }) => name))]
