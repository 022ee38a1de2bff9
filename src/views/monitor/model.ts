/** What the monitor shows of a feature, as text and bars: a pure fold, without a terminal. */

import { budgetsOf } from '../../core/decide/budget.ts'
import { shiftWords } from '../../core/decide/escalation.ts'
import { outcomeWords } from '../../core/decide/outcome.ts'
import type { Flight, State } from '../../core/state.ts'
import { msBetween, sayDuration } from '../../core/text/time.ts'
import type { Instant, StoryId } from '../../core/types.ts'
import { localTime, sayLocal } from '../local-time.ts'
import { type Outlook, outlookWords } from '../report/costs.ts'
import type { ScreenLine, Tone } from '../screen/line.ts'
import type { StatusFile } from '../status/account.ts'
import { breakerName, costWords, type Status } from '../status/status.ts'
import type { OpenQuestion } from './keys.ts'
import { flat, line } from './lines.ts'
import { type MonitorRow, type OpenedStory, openedOf, rowText, type StoryDetail, storyRows } from './stories.ts'

/** What is not in status.json. */
export type Extras = {
  /** As the log has it. */
  state: State
  /** Of the last run; null: it has not ended, or was killed. */
  endedAt: Instant | null
  /** Calls of all runs of this user; limit 0: none. */
  calls: { thisHour: number; limit: number }
  took: Record<StoryId, { ms: number; costUsd: number | null }>
  /** Of each running iteration, else of the last: its tool and file, and the end of the output of agent and gates. */
  panes: PaneTail[]
  opened: OpenedStory | null
}
type PaneTail = { iteration: number; tool: string; file: string; log: ScreenLine[] }
export type MonitorPane = { title: string; log: ScreenLine[] }
export type Model = {
  feature: string
  isLive: boolean
  /** Paused, or about to pause: the pause key then resumes. */
  isPausing: boolean
  /** Open questions, oldest first. */
  questions: OpenQuestion[]
  head: ScreenLine[]
  now: ScreenLine[]
  indicators: ScreenLine[]
  stories: { rows: MonitorRow[] /** the one at work, or the first open one */; current: number }
  /** One per parallel worker. */
  panes: MonitorPane[]
  opened: StoryDetail | null
}

export function monitorModel(status: StatusFile, extras: Extras, now: Instant): Model {
  const { state } = extras
  const isLive = !['idle', 'ended', 'killed'].includes(status.state)
  const rows = storyRows(status, extras.took, state.flights, now)
  return {
    feature: status.feature,
    isLive,
    isPausing: isLive && state.pause !== 'none',
    questions: status.questions.map((question) => ({ story: question.story, words: questionWords(question) })),
    head: headLines(status, extras, isLive, now),
    indicators: [estimateLine(status.forecast), indicatorLine(status, state)],
    now: isLive ? [...nowLines(status, extras, now), ...shiftLines(state)] : [],
    stories: rows,
    panes: extras.panes.map((pane) => paneOf(pane, state, extras.panes.length > 1, now)),
    opened: extras.opened && openedOf(extras.opened, status, state, now),
  }
}

/** Everything stacked, for output without a terminal. */
export function snapshotLines({ head, now, questions, indicators, stories, panes }: Model): string[] {
  const asks = questions.map(({ words }) => `Asks      ${words}`)
  const log = panes.flatMap((pane) =>
    pane.log.length === 0 ? [] : [pane.title, ...pane.log.slice(-shownLog).map(({ text }) => text)],
  )
  const texts = (lines: ScreenLine[]): string[] => lines.map(({ text }) => text)
  return [...texts(head), ...asks, ...texts(now), ...texts(indicators), ...stories.rows.map((row) => rowText(row)), ...log]
}

const shownLog = 20

function headLines(status: Status, { state, endedAt, calls }: Extras, isLive: boolean, now: Instant): ScreenLine[] {
  const { feature, run, iteration, used, maxIterations, startedAt, because } = status
  if (run === '') return [line('strong', `${feature} · never run. Start with: ralph run`)]
  const over = endedAt ?? state.at
  const when = isLive ? '' : `, ${sayLocal(over, now)}`
  const tone: Tone = status.outcome === 'complete' ? 'good' : isLive ? 'strong' : 'warn'
  const head = [feature, `${stateWords(status, state, now)}${when}`, `iteration ${iteration} (${used} of ${maxIterations} used)`]
  const lines = [
    line(tone, [...head, ...(isLive ? [`run ${run}`] : [])].join(' · ')), // one row of 80 columns, also with when it ended
    progressLine(status, isLive ? { ...state, at: now } : state, calls, Math.max(0, msBetween(startedAt, isLive ? now : over))),
  ]
  // An open question is shown below.
  const isTold = because === '' || (status.outcome === 'question' && status.questions.length > 0)
  return isTold ? lines : [...lines, line('plain', because)]
}

