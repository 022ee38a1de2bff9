/** What the monitor shows of a feature, as text and bars: a pure fold, without a terminal. */
import { type Budget, budgetsOf } from '../../core/decide/budget.ts'
import { shiftWords } from '../../core/decide/escalation.ts'
import type { Flight, State } from '../../core/state.ts'
import { plain } from '../../core/text/plain.ts'
import { msBetween, sayDuration } from '../../core/text/time.ts'
import type { Instant } from '../../core/types.ts'
import { type Outlook, outlookWords } from '../report/costs.ts'
import type { ScreenLine, Tone } from '../screen/line.ts'
import type { StatusFile } from '../status/account.ts'
import { breakerName, costWords, plural, type Status } from '../status/status.ts'
import type { OpenQuestion } from './keys.ts'

/** What is not in status.json. */
export type Extras = {
  /** As the log has it. */
  state: State
  /** Of the last run; null: it has not ended, or was killed. */
  endedAt: Instant | null
  /** Calls of all runs of this user; limit 0: none. */
  calls: { thisHour: number; limit: number }
  /** The tool that the agent used last in this iteration, with its argument; and the last file. Empty: none yet. */
  tool: string
  file: string
  /** The end of the output of agent and gates in the last iteration. */
  log: ScreenLine[]
}
export type Model = {
  feature: string
  isLive: boolean
  /** Paused, or about to pause: the pause key then resumes. */
  isPausing: boolean
  /** Open questions, oldest first. */
  questions: OpenQuestion[]
  head: ScreenLine[]
  now: ScreenLine[]
  bars: ScreenLine[]
  indicators: ScreenLine[]
  stories: { title: ScreenLine; list: ScreenLine[] /** the one at work, or the first open one */; current: number }
  log: ScreenLine[]
}

export function monitorModel(status: StatusFile, extras: Extras, now: Instant): Model {
  const { state } = extras
  const isLive = !['idle', 'ended', 'killed'].includes(status.state)
  return {
    feature: status.feature,
    isLive,
    isPausing: isLive && state.pause !== 'none',
    questions: status.questions.map((question) => ({ story: question.story, words: questionWords(question) })),
    head: headLines(status, state, isLive ? now : (extras.endedAt ?? state.at), now),
    bars: [callsLine(extras.calls), ...budgetLines(status, isLive ? { ...state, at: now } : state)],
    indicators: [...breakerLines(status), exitLine(state), forecastLine(status.forecast)],
    now: [
      ...status.questions.map((question) => line('warn', `Asks      ${questionWords(question)}`)),
      ...(isLive ? [nowLine(status, extras, now), ...shiftLines(extras.state)] : []),
    ],
    stories: storyLines(status),
    log: extras.log.map(({ tone, text }) => line(tone, text)),
  }
}

/** Everything stacked, for output without a terminal. */
export const snapshotLines = ({ head, now, bars, indicators, stories, log }: Model): string[] =>
  [...head, ...now, ...bars, ...indicators, stories.title, ...stories.list, ...lastLines(log)].map(({ text }) => text)

const shownLog = 20
const lastLines = (log: ScreenLine[]): ScreenLine[] => (log.length === 0 ? [] : [line('strong', 'Log'), ...log.slice(-shownLog)])

/** Wider than any terminal. */
const longestLine = 1000
const line = (tone: Tone, text: string): ScreenLine => ({ tone, text: flat(text) })
/** One line, whatever it contains: others write the plan. */
const flat = (text: string): string => plain(text.slice(0, longestLine).replace(/[\t\n\r]+/g, ' ')).trimEnd()

function headLines(status: Status, state: State, until: Instant, now: Instant): ScreenLine[] {
  const { feature, run, iteration, used, maxIterations, startedAt, because } = status
  if (run === '') return [line('strong', `${feature} · never run. Start with: ralph run`)]
  const parts = [
    feature,
    stateWords(status, state, now),
    `iteration ${iteration} (${used} of ${maxIterations} used)`,
    sayDuration(Math.max(0, msBetween(startedAt, until))),
    `run ${run}`,
  ]
  // An open question is shown below.
  const isTold = because === '' || (status.outcome === 'question' && status.questions.length > 0)
  return [line('strong', parts.join(' · ')), ...(isTold ? [] : [line('plain', because)])]
}

function stateWords({ state: word, outcome, waiting }: Status, { pause, stop }: State, now: Instant): string {
  switch (word) {
    case 'idle':
      return 'idle'
    case 'killed':
      return 'killed; run again to resume: ralph run'
    case 'ended':
      return `ended: ${outcome}`
    case 'paused':
      return 'paused'
    case 'waiting':
    case 'running': {
      const what = waiting
        ? `waiting for ${waiting.for}, ${sayDuration(Math.max(0, msBetween(now, waiting.until)))} left`
        : 'running'
      if (stop !== undefined) return `${what}, stops ${stop.now ? 'now' : 'after this iteration'}`
      return pause === 'requested' ? `${what}, pauses after this iteration` : what
    }
  }
}

function callsLine({ thisHour, limit }: Extras['calls']): ScreenLine {
  if (limit === 0) return line('plain', `Calls     ${thisHour} this hour, no limit`)
  return line(toneOf(thisHour / limit), `Calls     ${bar(thisHour / limit)} ${thisHour} of ${limit} this hour`)
}

