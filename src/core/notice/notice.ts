/** Notices for people who are not there: which events cause one, and its text. */
import { ending } from '../decide/ending.ts'
import { outcomeTitle } from '../decide/outcome.ts'
import { EXIT } from '../failure.ts'
import { openQuestions } from '../plan/questions.ts'
import { failureWords, lastFailure } from '../proof/last-failure.ts'
import type { State } from '../state.ts'
import type { Event, EventOf, Instant, Outcome, RunId } from '../types.ts'
import type { situations } from './names.ts'

export type Notice = {
  /** The configured name: stop, blocked, decide, breaker, limit, or an event kind. */
  what: string
  title: string
  text: string
  feature: string
  run: RunId
  at: Instant
  /** How the run ended, if it did. */
  outcome?: Outcome
  /** What a person can do now, if anything. */
  next?: string
}

/** At most one notice per event, under the most specific configured name. `next`: what to do after the end of the run. */
export function noticesFor(events: readonly Event[], state: State, on: readonly string[], next = ''): Notice[] {
  return events.flatMap((event) => {
    const what = [...situationsOf(event, state), event.kind].find((name) => on.includes(name))
    if (what === undefined) return []
    const { title, text, ...more } = event.kind === 'run.ended' ? endWords(event, state, next) : wordsOf(event, state)
    return [
      {
        what,
        title: cleaned(`Ralph: ${title}`, longestTitle),
        text: cleaned(text, longestText),
        feature: state.feature,
        run: event.run,
        at: event.at,
        ...more,
      },
    ]
  })
}

/** For a run that did not start, or crashed without an end in its log. null: not configured, or whoever started it sees it anyway. */
export function noticeOfNoEnd(
  { exit, text, next }: { exit: number; text: string; next: string },
  { feature, run, at, hasBegun }: { feature: string; run: RunId; at: Instant; hasBegun: boolean },
  on: readonly string[],
): Notice | null {
  const what = [...(refusals[exit] ?? []), ...(exit in refusals ? ['stop'] : [])].find((name) => on.includes(name))
  if (what === undefined) return null
  const title = `Ralph: ${feature}: ${hasBegun ? 'crashed' : 'did not start'}`
  const words = exit === EXIT.fault ? `a bug in Ralph, not your fault: ${text}` : text
  return {
    what,
    title: cleaned(title, longestTitle),
    text: cleaned(words, longestText),
    feature,
    run,
    at,
    ...(next === '' ? {} : { next: cleaned(next, longestText) }),
  }
}

/** By exit code. Wrong usage, another live run and Ctrl+C are left out. */
const refusals: Record<number, Situation[]> = {
  2: ['blocked'],
  3: ['decide'],
  4: ['breaker'],
  [EXIT.data]: [],
  [EXIT.missing]: [],
  [EXIT.fault]: [],
  [EXIT.login]: [],
  [EXIT.config]: [],
}

type Situation = (typeof situations)[number]

/** The most specific first. If the run ends at once because of it, its end is the only notice. */
function situationsOf(event: Event, state: State): Situation[] {
  switch (event.kind) {
    case 'run.ended':
      return [...endSituations(event.outcome), 'stop']
    case 'iteration.judged':
      return event.verdict === 'question' && endSoon(state)?.outcome !== 'question' ? ['decide'] : []
    case 'breaker.changed':
      return event.to === 'open' && state.flights.some(({ phase }) => phase !== 'judged') ? ['breaker'] : []
    case 'limit.asked':
      return ['limit']
    case 'wait.started':
      return event.for === 'usage-limit' && state.policy.onLimit !== 'ask' ? ['limit'] : [] // whoever was asked knows
    default:
      return []
  }
}

function endSituations(outcome: Outcome): Situation[] {
  switch (outcome) {
    case 'blocked':
      return ['blocked']
    case 'question':
      return ['decide']
    case 'stuck':
      return ['breaker']
    case 'limited':
    case 'budget':
      return ['limit']
    case 'complete':
    case 'incomplete':
    case 'stories-failed':
    case 'testing-only':
    case 'gate-missing':
    case 'login':
    case 'agent-unusable':
    case 'interrupted':
      return []
  }
}

/** As if running work had ended. */
const endSoon = (state: State): ReturnType<typeof ending> => ending({ ...state, flights: [] })

type NoticeWords = Pick<Notice, 'title' | 'text' | 'outcome' | 'next'>

function endWords({ outcome, because }: EventOf<'run.ended'>, state: State, next: string): NoticeWords {
  const failure = outcome === 'complete' ? null : lastFailure(state)
  const failing = failure === null ? [] : [`Failing: ${failureWords(failure)}`, ...failure.lines]
  return {
    title: `${state.feature}: ${outcomeTitle(outcome)}`,
    text: [because, ...failing].join('\n'),
    outcome,
    ...(next === '' ? {} : { next }),
  }
}

function wordsOf(event: Event, state: State): NoticeWords {
  const { feature } = state
  const asked = event.kind === 'iteration.judged' && event.verdict === 'question'
  const question = asked ? openQuestions(state).find(({ iteration }) => iteration === event.iteration) : undefined
  if (question !== undefined)
    return {
      title: `${feature}: a question${question.story === null ? '' : ` about ${question.story}`}`,
      text: question.question,
      next: `ralph answer "<your decision>"${question.story === null ? '' : ` --story ${question.story}`}`,
    }
  if (event.kind === 'breaker.changed') return { title: `${feature}: breaker ${event.to}`, text: event.because }
  if (event.kind === 'wait.started') return { title: `${feature}: waits until ${event.until}`, text: event.because }
  if (event.kind === 'limit.asked')
    return { title: `${feature}: asks whether to wait`, text: event.because, next: 'answer on the terminal of the run' }
  return { title: `${feature}: ${event.kind}`, text: plainWords(event) }
}

/** For any other event: its subject, and its text. */
function plainWords(event: Event): string {
  const about = [
    'iteration' in event && event.iteration !== 'whole' ? [`iteration ${event.iteration}`] : [],
    'story' in event && event.story ? [event.story] : [],
  ].flat()
  const words =
    'because' in event
      ? event.because
      : 'detail' in event
        ? event.detail
        : 'text' in event
          ? event.text
          : 'summary' in event
            ? event.summary
            : ''
  return [about.join(', '), words].filter((part) => part !== '').join(': ')
}

const longestTitle = 120
const longestText = 1000

/** Agents' words may move a cursor or change the text direction: people get plain words. */
function cleaned(text: string, longest: number): string {
  const plain = text.replace(escapes, '').replace(controls, '').trim()
  return plain.length > longest ? `${plain.slice(0, longest - 1)}…` : plain
}
const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-_])/g
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g
