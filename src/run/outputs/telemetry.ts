/** A run's spans and figures, for an OpenTelemetry collector: fed with each event, closed with the run. Loaded only where it is set up. */

import { foldLog } from '../../adapters/project/event-log.ts'
import { eventLogPath } from '../../adapters/project/layout.ts'
import { type Figure, openTelemetry } from '../../adapters/telemetry/otlp.ts'
import { evolve } from '../../core/evolve/evolve.ts'
import { initialState } from '../../core/evolve/initial.ts'
import type { State } from '../../core/state.ts'
import { later } from '../../core/text/time.ts'
import type { Event } from '../../core/types.ts'
import { measuresOf, storyMeasures } from '../../views/figures/measures.ts'
import { type LogSpan, spanFold } from '../../views/figures/spans.ts'
import type { Setup } from '../parts.ts'
import { masked } from './masked.ts'

export type RunTelemetry = { take(events: Event[]): void; close(graceMs?: number): Promise<void> }

const advice = 'Install the packages of docs/telemetry.md beside Ralph. The run continues without it'

/** What is being sent may take this long after the end of its run. */
const lastMs = 3_000
/** Spans that ended shortly before a kill may have been lost with it. They have the same ids, so sending them twice does no harm. */
const doubtMs = 60_000

export async function openRunTelemetry(
  { settings, mask, dir, run }: Setup & { run: string },
  before: State,
  failed: (detail: string) => void,
): Promise<RunTelemetry | { missing: string }> {
  const url = settings['telemetry.otlp']
  const tell = (why: string): void => failed(mask.text(`Telemetry could not be sent: ${why}. The run continues without it`))
  const otlp = await openTelemetry({ run, url, failed: tell })
  if ('missing' in otlp) return { missing: `Telemetry is set up, but ${otlp.missing} is not installed. ${advice}` }
  const fold = spanFold()
  let state = initialState
  const added = (event: Event): LogSpan[] => {
    const ended = fold.add(event, state)
    state = evolve(state, event)
    return ended
  }
  /** With the runs before it, whose state it began with. */
  const past = (): LogSpan[] =>
    foldLog<LogSpan[]>(eventLogPath(dir), [], (all, event) => {
      all.push(...added(event))
      return all
    }).value
  const ofRun = before.run === run ? past() : []
  if (before.run !== run) state = before
  const doubted = ofRun.filter(({ endedAt }) => endedAt > later(state.at, -doubtMs))
  otlp.spans(doubted)
  let known = ''
  return {
    take(events) {
      const ended = events.map((event) => masked(event, mask)).flatMap(added)
      if (ended.length > 0) otlp.spans(ended)
      const measures: Figure[] = ended.flatMap(measuresOf)
      const now = storyMeasures(state)
      const seen = JSON.stringify(now)
      if (seen !== known) measures.push(...now)
      known = seen
      otlp.measure(measures)
    },
    close: (graceMs = lastMs) => otlp.close(graceMs),
  }
}
