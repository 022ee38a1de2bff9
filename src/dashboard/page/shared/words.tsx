/** Small pieces that every view uses: chips, money, forecasts. */
import { Fragment, h } from 'preact'
import type { Outlook } from '../../../views/report/costs.ts'
import { range, tooLittleWords } from '../../../views/report/costs.ts'
import { duration, money } from '../../../views/report/html/words.ts'
import { gradeMarks, mark, type StateMark, stateMark } from '../../../views/report/shared/marks.ts'
import { chip, gradeChips, markIcon, type ShownProof, shareBar } from '../../../views/report/shared/parts.ts'
import { plural, unpricedWords } from '../../../views/status/status.ts'
import type { CostData, NeedKind, OverviewRow, PageStory } from '../../data/shapes.ts'
import { make } from './make.ts'

export const Chip = ({ mark: shown, title }: { mark: StateMark; title?: string }) => chip(make, shown, title)
export const MarkIcon = ({ mark: shown }: { mark: StateMark }) => markIcon(make, shown)
export const Bar = ({ share }: { share: number }) => shareBar(make, share)

export const needMarks: Record<NeedKind, StateMark> = {
  question: mark('Question', 'warn', 'question'),
  blocked: mark('Blocked', 'warn', 'alert'),
  login: mark('Login needed', 'warn', 'alert'),
  failed: mark('Failed', 'bad', 'cross'),
  limit: mark('Limit reached', 'warn', 'clock'),
  killed: mark('Process gone', 'bad', 'cross'),
  ready: mark('Answered', 'live', 'play'),
  unreadable: mark('Log damaged', 'bad', 'cross'),
}

/** The chip of a feature: what a person must do, else its state. Why it failed or which limit it hit says more than that it did. */
export function featureMark({
  need,
  status,
  isArchived,
  problem,
}: Pick<OverviewRow, 'need' | 'status' | 'isArchived' | 'problem'>): StateMark {
  if (need !== null && need.kind !== 'failed' && need.kind !== 'limit') return needMarks[need.kind]
  if (isArchived && status?.outcome === 'complete') return archivedMark
  if (status !== undefined) return stateMark(status)
  return problem === undefined ? mark('Loading', 'quiet', 'clock') : needMarks.unreadable
}
export const archivedMark = mark('Archived', 'quiet', 'check')

/** What a pass is worth, and how many reservations are open. */
export const GradeChip = ({ proof }: { proof: ShownProof | null }) =>
  proof === null ? null : h(Fragment, {}, ...gradeChips(make, proof))

/** What the grade means, and what was checked for it. */
export const proofSentence = ({
  grade,
  checked,
}: Pick<NonNullable<PageStory['proof']>, 'grade'> & { checked?: string }): string =>
  `${gradeMarks[grade].title}${checked === undefined ? '' : `; ${checked}`}.`

/** The known sum; a plus sign if there is more that nobody knows. */
export const CostSum = ({ cost, isShort = false }: { cost: CostData; isShort?: boolean }) => {
  const unknown = unpricedWords(cost)
  return (
    <span title={unknown === '' ? undefined : money(cost.costUsd) + unknown}>
      {money(cost.costUsd)}
      {unknown !== '' && (isShort ? '+' : <small> + {plural(cost.unpriced, 'call')} of unknown cost</small>)}
    </span>
  )
}

export function forecastWords(outlook: Outlook): string {
  switch (outlook.kind) {
    case 'nothing-open':
      return 'no open stories'
    case 'too-little':
      return tooLittleWords(outlook)
    case 'told': {
      const { iterations, ms, costUsd } = outlook
      const cost = costUsd === null ? '' : `, ${range(costUsd, money)}`
      return `${range(iterations, String)} ${iterations.p90 === 1 ? 'iteration' : 'iterations'}, ${range(ms, duration)}${cost}`
    }
  }
}

/** Keeps the place of what is still being read. */
export const Skeleton = ({ lines, label }: { lines: number; label: string }) => (
  <div class="skeleton" role="status">
    <span class="hidden">{label}</span>
    {Array.from({ length: lines }, (_, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
      <span key={index} aria-hidden="true" />
    ))}
  </div>
)

export const Problem = ({ text }: { text: string }) =>
  text === '' ? null : (
    <p class="problem" role="alert">
      {text}
    </p>
  )
