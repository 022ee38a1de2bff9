/** What a person sees during a run: lines that stay, and on a terminal one live line below them. */
import { findRoot, ralphHome } from '../../adapters/project/find.ts'
import { fromProject } from '../../adapters/project/layout.ts'
import { endedFlight } from '../../core/evolve/flights.ts'
import { knownCost } from '../../core/figures/totals.ts'
import type { Entry, Transcript } from '../../core/reading/transcript.ts'
import type { State } from '../../core/state.ts'
import { instantOf } from '../../core/text/time.ts'
import type { Event, Gate, Instant, StoryId, Usage } from '../../core/types.ts'
import type { Io } from '../../io.ts'
import { entryLines, flat } from '../../views/log-lines.ts'
import { readingWords } from '../../views/reading.ts'
import type { ScreenLine, Tone } from '../../views/screen/line.ts'
import { type AtWork, liveText } from '../../views/screen/live-text.ts'
import { linesFor } from '../../views/screen/screen.ts'
import { storyCounts } from '../../views/status/status.ts'
import { dressed } from '../../views/terminal/dress.ts'
import { lookOf, plainLook, type TerminalLook } from '../../views/terminal/look.ts'
import { openLiveLine } from './live-line.ts'

export type Screen = {
  events(events: Event[], state: State): void
  entry(entry: Entry, transcript: Transcript): void
  gate(gate: Gate): void
  waiting(until: Instant | null, because: string): void
  /** A question on this terminal waits, until then; null: no more. */
  asking(until: Instant | null): void
  /** The time limit of the work that is going on. */
  limited(limitMs: number): void
  say(tone: Tone, text: string): void
  /** Something else uses the terminal: the last thousand lines are held back until `show`. */
  hide(): void
  show(): void
  isHidden(): boolean
  close(): void
  /** For one of several parallel stories. */
  beside(story: StoryId): Screen
}

export type ScreenOptions = {
  mode: 'normal' | 'verbose' | 'quiet'
  look(): TerminalLook
  write(text: string): void
  now(): Instant
  /** Agents name whole paths; people know where they are. */
  shortened(text: string): string
}

/** As requested on the command line and possible on the terminal. */
export function screenOptions(args: { json?: boolean; quiet?: boolean; verbose?: boolean }, io: Io): ScreenOptions {
  return {
    mode: args.quiet ? 'quiet' : args.verbose ? 'verbose' : 'normal',
    look: args.json ? () => plainLook : () => lookOf({ ...io, columns: process.stdout.columns }),
    write: args.json ? io.err : io.raw,
    now: () => instantOf(Date.now()),
    shortened: fromProject({ root: findRoot(io.cwd, ralphHome(io.env)), home: ralphHome(io.env) }),
  }
}

const mostHeld = 1000

export function openScreen(options: ScreenOptions): Screen {
  const { mode, look, write } = options
  const isLive = look().hasCursor && mode === 'normal'
  /** Running work, by story, and its cost so far. */
  const live = new Map<StoryId | null, AtWork>()
  let [spentUsd, stories, turn] = [0 as number | null, { complete: 0, total: 0 }, 0]
  let waiting: { until: Instant; because: string } | null = null
  let askingUntil: Instant | null = null
  let held: string[] | null = null
  const line = openLiveLine(look, write, (width) =>
    liveText({ stories, atWork: [...live.values()], spentUsd, waiting, askingUntil, turn: turn++ }, options.now(), width),
  )
  const draw = (): void => {
    if (isLive && held === null) line.draw()
  }
  const tick = (): void => {
    if (isLive && held === null) line.tick()
  }
  const rest = (): void => {
    if (live.size === 0 && waiting === null && askingUntil === null) line.rest()
  }
  /** Waiting is shown in every mode: silence would look like a hang. */
  const put = (shown: ScreenLine, isAlways = false): void => {
    if (mode === 'quiet' && !isAlways) return
    const text = `${dressed(shown, look())}\n`
    if (held !== null) {
      held.push(text)
      if (held.length > 2 * mostHeld) held.splice(0, mostHeld)
      return
    }
    line.wipe()
    write(text)
  }

  const heard = (key: StoryId | null, entry: Entry, { tool, usage }: { tool: string; usage: Usage }, name: string): void => {
    const one = live.get(key)
    if (one !== undefined) {
      one.doing = options.shortened(tool)
      if (entry.kind === 'usage' && usage.costUsd !== null) one.costUsd = usage.costUsd
    }
    if (mode === 'verbose')
      for (const each of entryLines(entry, margins)) put({ ...each, text: each.text.replace('  │ ', `  ${name}│ `) })
  }
  const gated = (key: StoryId | null, { name, command }: Gate): void => {
    const costUsd = live.get(key)?.costUsd ?? 0
    live.set(key, {
      story: key,
      since: options.now(),
      limitMs: null,
      doing: command === '' ? name : `${name}: ${command}`,
      costUsd,
    })
    tick()
  }
  const limited = (key: StoryId | null, limitMs: number): void => {
    const one = live.get(key)
    if (one !== undefined) one.limitMs = limitMs
  }
  const only = (): StoryId | null => [...live.keys()][0] ?? null

  const screen: Screen = {
    events(events, state) {
      for (const event of events) {
        for (const each of linesFor(event, state)) put(each, event.kind === 'wait.started')
        if (state.plan !== null) stories = storyCounts(state)
        if (event.kind === 'iteration.started') {
          live.set(event.story, { story: event.story, since: event.at, limitMs: null, doing: '', costUsd: 0 })
          spentUsd = knownCost(state.totals)
          tick()
        }
        if (event.kind === 'iteration.judged') {
          const flight = endedFlight(state, event.iteration)
          if (mode === 'verbose' && flight !== undefined)
            put({ tone: 'dim', text: `    read as: ${readingWords(flight.ended.reading)}` })
          live.delete(flight?.story ?? null)
          spentUsd = knownCost(state.totals)
        }
        // What looked at the whole has done so.
        if ('iteration' in event && event.iteration === 'whole' && event.kind.endsWith('.ended')) live.delete(null)
        if (event.kind === 'run.ended') live.clear()
        rest()
      }
      draw()
    },
    entry: (entry, transcript) => heard(only(), entry, transcript, ''),
    gate: (gate) => gated(only(), gate),
    limited: (limitMs) => limited(only(), limitMs),
    waiting(until, because) {
      waiting = until === null ? null : { until, because }
      if (until !== null || live.size > 0) tick()
      rest()
    },
    asking(until) {
      askingUntil = until
      if (until !== null) tick()
      rest()
      draw()
    },
    say: (tone, text) => put({ tone, text }),
    hide() {
      line.rest()
      held ??= []
    },
    show() {
      const lines = held?.slice(-mostHeld) ?? []
      held = null
      if (lines.length > 0) write(lines.join(''))
      if (live.size > 0 || waiting !== null) tick()
      draw()
    },
    isHidden: () => held !== null,
    close: line.rest,
    beside: (story) => ({
      ...screen,
      entry: (entry, transcript) => heard(story, entry, transcript, `${flat(story)} `),
      gate: (gate) => gated(story, gate),
      limited: (limitMs) => limited(story, limitMs),
    }),
  }
  return screen
}

/** Verbose: each entry as it arrives, distinct from Ralph's own lines. */
const margins = { words: '  │ ', rest: '  │ ', noise: 'dim' } as const
