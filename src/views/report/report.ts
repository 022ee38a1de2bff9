/** report.md and report.json: the result of a run, story by story. */
import { reservedStories } from '../../core/proof/receipt.ts'
import type { State, StoryState } from '../../core/state.ts'
import { plain } from '../../core/text/plain.ts'
import { msBetween, sayDuration } from '../../core/text/time.ts'
import type { Totals } from '../../core/types/totals.ts'
import type { Outcome, StoryId } from '../../core/types.ts'
import { type FlakyTest, flakyTests, flakyWords } from '../flaky.ts'
import { inLocalTime, localDateTime, localTime, zoneAt } from '../local-time.ts'
import { byWeakness, gateWords, gradeOf, type ProofData, proofData, proofWords } from '../proof.ts'
import { readingWords } from '../reading.ts'
import { openWords } from '../status/lines.ts'
import { plural, storyCounts, totalCost } from '../status/status.ts'
import { type Costs, costLines, type Outlook, outlookLines } from './costs.ts'
import { failureData, failureLines } from './failure.ts'
import type { IterationEntry } from './history.ts'
import { type LearningSoFar, learningLines } from './learning.ts'

type WholeHistory = { costs: Costs; forecast: Outlook; learning: LearningSoFar | null; iterations: IterationEntry[] }

/** `ralph report`: report.md, plus the whole history. */
export function wholeReport(state: State, { costs, forecast, learning, iterations }: WholeHistory): string {
  const parts = [answerLines(iterations), costLines(costs), outlookLines(forecast), receiptLines(state), learningLines(learning)]
  const shown = parts.filter((lines) => lines.length > 0).map((lines) => withoutMarkup(`${lines.join('\n')}\n`))
  return [reportMarkdown(state), ...shown].join('\n')
}

export type RunReport = {
  version: 1
  feature: string
  run: string
  outcome: Outcome | null
  because: string
  /** What happened to its branch or to HEAD, in words. */
  branchNotes: string[]
  stories: { complete: number; total: number; unproven: number; reserved: number }
  /** Stories that pass with an open reservation. */
  reserved: StoryId[]
  totals: Totals
  receipts: Record<StoryId, Omit<NonNullable<StoryState['receipt']>, 'proof'> & { proof: ProofData }>
  failed: object[]
  flaky: FlakyTest[]
}

export function reportMarkdown(state: State): string {
  const { complete, total, unproven, reserved } = storyCounts(state)
  const stories = state.plan?.stories ?? []
  const failed = stories.filter((story) => story.failed && !story.passes)
  const lines = [
    '# Ralph Loop Execution Summary',
    '',
    `Feature ${state.feature}, run ${state.run}: ${endWords(state)}`,
    '',
    `${plural(state.totals.iterations, 'iteration')} in ${sayDuration(Math.max(0, msBetween(state.runStartedAt, state.at)))}, cost ${totalCost(state.totals)}`,
    ...timeLines(state),
  ]
  const receiptOf = ({ id }: { id: StoryId }): StoryState['receipt'] => state.stories[id]?.receipt
  const passing = stories.filter((story) => story.passes).toSorted((one, other) => byWeakness(receiptOf(one), receiptOf(other)))
  if (state.plan !== null) lines.push('', `## Completed: ${complete}/${total} stories${openWords({ unproven, reserved })}`)
  if (passing.length > 0) lines.push('', ...passing.map(({ id, title }) => `- ${id} - ${title}${receiptWords(state, id)}`))
  if (failed.length > 0) lines.push('', '## Failed stories (a person is needed)')
  for (const story of failed) lines.push('', ...failureLines(state, story))
  const flaky = flakyTests(state)
  if (flaky.length > 0) lines.push('', '## Flaky tests', '', ...flaky.map((each) => `- ${flakyWords(each)}`))
  if (state.aboutBranch.length > 0) lines.push('', '## Branch', '', ...state.aboutBranch.map((text) => `- ${text}`))
  if (state.aboutUsers.length > 0) lines.push('', '## Your uncommitted files', '', ...state.aboutUsers.map((text) => `- ${text}`))
  return withoutMarkup(`${lines.join('\n')}\n`)
}

