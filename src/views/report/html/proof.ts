/** Proof on the page: open reservations first of all, then each story's receipt, the weakest first. */
import { openReservations } from '../../../core/proof/receipt.ts'
import type { Grade } from '../../../core/types.ts'
import { byWeakness, censusWords, gateWords, reservationPlace } from '../../proof.ts'
import type { ReportData } from '../data.ts'
import { gradeMarks } from '../shared/marks.ts'
import { chip } from '../shared/parts.ts'
import { escaped } from './escape.ts'
import { type Cell, type Markup, make, table } from './table.ts'
import { duration, money } from './words.ts'

type Proofs = { receipts: ReportData['receipts']; list: Pick<ReportData['list'][number], 'id' | 'title' | 'state'>[] }

/** What a person should look at in the morning. */
export const reservationParts = ({ list, receipts }: Proofs): string[] =>
  list.flatMap(({ id, title, state }) => {
    const open = state === 'passes' ? openReservations(receipts[id]) : []
    if (open.length === 0) return []
    const items = open.map((reservation) => `<li>${escaped(reservationPlace(reservation))}</li>`)
    return [`<div class="reservation"><h3>${escaped(`${id}: ${title}`)}</h3><ul>${items.join('')}</ul></div>`]
  })

export const receiptParts = ({ receipts, list }: Proofs): string[] => [
  table(
    'Proof of each story, recorded by Ralph, weakest first',
    [
      { head: 'Story' },
      { head: 'Grade' },
      { head: 'Iteration', isNumber: true },
      { head: 'Gates', isWide: true },
      { head: 'Tests' },
      { head: 'Notes', isWide: true },
      { head: 'Commits' },
      { head: 'Agent' },
      { head: 'Cost', isNumber: true },
    ],
    list
      .map(({ id }) => ({ id, receipt: receipts[id] }))
      .toSorted((one, other) => byWeakness(one.receipt, other.receipt))
      .flatMap(({ id, receipt }): Cell[][] => {
        if (receipt === undefined || receipt.given) return []
        const commits = receipt.commits.map((commit) => `<code>${escaped(commit.slice(0, 7))}</code>`)
        return [
          [
            id,
            gradeChip(receipt.proof.grade),
            receipt.iteration,
            gateWords(receipt, duration),
            testWords(receipt.proof.census),
            noteWords(receipt.proof),
            { html: commits.join(', ') || '–' },
            receipt.agent,
            money(receipt.costUsd),
          ],
        ]
      }),
  ),
]

const gradeChip = (grade: Grade): Markup => chip(make, gradeMarks[grade].mark, gradeMarks[grade].title)

type StoryReceipt = ReportData['receipts'][string]

function testWords(census: StoryReceipt['proof']['census']): string {
  const counted = Object.entries(census ?? {})
  if (counted.length === 0) return 'not counted'
  return counted.map(([name, each]) => `${counted.length > 1 ? `${name}: ` : ''}${censusWords(each)}`).join('; ')
}

/** What is open, answered or was left out. */
function noteWords({ reservations, checked, examined, mutants }: StoryReceipt['proof']): string {
  const { tried, survivors } = mutants ?? { tried: 0, survivors: [] }
  const words = [
    ...reservations.map((each) =>
      each.answer === undefined ? `reservation: ${reservationPlace(each)}` : `${reservationPlace(each)}: ${each.answer}`,
    ),
    ...(checked === undefined ? [] : [checked]),
    ...(['yes', 'no', 'not needed'].includes(examined) ? [] : [`not examined: ${examined}`]),
    ...(tried === 0 ? [] : [`${survivors.length} of ${tried} mutants survived`]),
  ]
  return words.join('; ') || '–'
}
