/** Small pieces that every view uses: chips, money, forecasts. */
import type { Outlook } from '../../../views/report/costs.ts'
import { tooLittleWords } from '../../../views/report/costs.ts'
import { duration, money } from '../../../views/report/html/words.ts'
import { plural, unpricedWords } from '../../../views/status/status.ts'
import type { BriefStatus, CostData, NeedKind, OverviewRow, PageStory, TimelineRow } from '../../data/shapes.ts'
import { Icon, type IconName } from './icons.tsx'

export type PageTone = 'good' | 'bad' | 'warn' | 'live' | 'work' | 'quiet'
export type StateMark = { word: string; tone: PageTone; icon: IconName }

export const Chip = ({ mark: { word, tone, icon }, title }: { mark: StateMark; title?: string }) => (
  <span class={`chip t-${tone}`} title={title}>
    <Icon name={icon} />
    {word}
  </span>
)

/** The icon alone, where the word stands beside it or in the title. */
export const MarkIcon = ({ mark: { word, tone, icon } }: { mark: StateMark }) => (
  <span class={`mark t-${tone}`} title={word}>
    <Icon name={icon} />
    <span class="hidden">{word}</span>
  </span>
)

const mark = (word: string, tone: PageTone, icon: IconName): StateMark => ({ word, tone, icon })

const states: Record<BriefStatus['state'], StateMark> = {
  idle: mark('Not started', 'quiet', 'ring'),
  running: mark('Running', 'live', 'play'),
  waiting: mark('Waiting', 'warn', 'clock'),
  paused: mark('Paused', 'warn', 'pause'),
  ended: mark('Ended', 'quiet', 'stop'),
  killed: mark('Process gone', 'bad', 'cross'),
}
const outcomes: Record<NonNullable<BriefStatus['outcome']>, StateMark> = {
  complete: mark('Complete', 'good', 'check'),
  blocked: mark('Blocked', 'warn', 'alert'),
  question: mark('Question', 'warn', 'question'),
  login: mark('Login needed', 'warn', 'alert'),
  limited: mark('Usage limit', 'warn', 'clock'),
  budget: mark('Budget spent', 'warn', 'alert'),
  'testing-only': mark('Only ran tests', 'bad', 'cross'),
  'gate-missing': mark('Gate cannot run', 'bad', 'cross'),
  stuck: mark('Stuck', 'bad', 'cross'),
  'stories-failed': mark('Stories failed', 'bad', 'cross'),
  incomplete: mark('Iteration limit', 'warn', 'alert'),
  interrupted: mark('Stopped', 'quiet', 'stop'),
}

export const stateMark = ({ state, outcome }: Pick<BriefStatus, 'state' | 'outcome'>): StateMark =>
  state === 'ended' && outcome !== null ? outcomes[outcome] : states[state]

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

const storyMarks: Record<PageStory['state'], StateMark> = {
  passes: mark('Passed', 'good', 'check'),
  open: mark('Open', 'quiet', 'ring'),
  failed: mark('Failed', 'bad', 'cross'),
  skipped: mark('Skipped', 'quiet', 'skip'),
  working: mark('Working', 'live', 'play'),
  asks: mark('Question', 'warn', 'question'),
}
export const storyMark = ({ state }: Pick<PageStory, 'state'>): StateMark => storyMarks[state]

const verdicts: Record<NonNullable<TimelineRow['verdict']>, StateMark> = {
  done: mark('Done', 'good', 'check'),
  worked: mark('Worked', 'work', 'dot'),
  failed: mark('Failed', 'bad', 'cross'),
  blocked: mark('Blocked', 'warn', 'alert'),
  question: mark('Question', 'warn', 'question'),
  throttled: mark('Provider limit', 'quiet', 'clock'),
  interrupted: mark('Stopped', 'quiet', 'stop'),
  lost: mark('Lost', 'quiet', 'stop'),
}
/** `isLive`: whether its run still is; what a gone process left behind does not run. */
export function verdictMark({ verdict, endedAt }: Pick<TimelineRow, 'verdict' | 'endedAt'>, isLive: boolean): StateMark {
  if (verdict !== null) return verdicts[verdict]
  if (!isLive) return verdicts.lost
  return endedAt === null ? states.running : mark('Checking', 'live', 'clock')
}

type ShownGrade = NonNullable<PageStory['proof']>['grade']
const grades: Record<ShownGrade, { mark: StateMark; title: string }> = {
  demonstrated: {
    mark: mark('Demonstrated', 'good', 'check'),
    title: 'A test of this story fails on the old code and passes now',
  },
  reviewed: { mark: mark('Reviewed', 'good', 'check'), title: 'Gates pass and a reviewer agrees' },
  gated: { mark: mark('Gated', 'good', 'check'), title: 'Gates pass' },
  unproven: { mark: mark('Unproven', 'warn', 'alert'), title: 'No gate confirmed it: only the agent says so' },
}

/** What a pass is worth, and how many reservations are open. */
export function GradeChip({ proof }: { proof: { grade: ShownGrade; reservations: { answer?: string }[] } | null }) {
  if (proof === null) return null
  const { mark: shown, title } = grades[proof.grade]
  const open = proof.reservations.filter(({ answer }) => answer === undefined).length
  return (
    <>
      <Chip mark={shown} title={title} />
      {open > 0 && <Chip mark={mark(plural(open, 'reservation'), 'warn', 'alert')} title="It passes, but this is suspicious" />}
    </>
  )
}

/** Reasons begin in the middle of a sentence. */
export const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)

/** What the grade means, and what was checked for it. */
export const proofSentence = ({
  grade,
  checked,
}: Pick<NonNullable<PageStory['proof']>, 'grade'> & { checked?: string }): string =>
  `${grades[grade].title}${checked === undefined ? '' : `; ${checked}`}.`

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

const range = ({ p50, p90 }: { p50: number; p90: number }, words: (value: number) => string): string =>
  words(p50) === words(p90) ? words(p90) : `${words(p50)} to ${words(p90)}`

/** How much of something is done; the numbers beside it say the same. */
export const Bar = ({ share }: { share: number }) => (
  <span class="bar" aria-hidden="true">
    <span style={{ width: `${Math.round(100 * Math.min(1, share))}%` }} />
  </span>
)

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
