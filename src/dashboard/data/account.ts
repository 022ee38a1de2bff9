/** What the overview and a feature's page say, as pure folds of their logs. */
import { budgetsOf } from '../../core/decide/budget.ts'
import { openQuestions } from '../../core/plan/questions.ts'
import type { Flight, State } from '../../core/state.ts'
import type { Event, Instant, Plan } from '../../core/types.ts'
import { type Ledger, ledgerFold } from '../../views/figures/ledger.ts'
import { costsOf, type Outlook } from '../../views/report/costs.ts'
import { nextThing } from '../../views/screen/summary.ts'
import { type Status, statusOf } from '../../views/status/status.ts'
import { whereWork } from '../../views/work-branches.ts'
import { needOf } from './needs.ts'
import type { BriefStatus, CostData, Named, OverviewRow, PageQuestion, PageStory, RunData, WorkNow } from './shapes.ts'

/** What the overview needs of a log. `agents`: who was called by the iterations in the air. */
export type LogAccount = { ledger: Ledger; lastKind: Event['kind'] | null; agents: ReadonlyMap<number, string[]> }

export function accountFold(): { add(event: Event): void; value(): LogAccount } {
  const fold = ledgerFold()
  const agents = new Map<number, string[]>()
  const calls = new Map<number, string>()
  let lastKind: Event['kind'] | null = null
  return {
    add(event) {
      fold.add(event)
      lastKind = event.kind
      if (event.kind === 'call.requested') calls.set(event.call, event.agent)
      if (event.kind === 'iteration.started') {
        agents.set(event.iteration, [calls.get(event.call) ?? ''])
        calls.delete(event.call)
      }
      if (event.kind === 'review.started' && event.iteration !== 'whole')
        agents.set(event.iteration, [...new Set([...(agents.get(event.iteration) ?? []), event.agent])])
      if (event.kind === 'iteration.settled') agents.delete(event.iteration)
      if (event.kind === 'run.started') agents.clear()
    },
    value: () => ({ ledger: fold.value(), lastKind, agents }),
  }
}

/** A feature that has never run has the stories of its plan. */
export const withPlan = (account: LogAccount, plan: Plan | null): LogAccount =>
  withState(account, { ...account.ledger.state, plan })

export const withState = ({ ledger, ...rest }: LogAccount, state: State): LogAccount => ({
  ledger: { ...ledger, state },
  ...rest,
})

export const accountStatus = ({ ledger, lastKind }: LogAccount, { feature }: Named): Status => {
  const status = statusOf(ledger.state, lastKind)
  return { ...status, feature: status.feature || feature }
}

export function briefly({ state, outcome, iteration, lastEvent, stories }: Status): BriefStatus {
  return { state, outcome, iteration, lastEvent, stories: countsOf(stories) }
}

const countsOf = ({ complete, total, unproven, reserved }: Status['stories']): BriefStatus['stories'] => ({
  complete,
  total,
  unproven,
  reserved,
})

/** From the logs of its project; null: they are still being read. */
export type OutlookFor = ((ledger: Ledger) => Outlook) | null
/** The tool that the agent of an iteration used last. */
export type ToolOf = (iteration: number) => string

export function overviewRow(
  named: Named,
  status: Status,
  own: LogAccount,
  { outlookFor, toolOf }: { outlookFor: OutlookFor; toolOf: ToolOf },
): OverviewRow {
  const forecast = outlookFor?.(own.ledger)
  const cost = costOf(own)
  return { ...named, status: briefly(status), cost, forecast, need: needIn(named, status, own), work: workOf(named, own, toolOf) }
}

/** Nobody must do anything about what is archived. */
const needIn = ({ isArchived }: Named, status: Status, { ledger }: LogAccount): OverviewRow['need'] =>
  isArchived ? null : needOf(status, ledger.state.blocked ?? null)

