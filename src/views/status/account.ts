/** A feature's totals over its whole history, updated event by event: status.json costs the same however long the history is. */
import { callsIn } from '../../core/figures/calls.ts'
import type { StoryTook } from '../../core/figures/forecast.ts'
import { isOfStory } from '../../core/figures/totals.ts'
import type { State } from '../../core/state.ts'
import type { Event, Plan, StoryId } from '../../core/types.ts'
import { charge } from '../figures/calls.ts'
import { type Costs, costsFrom, nothingSpent, type Outlook, outlooksIn, type Spent, spend } from '../report/costs.ts'
import { type Status, statusOf } from './status.ts'

/** status.json: the feature's state, plus its history. */
export type StatusFile = Status & {
  /** Of all runs together. */
  costs: Costs
  forecast: Outlook
  /** What each finished story took, used for forecasts. */
  finished: StoryTook[]
  /** Calls per hour that the run may make, 0: no limit; null: unknown. */
  callLimit: number | null
}

/** Mutable: one per fold of a log. Forecasts are cached until a story is finished or opened. */
export type Account = {
  spent: Spent
  stories: Map<StoryId, StoryTook>
  told: { from: string; outlookFor: (plan: Plan | null) => Outlook } | null
}

export const emptyAccount = (): Account => ({ spent: nothingSpent(), stories: new Map(), told: null })

/** `before`: the state before the event. */
export function chargeCalls({ spent, stories }: Account, before: State, event: Event): void {
  for (const call of callsIn(before, event)) {
    spend(spent, call)
    if (!isOfStory(call)) continue
    const taken = stories.get(call.story) ?? { iterations: 0, ms: 0, costUsd: 0 }
    charge(taken, call)
    stories.set(call.story, taken)
  }
}

/** `others`: finished stories of the repository's other features. */
export function statusFile(
  { state, account }: { state: State; account: Account },
  lastKind: Event['kind'] | null,
  others: StoryTook[],
  callLimit: number | null,
): StatusFile {
  const { spent, stories } = account
  const finished = finishedIn(account, state.plan)
  const proven = [...stories.keys()].filter((id) => state.stories[id]?.receipt?.proven === true).length
  return {
    ...statusOf(state, lastKind),
    costs: costsFrom(spent, proven),
    forecast: forecastIn(account, state.plan, [...finished, ...others]),
    finished,
    callLimit,
  }
}

/** What the stories took that pass. */
export function finishedIn({ stories }: Account, plan: Plan | null): StoryTook[] {
  const passed = new Set(plan?.stories.filter((story) => story.passes).map(({ id }) => id))
  return [...stories].flatMap(([id, taken]) => (passed.has(id) && taken.iterations > 0 ? [taken] : []))
}

function forecastIn(account: Account, plan: Plan | null, history: StoryTook[]): Outlook {
  const from = JSON.stringify(history)
  if (account.told?.from !== from) account.told = { from, outlookFor: outlooksIn(history) }
  return account.told.outlookFor(plan)
}
