/** Everything in a report, as data: for `ralph report --json` and for the page. */
import type { StoryId } from '../../core/types.ts'
import type { Ledger, RunEntry } from '../figures/ledger.ts'
import { type Status, statusOf } from '../status/status.ts'
import { type Costs, costsOf, type Outlook, outlookOf } from './costs.ts'
import type { History } from './history.ts'
import { type LearningSoFar, learningOf } from './learning.ts'
import { type Failure, failuresOf, type RunReport, reportJson } from './report.ts'

export type StoryRow = Status['stories']['list'][number] & { ms: number; tokens: number; costUsd: number | null }
/** What report.json has, plus the history. */
export type ReportData = RunReport & {
  at: string
  maxIterations: number
  runs: RunEntry[]
  list: StoryRow[]
  failures: Failure[]
  costs: Costs
  forecast: Outlook
  iterations: History['iterations']
  gates: History['gates']
  breaker: { state: Status['breaker']['state']; because: string; changes: History['breaker'] }
  learning: LearningSoFar | null
}

/** `all`: this ledger and those of the repository's other features, for figures that need many stories. */
export function reportData(own: Ledger, history: History, all: Ledger[]): ReportData {
  const { state } = own
  const { stories, maxIterations } = statusOf(state, null)
  const taken = new Map<StoryId, Ledger['stories'][number]>(own.stories.map((story) => [story.id, story]))
  return {
    ...reportJson(state),
    at: state.at,
    maxIterations,
    runs: own.runs,
    list: stories.list.map((story) => {
      const { ms, tokens, costUsd } = taken.get(story.id) ?? { ms: 0, tokens: 0, costUsd: 0 }
      return { ...story, ms, tokens, costUsd }
    }),
    failures: failuresOf(state),
    costs: costsOf(own),
    forecast: outlookOf(own, all),
    iterations: history.iterations,
    gates: history.gates,
    breaker: { state: state.breaker.state, because: state.breaker.because, changes: history.breaker },
    learning: learningOf(all),
  }
}