/** Its readers may be in another zone. */
const timeLines = ({ runStartedAt, at, outcome }: State): string[] =>
  runStartedAt === ''
    ? []
    : [
        '',
        `Started ${localDateTime(runStartedAt).join(' ')}, ${outcome ? 'ended' : 'last event'} ${localTime(at, runStartedAt)} (${zoneAt(at)})`,
      ]

function endWords({ outcome, halted, at }: State): string {
  if (outcome) return `${outcome.outcome} (${inLocalTime(outcome.because, at)})`
  return halted === undefined ? 'not ended' : `not ended (${halted})`
}

export function reportJson(state: State): RunReport {
  return {
    version: 1,
    feature: state.feature,
    run: state.run,
    outcome: state.outcome?.outcome ?? null,
    because: state.outcome?.because ?? state.halted ?? '',
    branchNotes: state.aboutBranch,
    stories: storyCounts(state),
    reserved: reservedStories(state),
    totals: state.totals,
    receipts: Object.fromEntries(
      Object.entries(state.stories).flatMap(([id, story]) =>
        story.receipt ? [[id, { ...story.receipt, proof: proofData(story.receipt) }]] : [],
      ),
    ),
    failed: (state.plan?.stories ?? []).flatMap((story) => (story.failed && !story.passes ? [failureData(state, story)] : [])),
    flaky: flakyTests(state),
  }
}

/** The failure report, as data: what a person must know about each failed story. */
export type Failure = { story: StoryId; title: string; facts: { name: string; value: string }[] }
export function failuresOf(state: State): Failure[] {
  const failed = (state.plan?.stories ?? []).filter((story) => story.failed && !story.passes)
  return failed.map((story) => ({
    story: story.id,
    title: story.title,
    facts: failureLines(state, story)
      .slice(1) // the heading
      .map((line) => {
        const end = line.indexOf(': ')
        return { name: line.slice(2, end), value: line.slice(end + 2) }
      }),
  }))
}

/** How the last answers were read, and the effect. */
function answerLines(iterations: IterationEntry[]): string[] {
  const shown = iterations.flatMap((entry) => (entry.reading ? [{ ...entry, reading: entry.reading }] : [])).slice(-mostAnswers)
  if (shown.length === 0) return []
  const cell = (text: string): string => text.replaceAll('|', '\\|')
  return [
    '## Answers',
    '',
    '| iteration | story | verdict | read as |',
    '|---|---|---|---|',
    ...shown.map(
      ({ iteration, story, verdict, reading }) =>
        `| ${iteration} | ${cell(story ?? '-')} | ${verdict ?? '-'} | ${cell(readingWords(reading))} |`,
    ),
  ]
}

const mostAnswers = 20

/** Ralph uses neither tags nor links here: whatever looks like one is someone else's text. */
const withoutMarkup = (markdown: string): string =>
  plain(markdown)
    .replace(/<(?=[a-z/!?])/gi, '\\<')
    .replaceAll('](', ']\\(')

/** What proves each story: evidence from Ralph, not an agent's word. */
function receiptLines({ stories, plan }: State): string[] {
  const known = (plan?.stories ?? []).flatMap(({ id }) => {
    const receipt = stories[id]?.receipt
    return receipt === undefined || receipt.given ? [] : [{ id, receipt }]
  })
  if (known.length === 0) return []
  return [
    '## Receipts',
    '',
    '| story | grade | iteration | commits | gates | agent | cost |',
    '|---|---|---|---|---|---|---|',
    ...known.map(({ id, receipt }) => {
      const commits = receipt.commits.map((commit) => commit.slice(0, 7))
      const cost = receipt.costUsd === null ? 'unknown' : `$${receipt.costUsd.toFixed(2)}`
      return `| ${id} | ${gradeOf(receipt)} | ${receipt.iteration} | ${commits.join(', ') || '-'} | ${gateWords(receipt, sayDuration)} | ${receipt.agent} | ${cost} |`
    }),
  ]
}

function receiptWords(state: State, id: StoryId): string {
  const receipt = state.stories[id]?.receipt
  if (receipt === undefined) return ''
  if (receipt.given) return ' (passed before Ralph looked)'
  const [commit] = receipt.commits.slice(-1).map((id) => `, ${id.slice(0, 7)}`)
  return ` (iteration ${receipt.iteration}${commit ?? ''}, ${proofWords(receipt)})`
}
