/** What a person dismissed of what reviewers found: it refuses the story no longer, and a receipt says who said so. */
import { isProven } from '../proof/grade.ts'
import { dismissedWords } from '../proof/receipt.ts'
import type { Acceptance, Reservation } from '../proof/story-proof.ts'
import type { Dismissed } from '../review/findings.ts'
import type { State, StoryState } from '../state.ts'
import type { EventOf, StoryId } from '../types.ts'
import { withStoryState } from './with-change.ts'

export function findingDismissed(state: State, { story: id, finding, why, by }: EventOf<'finding.dismissed'>): State {
  const story = state.stories[id]
  const found = story === undefined ? undefined : dismissable(story).find((each) => each.id === finding)
  if (story === undefined || found === undefined) return state
  const entry: Dismissed = { ...found, ...(by === undefined ? {} : { by }), ...(why === undefined ? {} : { why }) }
  const dismissed = [...(story.dismissed ?? []).filter((known) => known.id !== finding), entry].slice(-mostDismissed)
  const open = story.review?.open.filter((known) => known.id !== finding) ?? []
  const review = story.review === undefined ? {} : { review: { ...story.review, open } }
  const wasLast = open.length === 0 && (story.review?.open.length ?? 0) > 0
  const accepted: Acceptance = { ...(by === undefined ? {} : { by }), reservations: [], isDue: true }
  const isDue = wasLast && isRefusedByReviewAlone(story) && !state.flights.some((flight) => flight.story === id)
  return withStoryState(state, id, {
    dismissed,
    ...review,
    ...(isDue ? { accepted } : {}),
    ...receiptAfter(story, finding, dismissedWords({ by, why })),
  })
}

/** A person's answer about suspicions. What of them came from a reviewer must not be found again. */
export function withAcceptance(state: State, id: StoryId, accepted: Acceptance | undefined): State {
  const by = accepted?.by === undefined ? {} : { by: accepted.by }
  const added =
    accepted?.reservations.flatMap((one) => (one.id === undefined ? [] : [{ ...dismissedOf(one, one.id), ...by }])) ?? []
  if (added.length === 0) return withStoryState(state, id, { accepted })
  const known = state.stories[id]?.dismissed ?? []
  return withStoryState(state, id, { accepted, dismissed: [...known, ...added].slice(-mostDismissed) })
}

/** Of one story. */
const mostDismissed = 100

/** What refused the story, and what is a reservation about its pass. */
export function dismissable({ review, receipt }: Pick<StoryState, 'review' | 'receipt'>): Dismissed[] {
  const reserved = (receipt?.proof?.reservations ?? []).filter(({ answer }) => answer === undefined)
  return [
    ...(review?.open ?? []).map(({ id, kind, words }) => ({ id, kind, words })),
    ...reserved.flatMap((reservation) => (reservation.id === undefined ? [] : [dismissedOf(reservation, reservation.id)])),
  ]
}

const dismissedOf = ({ words }: Reservation, id: string): Dismissed => ({ id, kind: 'missing', words })

/** Gates passed, and nothing else was wrong: it needs no other attempt. */
function isRefusedByReviewAlone({ lastRefused, refusals }: StoryState): boolean {
  const gates = refusals.at(-1)?.gates ?? []
  return lastRefused && gates.length > 0 && gates.every(({ kind, name }) => kind === 'review' && name === 'spec')
}

function receiptAfter({ receipt }: StoryState, finding: string, answer: string): Pick<StoryState, 'receipt'> {
  if (receipt?.proof === undefined) return {}
  const reservations = receipt.proof.reservations.map((reservation) =>
    reservation.id === finding && reservation.answer === undefined ? { ...reservation, answer } : reservation,
  )
  const proof = { ...receipt.proof, reservations }
  return { receipt: { ...receipt, proof, proven: isProven(proof) } }
}
