/** A feature over time: what ran when, what it cost, what stopped it, and what was learned. */
import type { Lesson } from '../../core/learning/learning.ts'
import type { StoryState } from '../../core/state.ts'
import type { StoryId } from '../../core/types.ts'
import type { Ledger } from '../../views/figures/ledger.ts'
import { storyCounts } from '../../views/status/status.ts'
import type { LogAccount } from './account.ts'
import type { CallColumns, HistoryData, LessonRow, ReceiptRow } from './shapes.ts'
import { burnOf, gateRow, lanesOf, type Timeline, wholeChecks } from './timeline.ts'

export function historyData({ ledger }: LogAccount, timeline: Timeline, lessons: Lesson[]): HistoryData {
  const { state, runs } = ledger
  const { complete, total } = storyCounts(state)
  const { costUsd, tokens } = state.policy.budget
  return {
    lanes: lanesOf(timeline),
    checks: wholeChecks(timeline),
    runs,
    burn: burnOf(timeline, total - complete),
    calls: callColumns(ledger),
    budgetUsd: state.run === '' ? null : costUsd,
    budgetTokens: state.run === '' ? null : tokens,
    breaker: timeline.breaker,
    receipts: Object.entries(state.stories).flatMap(([story, { receipt }]) =>
      receipt === undefined ? [] : [receiptRow(story, receipt)],
    ),
    lessons: lessons.map((lesson) => lessonRow(lesson, ledger)),
  }
}

export const receiptRow = (story: StoryId, receipt: NonNullable<StoryState['receipt']>): ReceiptRow => ({
  ...receipt,
  story,
  gates: receipt.gates.map(gateRow),
})

function callColumns({ calls, runs }: Ledger): CallColumns {
  const number = new Map(runs.map(({ run }, index) => [run, index]))
  return {
    run: calls.map(({ run }) => number.get(run) ?? 0),
    role: calls.map(({ role }) => role),
    costUsd: calls.map(({ costUsd }) => costUsd),
    tokens: calls.map(({ inputTokens, outputTokens }) => inputTokens + outputTokens),
  }
}

function lessonRow(
  { id, text, category, source, mark = '' }: Omit<Lesson, 'mark'> & { mark?: string },
  { state }: Ledger,
): LessonRow {
  const { times: used, passed } = state.learning.uses[id] ?? { times: 0, passed: 0 }
  return { id, text, category, story: source.story, mark, used, passed }
}