function workOf({ isLive }: Named, { ledger }: LogAccount, toolOf: ToolOf): WorkNow[] {
  if (!isLive) return []
  const { flights, plan } = ledger.state
  return flights.map(({ iteration, story, phase, startedAt }: Flight) => ({
    iteration,
    story,
    phase,
    startedAt,
    title: plan?.stories.find(({ id }) => id === story)?.title ?? '',
    tool: phase === 'working' ? toolOf(iteration) : '',
  }))
}

export function runData(
  { project, ...named }: Named & Pick<RunData, 'project'>,
  status: Status,
  own: LogAccount,
  more: { outlookFor: OutlookFor; toolOf: ToolOf; label: string } & Pick<RunData, 'iterations' | 'others'>,
): RunData {
  const { state } = own.ledger
  const { stories, ...rest } = status
  return {
    ...named,
    project,
    status: { ...rest, stories: countsOf(stories) },
    need: needIn(named, status, own),
    next: nextOf(own, status, more.label),
    branch: whereWork(state),
    work: workOf(named, own, more.toolOf),
    isPausing: named.isLive && state.pause === 'requested',
    isStopping: named.isLive && state.stop !== undefined,
    cost: costOf(own),
    budgets: state.run === '' ? [] : budgetsOf(state),
    forecast: more.outlookFor?.(own.ledger) ?? null,
    blocked: state.blocked ?? null,
    questions: questionsOf(own),
    stories: storyRows(stories.list, own, named.isLive),
    iterations: more.iterations,
    others: more.others,
    first: firstOf(status, own),
  }
}

function nextOf({ ledger: { state } }: LogAccount, status: Status, label: string): string {
  if (status.state === 'killed')
    return `ralph run  # ${status.because === '' ? '' : 'first fix that; '}continues where this one stopped`
  const log = `${label}/logs`
  return state.outcome === undefined ? '' : nextThing(state.outcome.outcome, state, { dir: label, log })
}

const questionsOf = ({ ledger }: LogAccount): PageQuestion[] =>
  openQuestions(ledger.state).map(({ story, question, iteration, proposal, suspicions }) => ({
    story,
    question,
    iteration,
    proposal: proposal ?? null,
    isSuspicion: suspicions !== undefined,
  }))

/** What a gone process worked on is open again. */
function storyRows(list: Status['stories']['list'], { ledger }: LogAccount, isLive: boolean): PageStory[] {
  const taken = new Map(ledger.stories.map((entry) => [entry.id, entry]))
  return list.map((story) => {
    const { costUsd = 0, ms = 0 } = taken.get(story.id) ?? {}
    return { ...story, state: story.state === 'working' && !isLive ? 'open' : story.state, costUsd, ms }
  })
}

/** The iteration that somebody wants to see: what failed and still stands, what asks, what works, else the last one. */
function firstOf({ failure, questions, stories }: Status, { ledger: { state } }: LogAccount): RunData['first'] {
  if (failure !== null && failure.iteration > 0) return { story: failure.story, iteration: failure.iteration }
  const asked = questions[0] ?? state.flights[0] ?? state.last
  if (asked !== undefined && asked.iteration > 0) return { story: asked.story, iteration: asked.iteration }
  const [open] = stories.list.filter((story) => story.state !== 'passes' && story.state !== 'skipped')
  return open === undefined ? null : { story: open.id, iteration: 0 }
}

function costOf({ ledger }: LogAccount): CostData {
  const { costUsd, unpriced } = costsOf(ledger)
  return { costUsd, unpriced }
}

/** What the calls of these logs have cost since then. Calls are in the order of their ends. */
export function spentSince(accounts: LogAccount[], since: Instant): CostData {
  let costUsd = 0
  let unpriced = 0
  for (const { ledger } of accounts)
    for (const call of ledger.calls.toReversed()) {
      if (call.at < since) break
      if (call.costUsd === null) unpriced += 1
      else costUsd += call.costUsd
    }
  return { costUsd, unpriced }
}
