/** Iterations on the page: their results, times and costs, and the table with every number. */

import { readingWords } from '../../reading.ts'
import { plural } from '../../status/status.ts'
import type { ReportData } from '../data.ts'
import type { IterationEntry } from '../history.ts'
import { stateMark } from '../shared/marks.ts'
import { chip, legend as partLegend } from '../shared/parts.ts'
import { barChart, type Chart, labelOf, markOf, roundTop, roundTopMs, runStrip } from './charts.ts'
import { escaped } from './escape.ts'
import { type Column, make, table } from './table.ts'
import { duration, money, shownNumber, shownTime } from './words.ts'

/** Nobody can tell more bars apart, and the page would grow without end. */
const mostShown = 200
const mostRuns = 10

export function iterationParts({ iterations, runs, at }: ReportData): string[] {
  if (iterations.length === 0) return []
  const shown = iterations.slice(-mostShown)
  const cut = iterations.length > shown.length ? `The last ${shown.length} of ${iterations.length} iterations.` : ''
  return [
    cut === '' ? '' : `<p class="soft">${cut}</p>`,
    legend(shown),
    `<ol class="cells">${shown.map(cell).join('')}</ol>`,
    ...runs.slice(-mostRuns).flatMap((run) => {
      const own = shown.filter((entry) => entry.run === run.run)
      if (own.length === 0) return []
      const to = run.endedAt ?? at
      const label = `Run ${run.run}, ${shownTime(run.startedAt)} to ${run.endedAt === null ? 'now' : shownTime(to)}: ${plural(run.iterations, 'iteration')}, ${run.outcome === null ? 'not ended' : stateMark({ state: 'ended', outcome: run.outcome }).word.toLowerCase()}`
      return [`<p class="soft">${escaped(label)}</p>`, runStrip(run.startedAt, to, own, label)]
    }),
    `<div class="charts">\n${charts.map((chart) => barChart(chart, shown)).join('\n')}\n</div>`,
    `<details><summary>All numbers by iteration</summary>\n${numbers(shown)}\n</details>`,
  ]
}

const charts: Chart[] = [
  { id: 'chart-cost', title: 'Cost per iteration', value: ({ costUsd }) => costUsd, words: (usd) => cents(usd), top: roundTop },
  {
    id: 'chart-tokens',
    title: 'Tokens per iteration, in and out',
    value: ({ inputTokens, outputTokens }) => inputTokens + outputTokens,
    words: shownNumber,
    top: roundTop,
  },
  { id: 'chart-time', title: 'Agent time per iteration', value: ({ ms }) => ms, words: duration, top: roundTopMs },
  {
    id: 'chart-output',
    title: 'Characters in the agent’s answers',
    value: ({ outputChars }) => outputChars,
    words: shownNumber,
    top: roundTop,
  },
]

/** With two digits, half of a small axis would round to nothing. */
const cents = (usd: number): string => (usd > 0 && usd < 0.1 ? `$${usd.toFixed(3)}` : money(usd))

function legend(entries: IterationEntry[]): string {
  const counts = new Map<string, { tone: string; times: number }>()
  for (const { word, tone } of entries.map(markOf)) counts.set(word, { tone, times: (counts.get(word)?.times ?? 0) + 1 })
  const items = [...counts].map(([word, { tone, times }]) => ({ className: `t-${tone}`, words: `${word} ${times}` }))
  return partLegend(make, 'Verdicts', items).html
}

const cell = (entry: IterationEntry): string =>
  `<li class="t-${markOf(entry).tone}" title="${escaped(labelOf(entry, entry.because))}">${entry.iteration}<span class="hidden"> ${escaped(`${entry.story ?? ''} ${markOf(entry).word}`)}</span></li>`

const columns: Column[] = [
  { head: 'Iteration', isNumber: true },
  { head: 'Story' },
  { head: 'Mode' },
  { head: 'Verdict' },
  { head: 'Progress' },
  { head: 'Time', isNumber: true },
  { head: 'Tokens in', isNumber: true },
  { head: 'Tokens out', isNumber: true },
  { head: 'Cost', isNumber: true },
  { head: 'Said', isNumber: true },
  { head: 'Started' },
  { head: 'Because', isWide: true },
  { head: 'Read as', isWide: true },
]

const numbers = (entries: IterationEntry[]): string =>
  table(
    'Iterations, oldest first',
    columns,
    entries.map((entry) => [
      entry.iteration,
      entry.story === null ? '–' : `${entry.story} (${entry.attempt})`,
      entry.mode,
      chip(make, markOf(entry)),
      entry.progress ?? '–',
      duration(entry.ms),
      shownNumber(entry.inputTokens),
      shownNumber(entry.outputTokens),
      entry.endedAt === null ? '–' : entry.costUsd === null ? 'unknown' : cents(entry.costUsd),
      shownNumber(entry.outputChars),
      shownTime(entry.startedAt),
      entry.because,
      entry.reading === null ? '–' : readingWords(entry.reading),
    ]),
  )
