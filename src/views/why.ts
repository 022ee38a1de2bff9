/** `ralph why`: explains the last stop, or the current state of a live run, from the log. */
import { exitCode, outcomeTitle } from '../core/decide/outcome.ts'
import { evolve } from '../core/evolve/evolve.ts'
import { endedFlight } from '../core/evolve/flights.ts'
import { initialState } from '../core/evolve/initial.ts'
import type { State } from '../core/state.ts'
import type { Event, Instant } from '../core/types.ts'
import { readingWords } from './reading.ts'
import { linesFor } from './screen/screen.ts'
import { nextThing } from './screen/summary.ts'

export type WhyPaths = { dir: string; log(iteration: number): string }

/** Explains one run of a feature: the last, or the named one. null: no such run. */
export function whyLines(events: Iterable<Event>, asked: string | undefined, isLive: boolean, paths: WhyPaths): string[] | null {
  let state = initialState
  let told: { state: State; story: string[]; endedAt: Instant } | null = null
  let story: string[] = []
  let endedAt = ''
  for (const event of events) {
    if (event.kind === 'run.started') story = []
    if (event.kind === 'run.ended') endedAt = event.at // later actions of people are in the log too
    state = evolve(state, event)
    if (tells(event)) story.push(...linesFor(event, state).map((line) => line.text), ...readingLine(event, state))
    if (state.run !== '' && (asked === undefined || state.run === asked)) told = { state, story, endedAt }
  }
  if (told === null) return null
  return [...headline(told, isLive), '', ...lastIterations(told.story), '', ...where(told.state, paths)]
}

/** How its answer was read: shown with the verdict, as evidence. */
function readingLine(event: Event, state: State): string[] {
  const flight = event.kind === 'iteration.judged' ? endedFlight(state, event.iteration) : undefined
  return flight === undefined ? [] : [`    read as: ${readingWords(flight.ended.reading)}`]
}

const tells = ({ kind }: Event): boolean =>
  kind === 'iteration.started' ||
  kind === 'iteration.judged' ||
  kind === 'gates.started' ||
  kind === 'iteration.settled' ||
  kind === 'gates.ended' ||
  kind === 'breaker.changed' ||
  kind === 'breaker.reset' ||
  kind === 'story.failed' ||
  kind === 'story.shelved' ||
  kind === 'story.put-aside' ||
  kind === 'story.slow' ||
  kind === 'review.ended' ||
  kind === 'noticed' ||
  kind === 'wait.started' ||
  kind === 'run.resumed'

function headline({ state, endedAt }: { state: State; endedAt: Instant }, isLive: boolean): string[] {
  const { outcome } = state
  if (outcome)
    return [
      `Run ${state.run} ended ${outcomeTitle(outcome.outcome)} (exit ${exitCode(outcome.outcome, state.stop)}) at ${endedAt}.`,
      `Because: ${outcome.because.replace(/\.$/, '')}.`,
    ]
  if (!isLive) return [`Run ${state.run} was killed after ${state.at}; its process is gone.`]
  const doing = state.waiting
    ? `is waiting until ${state.waiting.until} (${state.waiting.for})`
    : state.pause === 'paused'
      ? 'is paused'
      : state.flights.length > 0
        ? `is running ${state.flights.map(({ iteration, story }) => `iteration ${iteration}${story ? ` on ${story}` : ''}`).join(', ')}`
        : 'is between iterations'
  return [`Run ${state.run} ${doing}.`]
}

const shownLines = 24

function lastIterations(story: string[]): string[] {
  if (story.length === 0) return ['No iteration started.']
  const shown = story.slice(-shownLines)
  return [
    'What happened:',
    ...(story.length > shown.length ? [`  … ${story.length - shown.length} earlier lines`] : []),
    ...shown.map((line) => `  ${line}`),
  ]
}

function where(state: State, paths: WhyPaths): string[] {
  const next = state.outcome
    ? nextThing(state.outcome.outcome, state, { dir: paths.dir, log: paths.log(state.iteration) })
    : 'ralph run continues where it stopped'
  return [...(state.iteration > 0 ? [`Look at:  ${paths.log(state.iteration)}`] : []), `Next:     ${next}`]
}
