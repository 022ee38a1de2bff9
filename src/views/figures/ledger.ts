/** A feature's history in figures: what each story, iteration and call took. A fold of its log. */
import { evolve } from '../../core/evolve/evolve.ts'
import { endedFlight } from '../../core/evolve/flights.ts'
import { initialState } from '../../core/evolve/initial.ts'
import { workedStory } from '../../core/evolve/judged.ts'
import { type CallEntry, callsIn } from '../../core/figures/calls.ts'
import { isOfStory } from '../../core/figures/totals.ts'
import { storyNamed } from '../../core/plan/stories.ts'
import type { EndedFlight, State } from '../../core/state.ts'
import type { Event, Instant, Outcome, RunId, StoryId } from '../../core/types.ts'
import { charge } from './calls.ts'

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
  /** Of its last iteration; empty: unknown, or in an older log. `model`: as the agent reported it. */
  agent: string
  model: string
  /** What the plan calls it; empty: nothing. */
  kind: string
  /** Skills that existed at its first iteration. */
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
  /** Loops without a result: ended by the breaker, by giving up a story, after only testing, or by a limit of the run. */
  runaways: { stopped: number; unstopped: number }
  skills: string[]
}

/** This many iterations without a finished story before a limit of the run count as an undetected loop. */
const runawayLength = 5
const limits: ReadonlySet<Outcome> = new Set<Outcome>(['incomplete', 'budget'])

export function ledgerOf(events: Iterable<Event>): Ledger {
  const fold = ledgerFold()
  for (const event of events) fold.add(event)
  return fold.value()
}

/** The same, event by event, for a growing log. */
export function ledgerFold(): { add(event: Event): void; value(): Ledger } {
  let state = initialState
  const runs: RunEntry[] = []
  const calls: CallEntry[] = []
  const stories = new Map<StoryId, StoryEntry>()
  const skills = new Set<string>()
  const runaways = { stopped: 0, unstopped: 0 }
  let sinceLastStory = 0
  const add = (event: Event): void => {
    const before = state
    state = evolve(before, event)
    for (const call of callsIn(before, event)) {
      calls.push(call)
      if (isOfStory(call)) charge(entryFor(stories, state, call.story, skillsIn(before, event)), call)
    }
    switch (event.kind) {
      case 'run.started':
        runs.push({ run: event.run, startedAt: event.at, endedAt: null, outcome: null, because: '', iterations: 0 })
        break
      case 'run.ended':
        Object.assign(runs.at(-1) ?? {}, { endedAt: event.at, outcome: event.outcome, because: event.because })
        if (limits.has(event.outcome) && sinceLastStory >= runawayLength) runaways.unstopped++
        if (event.outcome === 'testing-only') runaways.stopped++
        sinceLastStory = 0
        break
      case 'breaker.changed':
        if (event.to === 'open') runaways.stopped++
        break
      case 'story.failed':
        runaways.stopped++
        sinceLastStory = 0
        break
      case 'skill.ended':
        if (event.isRetired) skills.delete(event.category)
        else if (event.problem === undefined) skills.add(event.category)
        break
      case 'iteration.judged': {
        const run = runs.at(-1)
        if (run && endedFlight(before, event.iteration) !== undefined) run.iterations++
        sinceLastStory = event.passed.length > 0 ? 0 : sinceLastStory + 1
        const flight = endedFlight(before, event.iteration)
        const worked = stories.get(flight === undefined ? '' : (workedStory({ story: flight.story, judged: event }) ?? ''))
        if (worked !== undefined && flight !== undefined) Object.assign(worked, whoWorked(state, flight))
        break
      }
    }
  }
  const value = (): Ledger => ({
    feature: state.feature,
    state,
    runs,
    calls,
    stories: [...stories.values()].map((story) => withEnd(story, state)),
    runaways,
    skills: [...skills],
  })
  return { add, value }
}

const skillsIn = (before: State, event: Event): string[] =>
  event.kind === 'iteration.judged' ? (endedFlight(before, event.iteration)?.ended.skills ?? []) : []

const whoWorked = ({ policy, plan }: State, { story, ended }: EndedFlight): Pick<StoryEntry, 'agent' | 'model'> => ({
  agent: storyNamed(plan, story)?.agent ?? policy.agent,
  model: ended.model ?? '',
})

function entryFor(stories: Map<StoryId, StoryEntry>, state: State, id: StoryId, skills: string[]): StoryEntry {
  const known = stories.get(id)
  if (known !== undefined) return known
  const title = state.plan?.stories.find((story) => story.id === id)?.title ?? ''
  const none = {
    iterations: 0,
    ms: 0,
    tokens: 0,
    costUsd: 0,
    isPassed: false,
    isProven: false,
    isFailed: false,
    agent: '',
    model: '',
    kind: '',
  }
  const entry: StoryEntry = { feature: state.feature, id, title, ...none, skills }
  stories.set(id, entry)
  return entry
}

function withEnd(entry: StoryEntry, { plan, stories }: State): StoryEntry {
  const story = plan?.stories.find(({ id }) => id === entry.id)
  const receipt = stories[entry.id]?.receipt
  return {
    ...entry,
    isPassed: story?.passes === true,
    isProven: receipt?.proven === true,
    isFailed: story?.failed !== undefined && !story.passes,
    agent: receipt?.agent || entry.agent,
    kind: story?.kind ?? '',
  }
}
