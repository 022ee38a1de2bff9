/** A receipt in words and as data: what proved the story, what only warned, and what is left open. */

import { listed } from '../core/plan/stories.ts'
import { isAcceptedByPerson, openReservations, receiptProof, reservedStories } from '../core/proof/receipt.ts'
import type { Reservation, StoryProof } from '../core/proof/story-proof.ts'
import type { State, StoryState } from '../core/state.ts'
import { grades } from '../core/types/checks.ts'
import type { Census, GateResult, Grade } from '../core/types.ts'

type Receipt = NonNullable<StoryState['receipt']>

/** "proven by tests, spec; lint warned", "passed tests; reservation: …". */
export function proofWords(receipt: Receipt): string {
  const { by, warned } = receiptProof(receipt)
  const open = openReservations(receipt)
  const shown = receipt.proof?.grade === 'demonstrated' ? ': one of its tests fails on the old code' : ''
  const how = by.length === 0 ? 'unproven' : `${open.length > 0 ? 'passed' : 'proven by'} ${by.join(', ')}${shown}`
  const { checked } = receipt.proof ?? {}
  const accepted = (receipt.proof?.reservations ?? []).filter(isAcceptedByPerson)
  const [first] = accepted
  return [
    how,
    ...(checked === undefined ? [] : [checked]),
    ...warnedWords(warned),
    ...(first === undefined ? [] : [`${first.answer}: ${accepted.map(({ words }) => words).join(', ')}`]),
    ...open.map(({ words }) => `reservation: ${words}`),
    ...mutantWords(receipt),
  ].join('; ')
}

/** The same with durations, for a column about proof. */
export function gateWords({ gates }: Pick<Receipt, 'gates'>, duration: (ms: number) => string): string {
  const { by, warned } = receiptProof({ gates })
  const proved = gates.filter(({ name, passed, soft }) => passed && soft !== true && by.includes(name))
  const words = proved.map(({ name, durationMs }) => `${name} ✓ ${duration(durationMs)}`)
  return [words.length === 0 ? 'none: unproven' : words.join(', '), ...warnedWords(warned)].join('; ')
}

function mutantWords({ proof }: Receipt): string[] {
  const { tried, survivors } = proof?.mutants ?? { tried: 0, survivors: [] }
  if (tried === 0) return []
  if (survivors.length === 0) return ['no mutant survived']
  return [`${survivors.length} of ${tried} mutants survived: ${listed(survivors.map(({ file, line }) => `${file}:${line}`))}`]
}

const warnedWords = (warned: string[]): string[] => (warned.length === 0 ? [] : [`${warned.join(', ')} warned`])

/** Every key is there: null stands for a file or line that is not known. */
type ReservationData = Omit<Reservation, 'file' | 'line'> & { file: string | null; line: number | null }

/** For programs. `census`: the tests that ran, by gate; null: none could be counted. */
export type ProofData = {
  grade: Grade
  proven: boolean
  reservations: ReservationData[]
  census: Record<string, Census> | null
  examined: string
  /** What was checked where no test of the story fails on the old code, and why none needs to. */
  checked?: string
  /** Absent: none were tried. */
  mutants?: StoryProof['mutants']
}

export function proofData(receipt: Receipt): ProofData {
  const { grade, reservations, examined, checked, mutants }: StoryProof = receipt.proof ?? {
    grade: gradeOf(receipt),
    reservations: [],
    examined: 'no',
  }
  const census = countedTests(receipt.gates)
  const more = { ...(checked === undefined ? {} : { checked }), ...(mutants === undefined ? {} : { mutants }) }
  return { grade, proven: receipt.proven, reservations: reservations.map(withPlace), census, examined, ...more }
}

const withPlace = ({ rule, file, line, ...rest }: Reservation): ReservationData => ({
  rule,
  file: file ?? null,
  line: line ?? null,
  ...rest,
})

/** An older receipt has none. */
export const gradeOf = ({ proof, proven }: Graded): Grade => proof?.grade ?? (proven ? 'gated' : 'unproven')

/** By gate; null: none could be counted. */
export function countedTests(results: Pick<GateResult, 'name' | 'census'>[]): Record<string, Census> | null {
  const counted = results.flatMap(({ name, census }) => (census === undefined ? [] : [[name, census] as const]))
  return counted.length === 0 ? null : Object.fromEntries(counted)
}

/** "12 tests passed, 1 skipped". */
export function censusWords({ passed, failed, skipped }: Census): string {
  const more = [...(failed > 0 ? [`${failed} failed`] : []), ...(skipped > 0 ? [`${skipped} skipped`] : [])]
  return [`${passed === 1 ? '1 test' : `${passed} tests`} passed`, ...more].join(', ')
}

/** "expected value changed (test/a.test.ts:12)". */
export const reservationPlace = ({ file, line, words }: Reservation | ReservationData): string =>
  file ? `${words} (${file}${line ? `:${line}` : ''})` : words

/** A line for each open reservation of a story that passes, in the order of the plan. */
export function openReservationLines(state: Pick<State, 'plan' | 'stories'>): string[] {
  return reservedStories(state).flatMap((id) =>
    openReservations(state.stories[id]?.receipt).map((reservation) => `${id}: ${reservationPlace(reservation)}`),
  )
}

/** "1 unproven, 2 gated, 4 demonstrated": of the stories that passed here; none: no line. */
export function gradeLine({ plan, stories }: Pick<State, 'plan' | 'stories'>): string[] {
  const passed = (plan?.stories ?? []).flatMap(({ id, passes }) => {
    const receipt = stories[id]?.receipt
    return passes && receipt !== undefined && !receipt.given ? [gradeOf(receipt)] : []
  })
  const counts = grades.map((grade) => ({ grade, count: passed.filter((other) => other === grade).length }))
  const words = counts.filter(({ count }) => count > 0).map(({ grade, count }) => `${count} ${grade}`)
  return words.length === 0 ? [] : [words.join(', ')]
}

type Graded = Pick<Receipt, 'proven' | 'given'> & { proof?: { grade: Grade; reservations: Pick<Reservation, 'answer'>[] } }

/** Where to look first: what is open, then the weakest. */
export function byWeakness(one: Graded | undefined, other: Graded | undefined): number {
  const rank = (receipt: Graded | undefined): number => {
    if (receipt === undefined || receipt.given) return grades.length
    return openReservations(receipt).length > 0 ? -1 : grades.indexOf(gradeOf(receipt))
  }
  return rank(one) - rank(other)
}