function budgetLines({ cost }: Status, state: State): ScreenLine[] {
  const budgets = budgetsOf(state)
  const spent = `${costWords(cost.usd)}${cost.usd !== null && cost.unpriced > 0 ? ' plus unknown' : ''}`
  if (budgets.length === 0) return [line('plain', `Budget    no limit; so far ${spent}`)]
  const words = ({ which, words }: Budget): string => (which === 'cost' && cost.unpriced > 0 ? `${words}, not all known` : words)
  return budgets.map((budget) => {
    const share = budget.limit === 0 ? 1 : budget.used / budget.limit
    return line(toneOf(share), `Budget    ${bar(share)} ${words(budget)}`)
  })
}

const barWidth = 20
const bar = (share: number): string => {
  const full = Math.min(barWidth, Math.max(0, Math.round(share * barWidth)))
  return '█'.repeat(full) + '░'.repeat(barWidth - full)
}
const toneOf = (share: number): Tone => (share >= 1 ? 'bad' : share >= 0.8 ? 'warn' : 'plain')

/** On two lines: all counters must fit into 80 columns. */
function breakerLines({ breaker }: Status): ScreenLine[] {
  const counters = Object.entries(breaker.counters).map(
    ([rule, { times, threshold }]) => `${rule} ${threshold === 0 ? 'off' : `${times}/${threshold}`}`,
  )
  const tone = breaker.state === 'closed' ? 'plain' : breaker.state === 'open' ? 'bad' : 'warn'
  return [
    line(tone, `Breaker   ${breakerName(breaker.state)}: ${counters.slice(0, 3).join(', ')}`),
    line(tone, `          ${counters.slice(3).join(', ')}`),
  ]
}

function exitLine({ inARow, policy, indicators }: State): ScreenLine {
  const of = (times: number, needed: number): string => (needed === 0 ? `${times}` : `${times}/${needed}`)
  const claims = indicators.claims.length === 0 ? 'none' : `in ${indicators.claims.join(', ')}`
  const words = [
    `done signals ${of(inARow.done, policy.doneSignals)}`,
    `testing only ${of(inARow.testing, policy.testLoops)}`,
    `claims ${claims}`,
  ]
  return line('plain', `Exit      ${words.join(' · ')}`)
}

const forecastLine = (outlook: Outlook): ScreenLine =>
  line(outlook.kind === 'told' ? 'plain' : 'dim', `Forecast  ${outlookWords(outlook)}`)

function nowLine({ story }: Status, { state, tool, file }: Extras, now: Instant): ScreenLine {
  const [flight, ...others] = state.flights
  if (flight === undefined) return line('dim', 'Now       between iterations')
  if (others.length > 0) return line('good', `Now       ${state.flights.map((one) => besideWords(one, now)).join(' · ')}`)
  const since = sayDuration(Math.max(0, msBetween(flight.startedAt, now)))
  const what = `${story ?? 'the whole'}, attempt ${flight.attempt}, ${since}`
  const last = file === '' || tool.endsWith(file) ? tool : `${tool} · file ${file}`
  const doing = stageOf(flight) ?? (tool === '' ? 'the agent has used no tool yet' : last)
  return line('good', `Now       ${what} · ${doing}`)
}

const shiftLines = ({ flights }: State): ScreenLine[] =>
  flights
    .filter(({ shift }) => shift !== '')
    .map((flight) => line('warn', `          ${flight.story === null ? '' : `${flight.story} `}${shiftWords(flight)}`))

/** One of several running stories. */
function besideWords(flight: Flight, now: Instant): string {
  const since = sayDuration(Math.max(0, msBetween(flight.startedAt, now)))
  const stage = stageOf(flight)
  return `${flight.story ?? 'the whole'} ${since}${stage === null ? '' : ` (${stage})`}`
}

/** After the agent; null: it is still working. */
const stageOf = ({ phase }: Flight): string | null => stages[phase]
const stages: Record<Flight['phase'], string | null> = {
  working: null,
  returned: 'inspecting its work',
  checking: 'the gates run',
  reviewing: 'a reviewer looks at it',
  landing: 'it lands',
  waiting: 'judging',
  judged: 'judging',
}

const questionWords = ({ story, question }: Status['questions'][number]): string =>
  flat(`${story === null ? '' : `${story}: `}${question}`)

function storyLines({ stories }: Status): Model['stories'] {
  const { list, complete, total, unproven } = stories
  const working = list.findIndex(({ state }) => state === 'working')
  const open = list.findIndex(({ state }) => state === 'open' || state === 'asks')
  return {
    title: line(
      'strong',
      list.length === 0 ? 'No stories' : `Stories   ${complete} of ${total} done${unproven > 0 ? ` (${unproven} unproven)` : ''}`,
    ),
    list: list.map(({ id, title, state, attempts, proven }) => {
      const { mark, tone } = marks[state]
      const tried = attempts === 0 ? '' : ` (${plural(attempts, 'attempt')})`
      // Before the title: a narrow terminal cuts off the title.
      return line(tone, `${mark} ${id} ${state}${state === 'passes' && !proven ? ', unproven' : ''}${tried}  ${title}`)
    }),
    current: Math.max(0, working >= 0 ? working : open),
  }
}

const marks: Record<Status['stories']['list'][number]['state'], { mark: string; tone: Tone }> = {
  passes: { mark: '✓', tone: 'good' },
  open: { mark: '·', tone: 'plain' },
  failed: { mark: '✗', tone: 'bad' },
  skipped: { mark: '-', tone: 'dim' },
  working: { mark: '▸', tone: 'strong' },
  asks: { mark: '?', tone: 'warn' },
}
