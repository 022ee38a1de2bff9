/** The state of a feature, for people and tools: status.json and `ralph status`. */
import { breakerThreshold } from '../../core/decide/breaker.ts'
import { callsUnderWay } from '../../core/figures/calls.ts'
import { knownCost } from '../../core/figures/totals.ts'
import { isParked, openQuestions } from '../../core/plan/questions.ts'
import { countingStories } from '../../core/plan/stories.ts'
import { type LastFailure, lastFailure } from '../../core/proof/last-failure.ts'
import { openReservations } from '../../core/proof/receipt.ts'
import type { State } from '../../core/state.ts'
import type { BreakerState, Census, Envelope, Event, Instant, Outcome, Rule, Story, StoryId } from '../../core/types.ts'
import { type FlakyTest, flakyTests } from '../flaky.ts'
import { type ProofData, proofData } from '../proof.ts'
import { type ReadingShown, shownReading } from '../reading.ts'

export type Status = {
  version: 1
  state: 'idle' | 'running' | 'waiting' | 'paused' | 'ended' | 'killed'
  outcome: Outcome | null
  /** Asked for while an iteration runs. */
  soon?: 'pauses' | 'stops'
  because: string
  /** The branch of the last run, null: none, or a detached HEAD; and its last commit that is known. */
  branch: string | null
  head: string | null
  /** What happened to its branch or to HEAD, in words. */
  branchNotes: string[]
  feature: string
  run: string
  startedAt: Instant
  iteration: number
  used: number
  maxIterations: number
  story: StoryId | null
  stories: {
    complete: number
    total: number
    unproven: number
    reserved: number
    list: {
      id: StoryId
      title: string
      state: 'passes' | 'open' | 'failed' | 'skipped' | 'working' | 'asks'
      attempts: number
      proven: boolean
      /** null: it does not pass. */
      proof: ProofData | null
    }[]
  }
  breaker: {
    state: BreakerState
    idle: number
    threshold: number
    because: string
    /** How often in a row each rule has counted, and its threshold (0: off). */
    counters: Record<Rule, { times: number; threshold: number }>
  }
  /** The tests that ran last, by gate: those that could be counted. */
  census: Record<string, Census>
  /** What failed last and still stands. */
  failure: LastFailure | null
  /** Tests that failed and passed on the same content, in all runs. */
  flaky: FlakyTest[]
  questions: { story: StoryId | null; question: string; iteration: number }[]
  /** How the last answer in this run was read. */
  reading: (ReadingShown & { iteration: number; story: StoryId | null }) | null
  indicators: State['indicators']
  waiting: State['waiting'] | null
  /** Agents at their usage limit, for which others take the calls. */
  limits?: { agent: string; until: Instant }[]
  /** Of this run, including running calls. */
  calls: number
  cost: {
    usd: number | null /** calls that did not report it */
    unpriced: number
    inputTokens: number
    outputTokens: number /** calls that did not report them */
    uncounted: number
  }
  /** The user's budgets over all runs and projects; empty: none was set in the last run. */
  envelopes: Envelope[]
  agent: string
  lastEvent: { at: Instant; kind: string } | null
  pid: number
}

export function statusOf(state: State, lastKind: Event['kind'] | null): Status {
  const working = new Set(state.flights.map((flight) => flight.story))
  const list = (state.plan?.stories ?? []).map((story) => {
    const known = state.stories[story.id]
    const where = story.passes
      ? 'passes'
      : story.failed
        ? 'failed'
        : working.has(story.id)
          ? 'working'
          : story.skip
            ? 'skipped'
            : isParked(state, story.id)
              ? 'asks'
              : 'open'
    return {
      id: story.id,
      title: story.title,
      state: where,
      attempts: known?.attempts ?? 0,
      proven: known?.receipt?.proven === true,
      proof: known?.receipt === undefined ? null : proofData(known.receipt),
    } as const
  })
  return {
    version: 1,
    state: stateWord(state),
    outcome: state.outcome?.outcome ?? null,
    ...soonOf(state),
    because: state.outcome?.because ?? state.halted ?? '',
    branch: state.home?.branch ?? null,
    head: state.repo.head,
    branchNotes: state.aboutBranch,
    feature: state.feature,
    run: state.run,
    startedAt: state.runStartedAt,
    iteration: state.iteration,
    used: state.used,
    maxIterations: state.policy.maxIterations,
    story: state.flights[0]?.story ?? null,
    stories: { ...storyCounts(state), list },
    breaker: {
      state: state.breaker.state,
      idle: state.breaker.counts['no-progress'].times,
      threshold: state.policy.maxStuck,
      because: state.breaker.because,
      counters: countersOf(state),
    },
    census: state.census,
    failure: state.outcome?.outcome === 'complete' ? null : lastFailure(state),
    flaky: flakyTests(state),
    questions: openQuestions(state).map(({ story, question, iteration }) => ({ story, question, iteration })),
    reading: lastReading(state),
    indicators: state.indicators,
    waiting: state.waiting ?? null,
    ...limitsNow(state),
    calls: state.totals.calls + callsUnderWay(state),
    cost: {
      usd: knownCost(state.totals),
      unpriced: state.totals.unpriced,
      inputTokens: state.totals.inputTokens,
      outputTokens: state.totals.outputTokens,
      uncounted: state.totals.uncounted,
    },
    envelopes: state.envelopes ?? [],
    agent: state.policy.agent,
    lastEvent: lastKind === null ? null : { at: state.at, kind: lastKind },
    pid: state.pid,
  }
}

