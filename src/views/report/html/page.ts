/** The report as one self-contained page: no script, no external address, every text escaped. */

import { capital } from '../../../core/text/escape.ts'
import { zoneAt } from '../../local-time.ts'
import { plural } from '../../status/status.ts'
import type { ReportData } from '../data.ts'
import { stateMark } from '../shared/marks.ts'
import { chip } from '../shared/parts.ts'
import { escaped } from './escape.ts'
import { iterationParts } from './iterations.ts'
import { breakerParts, costParts, failureParts, gateParts, learningParts, storyParts } from './parts.ts'
import { receiptParts, reservationParts } from './proof.ts'
import { style } from './style.ts'
import { make } from './table.ts'
import { duration, money, shownNumber, shownTime } from './words.ts'

export function reportPage(data: ReportData): string {
  const sections: [id: string, title: string, parts: string[]][] = [
    ['reservations', 'Reservations: look at these first', reservationParts(data)],
    ['failed', 'Failed stories: a person is needed', failureParts(data)],
    ['branch', 'Branch', data.branchNotes.map((note) => `<p>${escaped(note)}</p>`)],
    ['stories', 'Stories', storyParts(data)],
    ['iterations', 'Iterations', iterationParts(data)],
    ['cost', 'Cost and forecast', costParts(data)],
    ['gates', 'Gates', gateParts(data)],
    ['receipts', 'Receipts', receiptParts(data)],
    ['breaker', 'Circuit breaker', breakerParts(data)],
    ['learning', 'Learning', learningParts(data)],
  ]
  const shown = sections.map(([id, title, parts]) => [id, title, parts.filter((part) => part !== '')] as const)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<title>${escaped(`${data.feature}: ${data.outcome ?? 'not ended'} – Ralph report`)}</title>
<style>${style}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
${headline(data)}
</header>
<main id="content">
${figures(data)}
${shown
  .filter(([, , parts]) => parts.length > 0)
  .map(
    ([id, title, parts]) =>
      `<section aria-labelledby="${id}">\n<h2 id="${id}">${escaped(title)}</h2>\n${parts.join('\n')}\n</section>`,
  )
  .join('\n')}
</main>
<footer>
<p>Made by Ralph from the event log of ${escaped(data.feature)} as it stood at ${escaped(shownTime(data.at))}. Times are local (${escaped(zoneAt(data.at))}).</p>
</footer>
</body>
</html>
`
}

function headline({ feature, run, outcome, because, runs }: ReportData): string {
  const last = runs.at(-1)
  const mark = stateMark(outcome === null ? { state: 'running', outcome } : { state: 'ended', outcome })
  const span =
    last === undefined ? '' : `, ${shownTime(last.startedAt)} to ${last.endedAt === null ? 'now' : shownTime(last.endedAt)}`
  return [
    `<h1>${escaped(feature)}</h1>`,
    `<p>${chip(make, mark).html} ${escaped(capital(because))}</p>`,
    `<p class="soft">${escaped(`Run ${run}${span}${runs.length > 1 ? `; ${plural(runs.length, 'run')} in all` : ''}`)}</p>`,
  ].join('\n')
}

const unknownWords = ({ costUsd, unpriced }: ReportData['costs']): string =>
  costUsd === null || unpriced === 0 ? '' : `, ${unpriced} of unknown cost`

function figures({ stories, iterations, costs }: ReportData): string {
  const { complete, total, unproven, reserved } = stories
  const open = [...(unproven > 0 ? [`${unproven} unproven`] : []), ...(reserved > 0 ? [`${reserved} with a reservation`] : [])]
  const proven = open.join(', ') || 'all proven'
  const tokens = costs.byKind.reduce((sum, kind) => sum + kind.tokens, 0)
  const shown: [name: string, value: string, note: string][] = [
    ['Stories complete', `${complete} of ${total}`, complete === 0 ? 'none yet' : proven],
    ['Cost', money(costs.costUsd), `${plural(costs.calls, 'call')}${unknownWords(costs)}`],
    [
      'Per proven story',
      costs.provenStories === 0 ? '–' : money(costs.perProvenStoryUsd),
      costs.provenStories === 0 ? 'none proven yet' : `${costs.provenStories} proven`,
    ],
    ['On failed attempts', money(costs.failedUsd), plural(costs.failedAttempts, 'attempt')],
    ['Iterations', shownNumber(iterations.length), `${duration(costs.ms)} agent time`],
    ['Tokens', shownNumber(tokens), 'in and out'],
  ]
  const ofStories = new Set(['Stories complete', 'Per proven story'])
  return `<dl class="figures">\n${shown
    .filter(([name]) => total > 0 || !ofStories.has(name))
    .map(([name, value, note]) => `<div><dt>${escaped(name)}</dt><dd>${escaped(value)}<small>${escaped(note)}</small></dd></div>`)
    .join('\n')}\n</dl>`
}
