/** The data for the dashboard's page: the overview and one feature's page, as pure folds of their logs. */
import { openQuestions } from '../../core/plan/questions.ts'
import type { State, StoryState } from '../../core/state.ts'
import type { Event, Plan, StoryId } from '../../core/types.ts'
import { type Ledger, ledgerFold } from '../../views/figures/ledger.ts'
import { type Costs, costsOf, type Outlook } from '../../views/report/costs.ts'
import type { BreakerChange, IterationEntry } from '../../views/report/history.ts'
import { type Status, statusOf } from '../../views/status/status.ts'

/** What the page may ask of a run, in the terms of the commands. */
export type PageRequest =
  | { kind: 'say'; text: string }
  | { kind: 'answer'; text: string; story: StoryId | null }
  | { kind: 'unblock'; text: string }
  | { kind: 'retry' | 'skip'; story: StoryId }
  | { kind: PlainAsk }
export type PlainAsk = 'pause' | 'resume' | 'stop' | 'stop-now' | 'reset-breaker'

/** `id` names it in URLs; `isArchived`: it cannot be changed any more. */
export type Named = { id: string; feature: string; isArchived: boolean; isLive: boolean }
export type Overview = {
  projects: { id: string; name: string; path: string; features: OverviewRow[] }[]
  /** Long logs are still being read: ask again for the rest. */
  isReading: boolean
}
export type OverviewRow = Named & {
  /** Why its log cannot be read; then nothing else is known. */
  problem?: string
  status?: BriefStatus
  /** Of all its runs. Absent: not read yet. */
  cost?: CostData
  forecast?: Outlook
  needs?: 'answer' | 'unblock'
}

/** null: unknown; `unpriced`: calls without a cost, besides the known sum. */
export type CostData = Pick<Costs, 'costUsd' | 'unpriced'>
/** Without the stories themselves, because a plan can be long. */
export type BriefStatus = Pick<Status, 'state' | 'outcome' | 'iteration' | 'lastEvent'> & {
  stories: Omit<Status['stories'], 'list'>
}

export type RunData = Named & {
  project: { id: string; name: string }
  status: Status
  /** Of all its runs. */
  cost: CostData
  /** null: its sources are still being read; ask again. */
  forecast: Outlook | null
  blocked: NonNullable<State['blocked']> | null
  questions: { story: StoryId | null; question: string; iteration: number }[]
  /** The number of each iteration, oldest first; their details come page by page. */
  iterations: number[]
  took: IterationColumns
  breaker: BreakerChange[]
  receipts: ReceiptRow[]
}
/** What each finished iteration took, as columns. */
export type IterationColumns = {
  iteration: number[]
  costUsd: (number | null)[]
  tokens: number[]
  ms: number[]
  outputChars: number[]
}
export type GateRow = { name: string; passed: boolean; isSoft: boolean; ms: number; output: string }
export type TimelineRow = Pick<IterationEntry, 'iteration' | 'story' | 'mode' | 'verdict' | 'endedAt' | 'because'>
export const rowsInPage = 100
/** One iteration with its results: the agent's report, commits, gates and reviews. */
export type TimelineEntry = IterationEntry & {
  /** Why it got a strategy shift; empty: it did not. */
  shift: string
  summary: string
  commits: string[]
  files: string[]
  passed: StoryId[]
  refused: StoryId[]
  gates: GateRow[]
}
/** null for a binary file. */
export type CommitData = {
  id: string
  subject: string
  files: { path: string; added: number | null; deleted: number | null }[]
}
export type IterationData = TimelineEntry & { stats: CommitData[] }
export type ReceiptRow = Omit<NonNullable<StoryState['receipt']>, 'gates'> & { story: StoryId; gates: GateRow[] }
export type LogLines = { lines: { number: number; text: string }[]; total: number; isCut: boolean }

/** What the overview needs of a log. */
export type LogAccount = { ledger: Ledger; lastKind: Event['kind'] | null }

export function accountFold(): { add(event: Event): void; value(): LogAccount } {
  const fold = ledgerFold()
  let lastKind: Event['kind'] | null = null
  return {
    add(event) {
      fold.add(event)
      lastKind = event.kind
    },
    value: () => ({ ledger: fold.value(), lastKind }),
  }
}

/** A feature that has never run has the stories of its plan. */
export const withPlan = ({ ledger, lastKind }: LogAccount, plan: Plan | null): LogAccount => ({
  ledger: { ...ledger, state: { ...ledger.state, plan } },
  lastKind,
})

export const accountStatus = ({ ledger, lastKind }: LogAccount, { feature }: Named): Status => {
  const status = statusOf(ledger.state, lastKind)
  return { ...status, feature: status.feature || feature }
}

export function briefly({ state, outcome, iteration, lastEvent, stories }: Status): BriefStatus {
  const { complete, total, unproven, reserved } = stories
  return { state, outcome, iteration, lastEvent, stories: { complete, total, unproven, reserved } }
}

/** From the logs of its project; null: they are still being read. */
export type OutlookFor = ((ledger: Ledger) => Outlook) | null

export function overviewRow(named: Named, status: Status, own: LogAccount, outlookFor: OutlookFor): OverviewRow {
  const { state } = own.ledger
  const needs = openQuestions(state).length > 0 ? 'answer' : state.blocked === undefined ? undefined : 'unblock'
  const forecast = outlookFor?.(own.ledger)
  return { ...named, status: briefly(status), cost: costOf(own), forecast, needs }
}

export function runData(
  { project, ...named }: Named & Pick<RunData, 'project'>,
  status: Status,
  { own, outlookFor }: { own: LogAccount; outlookFor: OutlookFor },
  timeline: Pick<RunData, 'iterations' | 'took' | 'breaker'>,
): RunData {
  const { state } = own.ledger
  return {
    ...named,
    project,
    status,
    cost: costOf(own),
    forecast: outlookFor?.(own.ledger) ?? null,
    blocked: state.blocked ?? null,
    questions: status.questions,
    ...timeline,
    receipts: receiptsOf(state),
  }
}

function costOf({ ledger }: LogAccount): CostData {
  const { costUsd, unpriced } = costsOf(ledger)
  return { costUsd, unpriced }
}

const receiptsOf = ({ stories }: State): ReceiptRow[] =>
  Object.entries(stories).flatMap(([story, { receipt }]) =>
    receipt === undefined ? [] : [{ ...receipt, story, gates: receipt.gates.map(gateRow) }],
  )

/** Nobody reads the output of a passed gate here; it is in the log. */
export function gateRow(gate: {
  name: string
  passed: boolean
  soft?: true
  tolerated?: true
  durationMs: number
  output?: string
}): GateRow {
  const { name, passed, durationMs: ms } = gate
  const isSoft = gate.soft === true || gate.tolerated === true
  return { name, passed, isSoft, ms, output: passed ? '' : (gate.output ?? '').slice(-mostOutput) }
}

const mostOutput = 4000
