/** progress.txt: the append-only memory that the agent reads, in its fixed format. */

import type { Flight, State } from '../core/state.ts'
import { storyNamed } from '../core/stories.ts'
import type { EventOf, Instant, Outcome } from '../core/types.ts'

export const progressHeader = (feature: string, at: Instant): string => `# Progress Log: ${feature}\n# Started: ${at}\n`

/** What the agent wrote itself is not written again. */
export function hasOwnEntry(appended: string, iteration: number, story: string | null): boolean {
  const isThis = new RegExp(`^\\s*Iteration:\\s*${iteration}\\b`, 'm')
  return (
    isThis.test(appended) ||
    (story !== null && appended.split('\n').some((line) => /^\s*Story:/.test(line) && line.includes(story)))
  )
}

export function progressEntry(
  state: State,
  flight: Flight,
  judged: EventOf<'iteration.judged'>,
  at: Instant,
  files: string[],
  commits: string[],
): string {
  const id = flight.story ?? judged.passed[0] ?? judged.refused[0] ?? null
  const title = storyNamed(state.plan, id)?.title
  const tests = files.filter((file) => /(^|[/._-])(tests?|spec)([/._-]|$)/i.test(file))
  const summary = (flight.ended?.summary ?? '').replace(/\s+/g, ' ').slice(0, 300)
  const lines = [
    '',
    '---',
    `Iteration: ${flight.iteration}`,
    `Date: ${at}`,
    `Story: ${id === null ? 'N/A' : `${id} - ${title ?? ''}`}`,
    `Status: ${statusWords(judged)}`,
    ...(summary === '' ? [] : [`Summary: ${summary}`]),
    ...listed('Files Changed', files),
    ...listed('Tests Added', tests),
    ...(judged.refused.length > 0 || judged.claim === 'refused' ? ['Learnings:', `  - ${judged.because}`] : []),
    ...(commits.length > 0 ? [`Commit: ${commits.at(-1)!.slice(0, 7)}`] : []),
  ]
  return `${lines.join('\n')}\n`
}

export function closingEntry(state: State, outcome: Outcome, because: string): string {
  const status = outcome === 'complete' ? 'ALL STORIES COMPLETE' : outcome
  return `\n---\nIteration: ${state.iteration}\nDate: ${state.at}\nStory: N/A\nStatus: ${status}\nSummary: ${because}\n`
}

/** Whether the file ends with that very entry already, but for its date. */
export const endsWithEntry = (tail: string, entry: string): boolean => undated(tail).endsWith(undated(entry))

const undated = (text: string): string => text.replaceAll(/^Date: .*\n/gm, '').trim()

function statusWords(judged: EventOf<'iteration.judged'>): string {
  if (judged.passed.length > 0) return 'complete'
  if (judged.verdict === 'worked') return 'in progress'
  if (judged.verdict === 'failed') return `failed (${judged.because})`
  return judged.verdict
}

function listed(title: string, items: string[]): string[] {
  if (items.length === 0) return []
  const shown = items.slice(0, 30).map((item) => `  - ${item}`)
  return [`${title}:`, ...shown, ...(items.length > 30 ? [`  - and ${items.length - 30} more`] : [])]
}
