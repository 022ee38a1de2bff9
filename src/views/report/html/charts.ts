/** Charts as inline SVG: one bar per iteration, coloured by verdict, with its number as title. */
import { msBetween } from '../../../core/text/time.ts'
import type { Instant } from '../../../core/types.ts'
import { localDateTime } from '../../local-time.ts'
import type { IterationEntry } from '../history.ts'
import { type StateMark, verdictMark } from '../shared/marks.ts'
import { escaped } from './escape.ts'

export type Chart = {
  id: string
  title: string
  /** null: unknown, shown as no bar rather than a bar of height 0. */
  value(entry: IterationEntry): number | null
  words(value: number): string
  /** The minimum for the end of the axis. */
  top(value: number): number
}

/** The view box is about as wide as a phone, so that text stays readable there. */
const box = { width: 380, height: 150, left: 52, right: 376, top: 10, bottom: 128 }

export function barChart(chart: Chart, entries: IterationEntry[]): string {
  const caption = `<figcaption>${escaped(chart.title)}</figcaption>`
  const known = entries.map(chart.value).filter((value) => value !== null)
  if (known.length === 0) return `<figure>${caption}<p class="soft">Unknown: not reported by the agent.</p></figure>`
  const most = Math.max(...known)
  const top = chart.top(most)
  const [first, last] = [entries[0]?.iteration, entries.at(-1)?.iteration]
  const summary = `${chart.title}: from iteration ${first} to ${last}, at most ${chart.words(most)}. The table of iterations has every number.`
  return [
    `<figure>${caption}<svg viewBox="0 0 ${box.width} ${box.height}" role="img" aria-labelledby="${chart.id}">`,
    `<title id="${chart.id}">${escaped(summary)}</title>`,
    ...[0, top / 2, top].map((value) => gridLine(yOf(value, top), chart.words(value))),
    ...entries.map((entry, index) => bar(chart, entry, { index, count: entries.length, top })),
    `<text x="${box.left}" y="144">${first}</text>`,
    first === last ? '' : `<text x="${box.right}" y="144" text-anchor="end">${last}</text>`,
    '</svg></figure>',
  ].join('')
}

const yOf = (value: number, top: number): number => box.bottom - (box.bottom - box.top) * (value / top)

const gridLine = (y: number, label: string): string =>
  `<line class="grid" x1="${box.left}" x2="${box.right}" y1="${fixed(y)}" y2="${fixed(y)}"/>` +
  `<text x="${box.left - 6}" y="${fixed(y + 3.5)}" text-anchor="end">${escaped(label)}</text>`

type BarPlace = { index: number; count: number; top: number }

function bar({ value, words }: Chart, entry: IterationEntry, { index, count, top }: BarPlace): string {
  const step = (box.right - box.left) / count
  const width = Math.min(Math.max(step * 0.78, step - 4), 28)
  const middle = box.left + step * (index + 0.5)
  const own = value(entry)
  const title = `<title>${escaped(labelOf(entry, own === null ? 'unknown' : words(own)))}</title>`
  if (own === null) return `<circle class="unknown" cx="${fixed(middle)}" cy="${box.bottom - 4}" r="2">${title}</circle>`
  const height = own === 0 ? 0 : Math.max(1, box.bottom - yOf(own, top)) // the smallest bar is still visible
  const shape = `x="${fixed(middle - width / 2)}" y="${fixed(box.bottom - height)}" width="${fixed(width)}" height="${fixed(height)}"`
  return `<rect class="t-${markOf(entry).tone}" ${shape} rx="${fixed(Math.min(2, width / 3))}">${title}</rect>`
}

/**
 * When the iterations of a run happened: bars on a time axis, with gaps where it waited, ran gates or slept. What ran at the same time lies below
 * each other.
 */
export function runStrip(from: Instant, to: Instant, entries: IterationEntry[], label: string): string {
  const whole = Math.max(1, msBetween(from, to))
  const at = (instant: Instant): number => Math.min(1000, Math.max(0, (1000 * msBetween(from, instant)) / whole))
  const rows = rowsOf(entries)
  const bars = entries.map((entry, index) => {
    const [start, end] = [at(entry.startedAt), at(entry.endedAt ?? to)]
    const width = Math.max(2, end - start)
    const [, begun] = localDateTime(entry.startedAt)
    const title = labelOf(entry, `${begun} to ${entry.endedAt === null ? 'now' : localDateTime(entry.endedAt)[1]}`)
    const shape = `x="${fixed(Math.min(start, 1000 - width))}" y="${rowHeight * (rows[index] ?? 0)}" width="${fixed(width)}" height="${rowHeight - 2}"`
    return `<rect class="t-${markOf(entry).tone}" ${shape}><title>${escaped(title)}</title></rect>`
  })
  const height = rowHeight * (Math.max(0, ...rows) + 1) - 2
  return `<svg class="strip" viewBox="0 0 1000 ${height}" width="1000" height="${height}" preserveAspectRatio="none" role="img"><title>${escaped(label)}</title><rect class="track" width="1000" height="${height}"/>${bars.join('')}</svg>`
}

const rowHeight = 20

/** The first row that is free again; at most as many as workers. */
function rowsOf(entries: IterationEntry[]): number[] {
  const busyUntil: (Instant | null)[] = []
  return entries.map(({ startedAt, endedAt }) => {
    const free = busyUntil.findIndex((end) => end !== null && end <= startedAt)
    const row = free === -1 ? busyUntil.length : free
    busyUntil[row] = endedAt
    return row
  })
}

/** What has no verdict runs: a report is made by its run, or after it. */
export const markOf = (entry: IterationEntry): StateMark => verdictMark(entry, true)

export const labelOf = (entry: IterationEntry, value: string): string =>
  `Iteration ${entry.iteration}${entry.story === null ? '' : `, ${entry.story}`}, ${markOf(entry).word}: ${value}`

/** The next round number whose half is round too. */
export function roundTop(value: number): number {
  if (value <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  return (
    [1, 1.6, 2, 3, 4, 6, 8].map((factor) => Number((factor * power).toPrecision(6))).find((top) => top >= value) ?? 10 * power
  )
}

/** For durations: a round number of milliseconds, seconds, minutes or hours. */
export function roundTopMs(ms: number): number {
  if (ms <= 1000) return roundTop(ms)
  const [second, minute, hour] = [1000, 60_000, 3_600_000]
  const [unit, tops] = ms <= minute ? [second, clock] : ms <= hour ? [minute, clock] : [hour, []]
  return (tops.find((top) => top * unit >= ms) ?? roundTop(ms / unit)) * unit
}
const clock = [2, 4, 6, 10, 20, 30, 60]

const fixed = (value: number): string => String(Math.round(value * 10) / 10)
