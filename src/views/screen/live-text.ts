/** The one line that changes while a run works: how far it is, on what, for how long, with which tool, at what cost. */
import { msBetween } from '../../core/text/time.ts'
import type { Instant, StoryId } from '../../core/types.ts'
import { localTime } from '../local-time.ts'
import { flat } from '../log-lines.ts'
import { costWords } from '../status/status.ts'
import { cutTo, widthOf } from '../terminal/wrap.ts'

/** One story, or the whole: its tool with its target, or its gate. */
export type AtWork = { story: StoryId | null; since: Instant; limitMs: number | null; doing: string; costUsd: number }

export type LiveRun = {
  stories: { complete: number; total: number }
  atWork: AtWork[]
  /** The cost of the run without running work; null: an agent did not report it; undefined: the work costs nothing. */
  spentUsd: number | null | undefined
  waiting: { until: Instant; because: string } | null
  /** The last moment of a question on this terminal; null: none. */
  askingUntil: Instant | null
  /** Which picture of the spinner. */
  turn: number
}

/** Empty: nothing is going on. */
export function liveText(run: LiveRun, now: Instant, width: number): string {
  const { stories, atWork, waiting, askingUntil, turn } = run
  const spinner = frames.charAt(turn % frames.length)
  if (askingUntil !== null) return cutTo(`${spinner} waiting ${clock(msBetween(now, askingUntil))} for your answer`, width)
  if (waiting !== null) {
    const left = clock(msBetween(now, waiting.until))
    return cutTo(`${spinner} waiting ${left}, until ${localTime(waiting.until, now)} · ${flat(waiting.because)}`, width)
  }
  const [first, ...others] = atWork
  if (first === undefined) return ''
  const counted = stories.total === 0 ? '' : `${stories.complete}/${stories.total} `
  const cost = costOf(run)
  if (others.length === 0) {
    const head = `${spinner} ${counted}${first.story === null ? 'all stories' : flat(first.story)}`
    return fitted([head, timeOf(first, now)], flat(first.doing), cost, width)
  }
  const each = atWork.map(
    (one) => `${one.story ?? 'all stories'} ${timeOf(one, now)}${one.doing === '' ? '' : ` ${flat(one.doing)}`}`,
  )
  const short = atWork.map((one) => `${one.story ?? 'all stories'} ${timeOf(one, now)}`).join(' · ')
  const room = Math.floor((width - widthOf(`${spinner} ${counted} · ${cost}`)) / atWork.length) - 3
  const middle = room > 24 ? each.map((one) => cutTo(one, room)).join(' · ') : short
  return fitted([`${spinner} ${counted.trimEnd()}`], middle, cost, width)
}

const costOf = ({ spentUsd, atWork }: LiveRun): string =>
  spentUsd === undefined ? '' : costWords(spentUsd === null ? null : atWork.reduce((sum, { costUsd }) => sum + costUsd, spentUsd))

const frames = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'

const timeOf = ({ since, limitMs }: AtWork, now: Instant): string =>
  `${clock(msBetween(since, now))}${limitMs === null ? '' : `/${clock(limitMs)}`}`

/** 4:12, 1:04:12. */
function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const two = (value: number): string => String(value).padStart(2, '0')
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor(seconds / 60) % 60
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`
}

/** The middle is cut: story, time and cost are visible on the narrowest terminal too. */
function fitted(start: string[], middle: string, end: string, width: number): string {
  const last = end === '' ? [] : [end]
  const room = width - widthOf([...start, '', ...last].join(' · '))
  const parts = middle === '' || room < 4 ? [...start, ...last] : [...start, cutTo(middle, room), ...last]
  return cutTo(parts.join(' · '), width)
}
