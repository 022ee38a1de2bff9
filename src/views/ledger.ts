/** A feature's history as an account book: what each story, iteration and call took. A fold of its log. */
import { evolve } from '../core/evolve.ts'
import { initialState } from '../core/initial.ts'
import type { State } from '../core/state.ts'
import { sumOf } from '../core/totals.ts'
import type { Event, Instant, Mode, Outcome, Role, RunId, StoryId, Usage, Verdict } from '../core/types.ts'

export type CallEntry = {
  run: RunId
  iteration: number
  story: StoryId | null
  role: Role
  mode: Mode
  at: Instant
  ms: number
  inputTokens: number
  outputTokens: number
  costUsd: number | null
  outputChars: number
  /** Of an iteration. */
  verdict?: Verdict
}
export type StoryEntry = {
  feature: string
  id: StoryId
  title: string
  iterations: number
  ms: number
  tokens: number
  costUsd: number | null
  isPassed: boolean
  isProven: boolean
  isFailed: boolean
  /** Skills that were there for its first iteration. */
  skills: string[]
}
export type RunEntry = {
  run: RunId
  startedAt: Instant
  endedAt: Instant | null
  outcome: Outcome | null
  because: string
  iterations: number
}
export type Ledger = {
  feature: string
  state: State
  runs: RunEntry[]
  calls: CallEntry[]
  stories: StoryEntry[]
  breakerOpened: number
  skills: string[]
}

export function ledgerOf(events: Iterable<Event>): Ledger {
  const fold = ledgerFold()
  for (const event of events) fold.add(event)
  return fold.value()
}

/** The same, event by event, for a log that grows. */
export function ledgerFold(): { add(event: Event): void; value(): Ledger } {
  let state = initialState
  const runs: RunEntry[] = []
  const calls: CallEntry[] = []
  const stories = new Map<StoryId, StoryEntry>()
  const skills = new Set<string>()
  let breakerOpened = 0
  const note = (call: CallEntry): void => void calls.push(call)
  const add = (event: Event): void => {
    const before = state
    state = evolve(before, event)
    switch (event.kind) {
      case 'run.started':
        runs.push({ run: event.run, startedAt: event.at, endedAt: null, outcome: null, because: '', iterations: 0 })
        break
      case 'run.ended':
        Object.assign(runs.at(-1) ?? {}, { endedAt: event.at, outcome: event.outcome, because: event.because })
        break
      case 'breaker.changed':
        if (event.to === 'open') breakerOpened++
        break
      case 'skill.ended':
        if (event.isRetired) skills.delete(event.category)
        else if (event.problem === undefined) skills.add(event.category)
        if (event.agent !== '')
          note(callOf(event, 'learner', 'implement', null, before.iteration, event.usage, event.durationMs, 0))
        break
      case 'iteration.judged': {
        const flight = before.flights.find(({ iteration }) => iteration === event.iteration)
        if (flight?.ended === undefined) break
        const { ended, story, mode } = flight
        const used = callOf(event, 'implementer', mode, story, event.iteration, ended.usage, ended.durationMs, ended.outputChars)
        note({ ...used, verdict: event.verdict })
        const run = runs.at(-1)
        if (run) run.iterations++
        if (story !== null) charge(entryFor(stories, state, story, ended.skills ?? []), used, 1)
        break
      }
      case 'review.ended': {
        const used = callOf(
          event,
          'reviewer',
          'review',
          event.story,
          event.iteration,
          event.usage,
          event.durationMs,
          event.outputChars,
        )
        note(used)
        if (event.story !== null) charge(entryFor(stories, state, event.story, []), used, 0)
        break
      }
      case 'learning.ended':
        note(callOf(event, 'learner', 'implement', event.story, before.iteration, event.usage, event.durationMs, 0))
        break
    }
  }
  const value = (): Ledger => ({
    feature: state.feature,
    state,
    runs,
    calls,
    stories: [...stories.values()].map((story) => withEnd(story, state)),
    breakerOpened,
    skills: [...skills],
  })
  return { add, value }
}

const callOf = (
  { run, at }: Event,
  role: Role,
  mode: Mode,
  story: StoryId | null,
  iteration: number,
  { inputTokens, outputTokens, costUsd }: Usage,
  ms: number,
  outputChars: number,
): CallEntry => ({ run, iteration, story, role, mode, at, ms, inputTokens, outputTokens, costUsd, outputChars })

function entryFor(stories: Map<StoryId, StoryEntry>, state: State, id: StoryId, skills: string[]): StoryEntry {
  const known = stories.get(id)
  if (known !== undefined) return known
  const title = state.plan?.stories.find((story) => story.id === id)?.title ?? ''
  const none = { iterations: 0, ms: 0, tokens: 0, costUsd: 0, isPassed: false, isProven: false, isFailed: false }
  const entry: StoryEntry = { feature: state.feature, id, title, ...none, skills }
  stories.set(id, entry)
  return entry
}

function charge(entry: StoryEntry, { ms, inputTokens, outputTokens, costUsd }: CallEntry, iterations: number): void {
  entry.iterations += iterations
  entry.ms += ms
  entry.tokens += inputTokens + outputTokens
  entry.costUsd = sumOf(entry.costUsd, costUsd)
}

function withEnd(entry: StoryEntry, { plan, stories }: State): StoryEntry {
  const story = plan?.stories.find(({ id }) => id === entry.id)
  const receipt = stories[entry.id]?.receipt
  return {
    ...entry,
    isPassed: story?.passes === true,
    isProven: receipt?.proven === true,
    isFailed: story?.failed !== undefined && !story.passes,
  }
}
