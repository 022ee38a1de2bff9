/** progress.txt: the append-only memory that agents read, in its fixed format. */
import { isRed, resultsOf } from '../../core/decide/gates.ts'
import { outcomeTitle } from '../../core/decide/outcome.ts'
import { exitCode } from '../../core/exit-codes.ts'
import { storyNamed } from '../../core/plan/stories.ts'
import { keyLines } from '../../core/proof/key-lines.ts'
import type { JudgedFlight, State } from '../../core/state.ts'
import { plain } from '../../core/text/plain.ts'
import type { EventOf, GateResult, Instant, Outcome } from '../../core/types.ts'

export const progressHeader = (feature: string, at: Instant): string => `# Progress Log: ${feature}\n# Started: ${at}\n`

/** Does not repeat what the agent wrote itself. */
export function hasOwnEntry(appended: string, iteration: number, story: string | null): boolean {
  const isThis = new RegExp(`^\\s*Iteration:\\s*${iteration}\\b`, 'm')
  return (
    isThis.test(appended) ||
    (story !== null && appended.split('\n').some((line) => /^\s*Story:/.test(line) && line.includes(story)))
  )
}

/** `problem`: git did not commit the work, or gates failed on the commit, so that what passed does not pass after all. */
type SettledWork = { files: string[]; commits: string[]; problem?: string | undefined; isCommitted?: boolean }

export function progressEntry(
  state: State,
  flight: JudgedFlight,
  { files, commits, problem, isCommitted = false }: SettledWork,
): string {
  const { ended, judged } = flight
  const id = flight.story ?? judged.passed[0] ?? judged.refused[0] ?? judged.parked?.[0] ?? null
  const title = storyNamed(state.plan, id)?.title
  const tests = ended.tests ?? files.filter((file) => /(^|[/._-])(tests?|spec)([/._-]|$)/i.test(file))
  const summary = ended.summary.replace(/\s+/g, ' ').slice(0, 300)
  const lines = [
    '',
    '---',
    `Iteration: ${flight.iteration}`,
    `Date: ${state.at}`,
    `Story: ${id === null ? 'N/A' : `${id} - ${title ?? ''}`}`,
    `Status: ${problem === undefined ? statusWords(judged) : `failed (${isCommitted ? 'gates failed on the commit' : 'git rejected the commit'})`}`,
    ...(summary === '' ? [] : [`Summary: ${summary}`]),
    ...reported(flight),
    ...listed('Files Changed', files),
    ...listed('Tests Added', tests),
    ...listed('Learnings', problem === undefined ? missingIn(state, flight) : [problem]),
    ...commits.slice(-1).map((commit) => `Commit: ${commit.slice(0, 7)}`),
  ]
  return `${plain(lines.join('\n'))}\n`
}

/** What the next attempt must know: what a reviewer found missing, a gate's output, why a claim was rejected. */
function missingIn(state: State, flight: JudgedFlight): string[] {
  const { judged } = flight
  const red = resultsOf(state, flight).filter(isRed)
  const found = judged.refused.length > 0 || judged.claim === 'refused' ? red.flatMap(findings) : []
  const open = judged.claim === 'refused' && judged.openStories.length > 0 ? [`still open: ${judged.openStories.join(', ')}`] : []
  const all = [...found, ...open]
  const isUnexplained = all.length === 0 && (judged.refused.length > 0 || judged.claim === 'refused')
  return isUnexplained ? [judged.because] : all
}

/** A reviewer's findings in full; for a gate, the lines that say what failed. */
function findings({ name, kind, output }: GateResult): string[] {
  const lines = (kind === 'command' ? keyLines(output) : output.split('\n'))
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const shown = lines.slice(0, mostFindings).map((line) => `${name}: ${line.replace(/^[-*] /, '').slice(0, 200)}`)
  return shown.length === 0 ? [`${name} failed without output`] : shown
}

const mostFindings = 5

/** It ends the run, not an iteration: it has the last iteration's number, and Ralph's own output. */
export function closingEntry(state: State, outcome: Outcome, because: string): string {
  const isComplete = outcome === 'complete'
  const lines = [
    '',
    '---',
    `Iteration: ${state.iteration}`,
    `Date: ${state.at}`,
    `Story: N/A${isComplete ? ' - All complete' : ''}`,
    `Status: ${isComplete ? 'ALL STORIES COMPLETE' : outcome}`,
    `Summary: ${because}`,
    `Output: ${outcomeTitle(outcome)} (exit ${exitCode(outcome, state.stop)})`,
  ]
  return `${plain(lines.join('\n'))}\n`
}

/** Whether the file already ends with this entry, apart from its date. */
export const endsWithEntry = (tail: string, entry: string): boolean => undated(tail).endsWith(undated(entry))

const undated = (text: string): string => text.replaceAll(/^Date: .*\n/gm, '').trim()

function statusWords(judged: EventOf<'iteration.judged'>): string {
  if (judged.passed.length > 0) return 'complete'
  if (judged.verdict === 'worked') return 'in progress'
  if (judged.verdict === 'failed') return `failed (${judged.because})`
  return judged.verdict
}

/** What the agent's status block says; Ralph's own file count is below it. */
function reported({ ended }: JudgedFlight): string[] {
  const { tasks, files } = ended.reading.reported ?? {}
  const parts = [
    ...(tasks === undefined ? [] : [`${tasks} ${tasks === 1 ? 'task' : 'tasks'} completed`]),
    ...(files === undefined ? [] : [`${files} ${files === 1 ? 'file' : 'files'} modified`]),
  ]
  return parts.length === 0 ? [] : [`Reported: ${parts.join(', ')}`]
}

function listed(title: string, items: string[]): string[] {
  if (items.length === 0) return []
  const shown = items.slice(0, 30).map((item) => `  - ${item.replace(/\s+/g, ' ')}`) // a file name may contain anything
  return [`${title}:`, ...shown, ...(items.length > 30 ? [`  - and ${items.length - 30} more`] : [])]
}
