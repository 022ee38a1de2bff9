/** What the dashboard's page is given: the overview and one feature's page, as pure folds of their logs. */
import { openQuestions } from '../../core/questions.ts'
import type { State, StoryState } from '../../core/state.ts'
import type { Event, StoryId } from '../../core/types.ts'
import { costsOf, type Outlook, outlookOf } from '../../views/costs.ts'
import { type History, historyOf, type IterationEntry } from '../../views/history.ts'
import { type Ledger, ledgerOf } from '../../views/ledger.ts'
import { type Status, statusOf } from '../../views/status.ts'

/** What the page may ask of a run, in the words of the commands. */
export type Ask =
  | { kind: 'say'; text: string }
  | { kind: 'answer'; text: string; story: StoryId | null }
  | { kind: 'unblock'; text: string }
  | { kind: PlainAsk }
export type PlainAsk = 'pause' | 'resume' | 'stop' | 'stop-now' | 'reset-breaker'

/** `id` names it in addresses; `isArchived`: nothing can be asked of it any more. */
export type Named = { id: string; feature: string; isArchived: boolean }
export type Overview = { projects: { id: string; name: string; path: string; features: OverviewRow[] }[] }
export type OverviewRow = Named & {
  isLive: boolean
  /** Why its log cannot be read; then nothing else is known. */
  problem?: string
  status?: Status
  /** Of all its runs; null: unknown. */
  costUsd?: number | null
  forecast?: Outlook
  needs?: 'answer' | 'unblock'
}

export type GateRow = { name: string; passed: boolean; isSoft: boolean; ms: number; output: string }
/** One iteration with all that came of it: what the agent said of it, its commits, its gates and reviews. */
export type TimelineEntry = IterationEntry & {
  summary: string
  commits: string[]
  files: string[]
  passed: StoryId[]
  refused: StoryId[]
  gates: GateRow[]
}
export type Receipt = Omit<NonNullable<StoryState['receipt']>, 'gates'> & { story: StoryId; gates: GateRow[] }
export type RunData = Named & {
  project: { id: string; name: string }
  isLive: boolean
  status: Status
  /** Of all its runs; null: unknown. */
  costUsd: number | null
  forecast: Outlook
  blocked: NonNullable<State['blocked']> | null
  questions: { story: StoryId | null; question: string; iteration: number }[]
  iterations: TimelineEntry[]
  breaker: History['breaker']
  receipts: Receipt[]
}
export type LogLines = { lines: { number: number; text: string }[]; total: number; isCut: boolean }

/** What one log comes to; kept until the log grows. */
export type Folded = { ledger: Ledger; iterations: TimelineEntry[]; breaker: History['breaker']; lastKind: Event['kind'] | null }

export function folded(events: Event[]): Folded {
  const { iterations, breaker } = historyOf(events)
  return { ledger: ledgerOf(events), iterations: timelineOf(iterations, events), breaker, lastKind: events.at(-1)?.kind ?? null }
}

export function overviewRow(named: Named, isLive: boolean, own: Folded, all: Ledger[]): OverviewRow {
  const { state } = own.ledger
  const needs = openQuestions(state).length > 0 ? 'answer' : state.blocked === undefined ? undefined : 'unblock'
  const { costUsd } = costsOf(own.ledger)
  return { ...named, isLive, status: statusNow(own, named, isLive), costUsd, forecast: outlookOf(own.ledger, all), needs }
}

export function runData(project: RunData['project'], named: Named, isLive: boolean, own: Folded, all: Ledger[]): RunData {
  const { state } = own.ledger
  const status = statusNow(own, named, isLive)
  return {
    ...named,
    project,
    isLive,
    status,
    costUsd: costsOf(own.ledger).costUsd,
    forecast: outlookOf(own.ledger, all),
    blocked: state.blocked ?? null,
    questions: status.questions,
    iterations: own.iterations,
    breaker: own.breaker,
    receipts: receiptsOf(state),
  }
}

/** A log that has not ended, and no run that writes it: killed. */
function statusNow({ ledger, lastKind }: Folded, { feature }: Named, isLive: boolean): Status {
  const status = statusOf(ledger.state, lastKind)
  const isOver = status.state === 'ended' || status.state === 'idle'
  return { ...status, feature: status.feature || feature, state: isOver || isLive ? status.state : 'killed' }
}

function timelineOf(iterations: IterationEntry[], events: Event[]): TimelineEntry[] {
  const none = { summary: '', commits: [], files: [], passed: [], refused: [], gates: [] }
  const all = new Map(iterations.map((entry): [number, TimelineEntry] => [entry.iteration, { ...none, ...entry }]))
  for (const event of events) {
    const entry = 'iteration' in event ? all.get(event.iteration) : undefined
    if (entry === undefined) continue
    switch (event.kind) {
      case 'iteration.ended':
        Object.assign(entry, { summary: event.summary, commits: event.commits, files: event.files ?? [] })
        break
      case 'gates.ended':
        entry.gates = [...entry.gates, ...event.results.map(gateRow)]
        break
      case 'review.ended':
        if (event.result !== undefined) entry.gates = [...entry.gates, gateRow(event.result)]
        break
      case 'iteration.judged':
        Object.assign(entry, { passed: event.passed, refused: event.refused })
        break
      case 'iteration.settled':
        entry.commits = [...entry.commits, ...event.commits.filter((commit) => !entry.commits.includes(commit))]
        break
    }
  }
  return [...all.values()]
}

const receiptsOf = ({ stories }: State): Receipt[] =>
  Object.entries(stories).flatMap(([story, { receipt }]) =>
    receipt === undefined ? [] : [{ ...receipt, story, gates: receipt.gates.map(gateRow) }],
  )

/** Of a gate that passed nobody reads the output here; it is in the log. */
function gateRow(gate: {
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