function limitsNow({ agentLimits = {}, at, outcome }: State): Pick<Status, 'limits'> {
  const limits = Object.entries(agentLimits).flatMap(([agent, { until }]) => (until > at ? [{ agent, until }] : []))
  return limits.length === 0 || outcome !== undefined ? {} : { limits }
}

const lastReading = ({ last }: State): Status['reading'] =>
  last === undefined ? null : { iteration: last.iteration, story: last.story, ...shownReading(last.ended.reading) }

const countersOf = ({ breaker, policy }: State): Status['breaker']['counters'] =>
  Object.fromEntries(
    Object.entries(breaker.counts).map(([rule, { times }]) => [
      rule,
      { times, threshold: breakerThreshold(rule as Rule, policy) },
    ]),
  ) as Status['breaker']['counters']

/** Also those that pass only on the agent's word, and those with an open reservation. */
export function storyCounts(state: State): { complete: number; total: number; unproven: number; reserved: number } {
  if (state.plan === null) return { complete: 0, total: 0, unproven: 0, reserved: 0 }
  const counting = countingStories(state.plan, { ...state.policy, only: undefined })
  const complete = counting.filter((story) => story.passes)
  const isUnproven = ({ id }: Story): boolean => {
    const receipt = state.stories[id]?.receipt
    return receipt?.proof === undefined ? receipt?.proven !== true : receipt.proof.grade === 'unproven'
  }
  const isReserved = ({ id }: Story): boolean => openReservations(state.stories[id]?.receipt).length > 0
  const [unproven, reserved] = [complete.filter(isUnproven), complete.filter(isReserved)]
  return { complete: complete.length, total: counting.length, unproven: unproven.length, reserved: reserved.length }
}

function soonOf({ outcome, pause, stop }: State): Pick<Status, 'soon'> {
  if (outcome !== undefined) return {}
  return stop !== undefined ? { soon: 'stops' } : pause === 'requested' ? { soon: 'pauses' } : {}
}

function stateWord(state: State): Status['state'] {
  if (state.run === '') return 'idle'
  if (state.outcome !== undefined) return 'ended'
  if (state.pause === 'paused') return 'paused'
  return state.waiting === undefined ? 'running' : 'waiting'
}

export const breakerName = (state: BreakerState): string => state.toUpperCase().replace('-', '_')

export const plural = (count: number, word: string, many = `${word}s`): string => `${count} ${count === 1 ? word : many}`

/** 12,300, with separators. */
const grouped = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',')

/** Inside a sentence; after "Cost:", an unknown one needs no second "cost". */
export const costWords = (usd: number | null): string => (usd === null ? 'cost unknown' : costValue(usd))
/** Including what is unknown. */
/** Unknown tokens are never shown as 0. */
export function tokenWords(totals: { inputTokens: number; outputTokens: number; uncounted: number }): string {
  const { inputTokens, outputTokens, uncounted } = totals
  if (inputTokens + outputTokens === 0 && uncounted > 0) return 'tokens unknown'
  const known = `${grouped(inputTokens)} tokens in, ${grouped(outputTokens)} out`
  return uncounted === 0 ? known : `${known} and ${plural(uncounted, 'call')} of unknown tokens`
}

export const totalCost = (totals: { calls: number; costUsd: number; unpriced: number }): string => {
  const costUsd = knownCost(totals)
  return `${costValue(costUsd)}${unpricedWords({ costUsd, unpriced: totals.unpriced })}`
}

/** Next to the known part. */
export const unpricedWords = ({ costUsd, unpriced }: { costUsd: number | null; unpriced: number }): string =>
  costUsd === null || unpriced === 0 ? '' : ` and ${plural(unpriced, 'call')} of unknown cost`

export const costValue = (usd: number | null): string => (usd === null ? 'unknown' : `$${usd.toFixed(2)}`)
