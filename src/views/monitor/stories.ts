/** The stories in the monitor: a row for each, and one opened with its iterations, its error and its log. */

import { keyLines } from '../../core/proof/key-lines.ts'
import type { Flight, State } from '../../core/state.ts'
import { msBetween, sayDuration } from '../../core/text/time.ts'
import type { Instant, StoryId } from '../../core/types.ts'
import { sayLocal } from '../local-time.ts'
import type { IterationEntry } from '../report/history.ts'
import type { ScreenLine, Tone } from '../screen/line.ts'
import { costValue, costWords, plural, type Status } from '../status/status.ts'
import { cutTo, widthOf } from '../terminal/wrap.ts'
import { flat, line } from './lines.ts'

export type MonitorRow = {
  id: StoryId
  mark: string
  tone: Tone
  title: string
  tries: string
  time: string
  cost: string
}
/** `chosen`: the iteration whose log is shown. */
export type OpenedStory = { story: StoryId; iterations: IterationEntry[]; chosen: number | null; log: ScreenLine[] }
export type StoryDetail = {
  title: ScreenLine
  iterations: { iteration: number; shown: ScreenLine }[]
  chosen: number | null
  errors: ScreenLine[]
  log: ScreenLine[]
}

type Took = Record<StoryId, { ms: number; costUsd: number | null }>

export function storyRows(
  { stories }: Status,
  took: Took,
  flights: Flight[],
  now: Instant,
): { rows: MonitorRow[]; current: number } {
  const { list } = stories
  const working = list.findIndex(({ state }) => state === 'working')
  const open = list.findIndex(({ state }) => state === 'open' || state === 'asks')
  const rows = list.map(({ id, title, state, attempts, proven }): MonitorRow => {
    const flight = flights.find(({ story }) => story === id)
    const ms = (took[id]?.ms ?? 0) + (flight === undefined ? 0 : Math.max(0, msBetween(flight.startedAt, now)))
    const open =
      state === 'passes' && !proven ? ' (unproven)' : state === 'skipped' ? ' (skipped)' : state === 'asks' ? ' (asks)' : ''
    return {
      id: flat(id),
      ...marks[state],
      title: flat(`${title}${open}`),
      tries: attempts === 0 ? '' : `${attempts}`,
      time: ms === 0 ? '' : sayDuration(ms),
      cost: took[id] === undefined ? '' : costValue(took[id].costUsd),
    }
  })
  return { rows, current: Math.max(0, working >= 0 ? working : open) }
}

const marks: Record<Status['stories']['list'][number]['state'], { mark: string; tone: Tone }> = {
  passes: { mark: '✓', tone: 'good' },
  open: { mark: '·', tone: 'plain' },
  failed: { mark: '✗', tone: 'bad' },
  skipped: { mark: '-', tone: 'dim' },
  working: { mark: '▸', tone: 'strong' },
  asks: { mark: '?', tone: 'warn' },
}

/** In columns: glyph, id, title, tries, time, cost; the title takes what is left. */
export function tableOf(rows: MonitorRow[], width: number): { head: string; lines: ScreenLine[] } {
  const idWidth = Math.min(14, Math.max(5, ...rows.map(({ id }) => widthOf(id))))
  const room = Math.max(8, width - idWidth - 29)
  const cells = ({ id, title, tries, time, cost }: Omit<MonitorRow, 'mark' | 'tone'>): string =>
    `${padded(id, idWidth)} ${padded(title, room)} ${tries.padStart(5)} ${time.padStart(8)} ${cost.padStart(8)}`
  return {
    head: `  ${cells({ id: 'Story', title: 'Title', tries: 'Tries', time: 'Time', cost: 'Cost' })}`,
    lines: rows.map((row) => ({ tone: row.tone, text: `${row.mark} ${cells(row)}`.trimEnd() })),
  }
}

const padded = (text: string, width: number): string => {
  const cut = cutTo(text, width)
  return cut + ' '.repeat(Math.max(0, width - widthOf(cut)))
}

/** For output without a terminal. */
export const rowText = ({ mark, id, title, tries, time, cost }: MonitorRow): string => {
  const facts = [tries === '' ? '' : plural(Number(tries), 'attempt'), time, cost].filter((fact) => fact !== '')
  return `${mark} ${id}  ${title}${facts.length === 0 ? '' : `  (${facts.join(', ')})`}`
}

export function openedOf(
  { story, iterations, chosen, log }: OpenedStory,
  status: Status,
  state: State,
  now: Instant,
): StoryDetail {
  const known = status.stories.list.find(({ id }) => id === story)
  const tone = known === undefined ? 'plain' : marks[known.state].tone
  const refusal = state.stories[story]?.refusals.findLast(({ iteration }) => iteration === chosen)
  const errors = refusal?.gates.flatMap(({ name, output }) => [`${name}:`, ...keyLines(output).map((text) => `  ${text}`)]) ?? []
  return {
    title: line(tone === 'plain' ? 'strong' : tone, `${story} ${known?.title ?? ''} · ${known?.state ?? ''}`),
    iterations: iterations.map((entry) => ({ iteration: entry.iteration, shown: iterationLine(entry, now) })),
    chosen,
    errors: errors.slice(0, 6).map((text) => line('bad', text)),
    log: log.map(({ tone, text }) => line(tone, text)),
  }
}

function iterationLine(
  { iteration, verdict, because, ms, costUsd, startedAt, endedAt }: IterationEntry,
  now: Instant,
): ScreenLine {
  const tone: Tone = verdict === 'done' ? 'good' : verdict === 'failed' ? 'bad' : verdict === null ? 'strong' : 'plain'
  const took = endedAt === null ? '' : `, ${sayDuration(ms)}, ${costWords(costUsd)}`
  return line(
    tone,
    `${iteration}  ${verdict ?? 'running'}, ${sayLocal(startedAt, now)}${took}${because === '' ? '' : `: ${because}`}`,
  )
}
