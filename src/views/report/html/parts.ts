/** The other parts of the page, each a list of blocks; empty ones are left out with their heading. */

import { censusWords } from '../../proof.ts'
import { plural } from '../../status/status.ts'
import { tooLittleWords } from '../costs.ts'
import type { ReportData } from '../data.ts'
import { breakerMarks, storyMark } from '../shared/marks.ts'
import { chip, gradeChips } from '../shared/parts.ts'
import { escaped } from './escape.ts'
import { type Cell, make, table } from './table.ts'
import { duration, money, shownNumber, shownTime } from './words.ts'

const number = (head: string) => ({ head, isNumber: true })
const wide = (head: string) => ({ head, isWide: true })
const plain = (head: string) => ({ head })

export const failureParts = ({ failures }: ReportData): string[] =>
  failures.map(({ story, title, facts }) => {
    const rows = facts.map(({ name, value }) => `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`)
    return `<div class="failure"><h3>${escaped(`${story}: ${title}`)}</h3><dl>${rows.join('')}</dl></div>`
  })

export const storyParts = ({ list }: ReportData): string[] => [
  table(
    'Stories in the order of the plan',
    [
      plain('Story'),
      wide('Title'),
      plain('State'),
      plain('Proof'),
      number('Attempts'),
      number('Time'),
      number('Tokens'),
      number('Cost'),
    ],
    list.map((story) => [
      story.id,
      story.title,
      chip(make, storyMark(story)),
      proofChips(story),
      story.attempts,
      story.attempts === 0 ? '–' : duration(story.ms),
      story.attempts === 0 ? '–' : shownNumber(story.tokens),
      story.attempts === 0 ? '–' : money(story.costUsd),
    ]),
  ),
]

const proofChips = ({ proof }: ReportData['list'][number]): Cell =>
  proof === null
    ? '–'
    : {
        html: gradeChips(make, proof)
          .map(({ html }) => html)
          .join(' '),
      }

export const costParts = ({ costs, forecast }: ReportData): string[] => [
  table(
    'Cost and time',
    [plain('Mode'), plain('Role'), number('Calls'), number('Time'), number('Tokens'), number('Cost')],
    costs.byKind.map(({ mode, role, calls, ms, tokens, costUsd }) => [
      mode,
      role,
      calls,
      duration(ms),
      shownNumber(tokens),
      money(costUsd),
    ]),
  ),
  forecastPart(forecast),
]

function forecastPart(forecast: ReportData['forecast']): string {
  switch (forecast.kind) {
    case 'nothing-open':
      return ''
    case 'too-little':
      return `<p>No forecast for ${escaped(plural(forecast.open, 'open story', 'open stories'))} yet: ${escaped(tooLittleWords(forecast))}</p>`
    case 'told': {
      const { stories, from, iterations, ms, costUsd } = forecast
      return table(
        `Forecast: ${plural(stories, 'story', 'stories')} left, estimated from ${from} finished in this repository`,
        [plain('Measure'), number('Likely (p50)'), number('At most (p90)')],
        [
          ['Iterations', iterations.p50, iterations.p90],
          ['Agent time', duration(ms.p50), duration(ms.p90)],
          ['Cost', money(costUsd?.p50 ?? null), money(costUsd?.p90 ?? null)],
        ],
      )
    }
  }
}

export const gateParts = ({ gates, flaky }: ReportData): string[] => [
  table(
    'Gates and reviewers',
    [
      plain('Gate'),
      wide('Command'),
      number('Times'),
      number('Passed'),
      number('Failed'),
      number('Time'),
      plain('Tests'),
      plain('Last'),
    ],
    gates.map(({ name, command, times, passed, failed, ms, lastAt, census }) => [
      name,
      { html: `<code>${escaped(command)}</code>` },
      times,
      passed,
      failed,
      duration(ms),
      census === null ? '–' : censusWords(census),
      shownTime(lastAt),
    ]),
  ),
  table(
    'Flaky tests: they failed and passed on the same content',
    [plain('Gate'), wide('Test'), number('Times'), number('Last iteration')],
    flaky.map(({ gate, test, times, iteration }) => [gate, test ?? 'not named', times, iteration]),
  ),
]

export const breakerParts = ({ breaker }: ReportData): string[] => [
  `<p>${chip(make, breakerMarks[breaker.state]).html} ${escaped(breaker.because)}${breaker.state === 'open' ? ' Reset it with: <code>ralph breaker reset</code>' : ''}</p>`,
  table(
    'Breaker changes, newest first',
    [plain('When'), plain('From'), plain('To'), wide('Because')],
    breaker.changes
      .toReversed()
      .slice(0, 100)
      .map(({ at, from, to, because }) => [shownTime(at), chip(make, breakerMarks[from]), chip(make, breakerMarks[to]), because]),
  ),
]

export const learningParts = ({ learning }: ReportData): string[] =>
  learning === null
    ? []
    : [
        table(
          'Results',
          [plain('Measure'), wide('So far')],
          learning.results.map(({ what, soFar }) => [what, soFar]),
        ),
        table(
          'Stories with and without each skill',
          [plain('Skill'), wide('Attempts'), wide('Tokens'), wide('Cost')],
          learning.skills.map(({ skill, attempts, tokens, cost }) => [skill, attempts, tokens, cost]),
        ),
      ]
