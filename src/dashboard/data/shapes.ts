/** What the server sends to the page, and what the page may ask for. */
import type { Budget } from '../../core/decide/budget.ts'
import type { Flight, State, StoryState } from '../../core/state.ts'
import type { Census, CheckKind, Instant, Proposal, Role, StoryFailure, StoryId, Verdict } from '../../core/types.ts'
import type { RunEntry } from '../../views/figures/ledger.ts'
import type { ProofData } from '../../views/proof.ts'
import type { Costs, Outlook } from '../../views/report/costs.ts'
import type { BreakerChange, IterationEntry } from '../../views/report/history.ts'
import type { Status } from '../../views/status/status.ts'
import type { TranscriptStep } from './transcript-steps.ts'

/** What the page may ask of a run, in the terms of the commands. `accept`: the criterion that a question proposes. */
export type PageRequest =
  | { kind: 'say'; text: string }
  | { kind: 'answer'; text: string; story: StoryId | null }
  | { kind: 'accept'; story: StoryId | null }
  | { kind: 'unblock'; text: string }
  | { kind: 'retry' | 'skip'; story: StoryId }
  | { kind: PlainAsk }
/** `start`: a run of the ordinary program, which outlives the dashboard. */
export type PlainAsk = 'start' | 'pause' | 'resume' | 'stop' | 'stop-now' | 'reset-breaker'

/** `id` names it in URLs; `isArchived`: it cannot be changed any more. */
export type Named = { id: string; feature: string; isArchived: boolean; isLive: boolean }

export type Overview = {
  projects: { id: string; name: string; path: string; features: OverviewRow[] }[]
  /** Of all features, since the instants that the page named. */
  spent: { today: CostData; week: CostData }
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
  /** Why a person must act; null: nobody must. */
  need: Need | null
  /** What its agents do now. */
  work: WorkNow[]
}

/** What a person must do: the kind decides the chip, the words say what happened. */
export type Need = { kind: NeedKind; words: string }
/** `ready`: everything is answered, and a new run continues. */
export type NeedKind = 'question' | 'blocked' | 'login' | 'failed' | 'limit' | 'killed' | 'ready' | 'unreadable'

/** One iteration in the air: `tool` is what its agent used last; empty: unknown. */
export type WorkNow = Pick<Flight, 'iteration' | 'story' | 'phase' | 'startedAt'> & { title: string; tool: string }

/** null: unknown; `unpriced`: calls without a cost, besides the known sum. */
export type CostData = Pick<Costs, 'costUsd' | 'unpriced'>
/** Without the stories themselves, because a plan can be long. */
export type BriefStatus = Pick<Status, 'state' | 'outcome' | 'iteration' | 'lastEvent'> & {
  stories: Omit<Status['stories'], 'list'>
}

export type RunData = Named & {
  project: { id: string; name: string }
  status: Omit<Status, 'stories'> & Pick<BriefStatus, 'stories'>
  need: Need | null
  /** The one thing that a person can do next, in words; empty: nothing. */
  next: string
  /** Which branches have its work. */
  branch: string | null
  work: WorkNow[]
  /** Asked to pause or to stop, and not there yet. */
  isPausing: boolean
  isStopping: boolean
  /** Of all its runs. */
  cost: CostData
  budgets: Budget[]
  /** null: its sources are still being read; ask again. */
  forecast: Outlook | null
  blocked: NonNullable<State['blocked']> | null
  questions: PageQuestion[]
  stories: PageStory[]
  /** Iterations in all, and those that belong to no story. */
  iterations: number
  others: number
  /** What to show first: the iteration that failed, asks or works. */
  first: { story: StoryId | null; iteration: number } | null
}
/** `proposal`: it would be settled by another criterion; `isSuspicion`: a yes lets the story pass. */
export type PageQuestion = {
  story: StoryId | null
  question: string
  iteration: number
  proposal: Proposal | null
  isSuspicion: boolean
}
export type PageStory = Status['stories']['list'][number] & { costUsd: number | null; ms: number }

/** One story: what the plan asks for, what became of it, and its iterations, oldest first. */
export type StoryData = {
  description: string
  criteria: string[]
  notes: string
  failed: StoryFailure | null
  proof: ProofData | null
  receipt: ReceiptRow | null
  iterations: TimelineRow[]
}

export type GateRow = {
  name: string
  kind: CheckKind
  passed: boolean
  isSoft: boolean
  /** It ran again after the merge with what other workers did. */
  isAfterMerge: boolean
  ms: number
  /** The tests that ran; null: not counted. */
  census: Census | null
  isFlaky: boolean
  /** The telling lines of a failed gate, and the end of what it printed; a reviewer's whole answer. */
  lines: string[]
  output: string
}
export type TimelineRow = Pick<
  IterationEntry,
  'iteration' | 'story' | 'attempt' | 'mode' | 'verdict' | 'startedAt' | 'endedAt' | 'because' | 'ms' | 'costUsd'
>
/** One iteration with its results: the agent's report, commits, gates and reviews. */
export type TimelineEntry = IterationEntry & {
  agents: string[]
  worker: number | null
  /** Why it got a strategy shift; empty: it did not. */
  shift: string
  summary: string
  /** What Ralph saw in its work: a weakened check, a weak test, …, each with its heading. */
  findings: string[]
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

/** What an iteration changed, file by file over its commits. `isCut`: there is more than the page shows. */
export type DiffData = { files: DiffFile[]; isCut: boolean; missing: string[] }
export type DiffFile = {
  path: string
  commit: string
  added: number
  deleted: number
  isBinary: boolean
  /** As git prints them, from the first `@@` on. */
  lines: string[]
  isCut: boolean
}

export type ReceiptRow = Omit<NonNullable<StoryState['receipt']>, 'gates'> & { story: StoryId; gates: GateRow[] }

/** Everything over time: what ran when, what it cost, and what was learned. */
export type HistoryData = {
  lanes: LaneBar[]
  checks: WholeCheck[]
  runs: RunEntry[]
  /** Open stories after each iteration that ended, from the first on. */
  burn: { iteration: number[]; open: number[] }
  calls: CallColumns
  budgetUsd: number | null
  budgetTokens: number | null
  breaker: BreakerChange[]
  receipts: ReceiptRow[]
  lessons: LessonRow[]
}
/** One iteration on its worker's lane: the agent until `agentEnd`, then its checks; null: it still runs. */
export type LaneBar = {
  iteration: number
  story: StoryId | null
  lane: number
  start: Instant
  agentEnd: Instant | null
  end: Instant | null
  verdict: Verdict | null
  checks: LaneCheck[]
}
/** `passed` null: it still runs, or gave no answer. */
export type LaneCheck = { kind: 'gates' | 'review'; start: Instant; end: Instant | null; passed: boolean | null }
/** Of the whole project, outside of iterations. */
export type WholeCheck = LaneCheck
/** All calls in their order, as columns. `run`: the number of its run. */
export type CallColumns = { run: number[]; role: Role[]; costUsd: (number | null)[]; tokens: number[] }
export type LessonRow = { id: string; text: string; category: string; story: StoryId; mark: string; used: number; passed: number }

/** A step of a transcript, in order. `at`: when the agent says that it began, or when it was seen; null: neither is known. */
export type ShownStep = TranscriptStep & { number: number; at: Instant | null; tookMs: number | null }
export type TranscriptData = { steps: ShownStep[]; total: number; isCut: boolean }