/** Stories, time, money and calls. */
function progressLine({ stories, cost }: Status, state: State, calls: Extras['calls'], ms: number): ScreenLine {
  const { complete, total, unproven } = stories
  const budgets = budgetsOf(state)
  const costBudget = budgets.find(({ which }) => which === 'cost')
  const known = `${costWords(cost.usd)}${cost.usd !== null && cost.unpriced > 0 ? ' plus unknown' : ''}`
  const parts = [
    ...(total === 0
      ? []
      : [`${bar(complete / total)} ${complete}/${total} stories${unproven > 0 ? ` (${unproven} unproven)` : ''}`]),
    budgets.find(({ which }) => which === 'time')?.words ?? sayDuration(ms),
    costBudget === undefined ? known : `${costBudget.words}${cost.unpriced > 0 ? ', not all known' : ''}`,
    ...budgets.flatMap(({ which, words }) => (which === 'cost' || which === 'time' ? [] : [words])),
    calls.limit === 0 ? `${calls.thisHour} calls this hour` : `${calls.thisHour}/${calls.limit} calls this hour`,
  ]
  const shares = [
    ...budgets.map(({ used, limit }) => (limit === 0 ? 1 : used / limit)),
    ...(calls.limit === 0 ? [] : [calls.thisHour / calls.limit]),
  ]
  return line(toneOf(Math.max(0, ...shares)), parts.join(' · '))
}

function stateWords({ state: word, outcome, because, waiting }: Status, { pause, stop }: State, now: Instant): string {
  switch (word) {
    case 'idle':
      return 'idle'
    case 'killed':
      return because === '' ? 'killed; run again to resume: ralph run' : `stopped before its end: ${because}`
    case 'ended':
      return `ended: ${outcomeWords(outcome)}`
    case 'paused':
      return 'paused'
    case 'waiting':
    case 'running': {
      const what = waiting ? `waiting until ${localTime(waiting.until, now)} (${waitWords[waiting.for]})` : 'running'
      if (stop !== undefined) return `${what}, stops ${stop.now ? 'now' : 'after this iteration'}`
      return pause === 'requested' ? `${what}, pauses after this iteration` : what
    }
  }
}

const waitWords = { rate: 'hourly call limit', 'usage-limit': "the provider's usage limit", retry: 'retry' } as const

const barWidth = 16
const bar = (share: number): string => {
  const full = Math.min(barWidth, Math.max(0, Math.round(share * barWidth)))
  return '█'.repeat(full) + '░'.repeat(barWidth - full)
}
const toneOf = (share: number): Tone => (share >= 1 ? 'bad' : share >= 0.8 ? 'warn' : 'plain')

const estimateLine = (outlook: Outlook): ScreenLine =>
  line(outlook.kind === 'told' ? 'plain' : 'dim', `Estimate  ${outlookWords(outlook)}`)

/** One quiet line, unless something counts toward an end. */
function indicatorLine({ breaker }: Status, { inARow, policy, indicators }: State): ScreenLine {
  const counting = Object.entries(breaker.counters).flatMap(([rule, { times, threshold }]) =>
    times === 0 || threshold === 0 ? [] : [`${rule} ${times}/${threshold}`],
  )
  const of = (times: number, needed: number): string => (needed === 0 ? `${times}` : `${times}/${needed}`)
  const words = [
    ...counting,
    ...(inARow.done === 0 ? [] : [`done signals ${of(inARow.done, policy.doneSignals)}`]),
    ...(inARow.testing === 0 ? [] : [`testing only ${of(inARow.testing, policy.testLoops)}`]),
    ...(indicators.claims.length === 0 ? [] : [`claimed done in ${indicators.claims.join(', ')}`]),
  ]
  const isQuiet = breaker.state === 'closed' && counting.length === 0
  const tone: Tone = breaker.state === 'open' ? 'bad' : isQuiet ? 'dim' : 'warn'
  return line(tone, `Breaker   ${breakerName(breaker.state)}${words.length === 0 ? '' : `: ${words.join(' · ')}`}`)
}

/** With several workers, the title of each pane says it. */
function nowLines({ story }: Status, { state, panes }: Extras, now: Instant): ScreenLine[] {
  const [flight, ...others] = state.flights
  if (flight === undefined) return [line('dim', 'Now       between iterations')]
  if (others.length > 0) return []
  const since = sayDuration(Math.max(0, msBetween(flight.startedAt, now)))
  const what = `${story ?? 'the whole project'}, attempt ${flight.attempt}, ${since}`
  return [line('good', `Now       ${what} · ${doingWords(flight, panes[0])}`)]
}

function doingWords(flight: Flight, { tool = '', file = '' }: Partial<PaneTail> = {}): string {
  const last = file === '' || tool.endsWith(file) ? tool : `${tool} · file ${file}`
  return stages[flight.phase] ?? (tool === '' ? 'the agent has used no tool yet' : last)
}

function paneOf(pane: PaneTail, { flights }: State, isOneOfMany: boolean, now: Instant): MonitorPane {
  const flight = flights.find(({ iteration }) => iteration === pane.iteration)
  const log = pane.log.map(({ tone, text }) => line(tone, text))
  if (!isOneOfMany || flight === undefined)
    return { title: pane.iteration === 0 ? 'Log' : `Log of iteration ${pane.iteration}`, log }
  const since = sayDuration(Math.max(0, msBetween(flight.startedAt, now)))
  return { title: flat(`▸ ${flight.story ?? 'the whole project'} · ${since} · ${doingWords(flight, pane)}`), log }
}

const shiftLines = ({ flights }: State): ScreenLine[] =>
  flights
    .filter(({ shift }) => shift !== '')
    .map((flight) => line('warn', `          ${flight.story === null ? '' : `${flight.story} `}${shiftWords(flight)}`))

/** After the agent; null: it is still working. */
const stages: Record<Flight['phase'], string | null> = {
  working: null,
  returned: 'inspecting its work',
  checking: 'running the gates',
  reviewing: 'in review',
  landing: 'merging its work',
  waiting: 'judging',
  judged: 'judging',
}

const questionWords = ({ story, question }: Status['questions'][number]): string =>
  flat(`${story === null ? '' : `${story}: `}${question}`)
