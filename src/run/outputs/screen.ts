/** What a person sees during a run: lines that stay, and on a terminal one live line below them. */
import { endedFlight } from '../../core/evolve/flights.ts'
import { knownCost } from '../../core/figures/totals.ts'
import type { Entry, Transcript } from '../../core/reading/transcript.ts'
import type { State } from '../../core/state.ts'
import { instantOf, msBetween, sayDuration } from '../../core/text/time.ts'
import type { Event, Gate, Instant, StoryId, Usage } from '../../core/types.ts'
import type { Io } from '../../io.ts'
import { cut, entryLines, flat } from '../../views/log-lines.ts'
import { readingWords } from '../../views/reading.ts'
import type { ScreenLine, Tone } from '../../views/screen/line.ts'
import { linesFor } from '../../views/screen/screen.ts'
import { costWords } from '../../views/status/status.ts'

export type Screen = {
  events(events: Event[], state: State): void
  entry(entry: Entry, transcript: Transcript): void
  gate(gate: Gate): void
  waiting(until: Instant | null, because: string): void
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
  isTerminal: boolean
  hasColour: boolean
  columns(): number
  write(text: string): void
  now(): Instant
}

/** As requested on the command line and possible on the terminal. */
export function screenOptions(args: { json?: boolean; quiet?: boolean; verbose?: boolean }, io: Io): ScreenOptions {
  const isTerminal = io.isTerminal && !args.json
  return {
    mode: args.quiet ? 'quiet' : args.verbose ? 'verbose' : 'normal',
    isTerminal,
    hasColour: isTerminal && !io.env['NO_COLOR'] && io.env['TERM'] !== 'dumb',
    columns: () => process.stdout.columns ?? 80,
    write: args.json ? io.err : io.out,
    now: () => instantOf(Date.now()),
  }
}

const colours: Record<Tone, string> = { plain: '', good: '32', bad: '31', warn: '33', dim: '2', strong: '1' }

/** Text in its colour, if there are any. */
export const painter =
  (hasColour: boolean) =>
  ({ tone, text }: ScreenLine): string =>
    hasColour && colours[tone] !== '' ? `\u001b[${colours[tone]}m${text}\u001b[0m` : text

const tickMs = 250
const mostHeld = 1000

export function openScreen(options: ScreenOptions): Screen {
  const { mode, isTerminal, hasColour, write } = options
  const isLive = isTerminal && mode === 'normal'
  /** Running work, by story, and its cost so far. */
  const live = new Map<StoryId | null, { what: string; since: Instant; tool: string; costUsd: number }>()
  /** The cost of the run without running work; null: an agent did not report it. */
  let spent: number | null = 0
  let waitUntil: { until: Instant; because: string } | null = null
  let isLineOut = false
  let timer: NodeJS.Timeout | null = null
  let held: string[] | null = null

  const painted = painter(hasColour)
  const wipe = (): void => {
    if (isLineOut) write('\r\u001b[2K')
    isLineOut = false
  }
  const draw = (): void => {
    if (!isLive || held !== null) return
    const text = liveText()
    if (text === '') return wipe()
    wipe()
    write(painted({ tone: 'dim', text }))
    isLineOut = true
  }
  const liveText = (): string => {
    const now = options.now()
    const width = options.columns() - 1
    if (waitUntil !== null)
      return cut(`  … ${sayDuration(Math.max(0, msBetween(now, waitUntil.until)))} left: ${flat(waitUntil.because)}`, width)
    const [first, ...others] = [...live.values()]
    if (first === undefined) return ''
    const cost = costWords(spent === null ? null : [first, ...others].reduce((sum, { costUsd }) => sum + costUsd, spent))
    const time = ({ since }: { since: Instant }): string => sayDuration(msBetween(since, now))
    if (others.length === 0) return fitted(`  ▸ ${first.what}`, flat(first.tool), `${time(first)} · ${cost}`, width)
    return fitted(
      `  ▸ ${live.size} at work`,
      [...live.values()].map((one) => `${one.what} ${time(one)}`).join(' · '),
      cost,
      width,
    )
  }
  const tick = (): void => {
    if (isLive && timer === null) timer = setInterval(draw, tickMs).unref()
  }
  const rest = (): void => {
    if (timer !== null) clearInterval(timer)
    timer = null
    wipe()
  }
  const put = (line: ScreenLine): void => {
    if (mode === 'quiet') return
    if (held !== null) {
      held.push(`${painted(line)}\n`)
      if (held.length > 2 * mostHeld) held.splice(0, mostHeld)
      return
    }
    wipe()
    write(`${painted(line)}\n`)
  }

  const heard = (key: StoryId | null, entry: Entry, { tool, usage }: { tool: string; usage: Usage }, name: string): void => {
    const one = live.get(key)
    if (one !== undefined) {
      one.tool = tool
      if (entry.kind === 'usage' && usage.costUsd !== null) one.costUsd = usage.costUsd
    }
    if (mode === 'verbose')
      for (const line of entryLines(entry, margins)) put({ ...line, text: line.text.replace('  │ ', `  ${name}│ `) })
  }
  const gated = (key: StoryId | null, gate: Gate, name: string): void => {
    const costUsd = live.get(key)?.costUsd ?? 0
    live.set(key, { what: `${name}gate ${gate.name}`, since: options.now(), tool: gate.command, costUsd })
    tick()
  }

  const screen: Screen = {
    events(events, state) {
      for (const event of events) {
        for (const line of linesFor(event, state)) put(line)
        if (event.kind === 'iteration.started') {
          const what = event.worker === undefined ? `${event.story ?? 'agent'}, attempt ${event.attempt}` : (event.story ?? '')
          live.set(event.story, { what, since: event.at, tool: '', costUsd: 0 })
          spent = knownCost(state.totals)
          tick()
        }
        if (event.kind === 'iteration.judged') {
          const flight = endedFlight(state, event.iteration)
          if (mode === 'verbose' && flight !== undefined)
            put({ tone: 'dim', text: `    read as: ${readingWords(flight.ended.reading)}` })
          live.delete(flight?.story ?? null)
          spent = knownCost(state.totals)
        }
        // What looked at the whole has done so.
        if ('iteration' in event && event.iteration === 'whole' && event.kind.endsWith('.ended')) live.delete(null)
        if (event.kind === 'run.ended') live.clear()
        if (live.size === 0) rest()
      }
      draw()
    },
    entry: (entry, transcript) => heard([...live.keys()][0] ?? null, entry, transcript, ''),
    gate: (gate) => gated([...live.keys()][0] ?? null, gate, ''),
    waiting(until, because) {
      waitUntil = until === null ? null : { until, because }
      if (until === null) rest()
      else tick()
    },
    say: (tone, text) => put({ tone, text }),
    hide() {
      wipe()
      held ??= []
    },
    show() {
      const lines = held?.slice(-mostHeld) ?? []
      held = null
      if (lines.length > 0) write(lines.join(''))
      draw()
    },
    isHidden: () => held !== null,
    close: rest,
    beside: (story) => ({
      ...screen,
      entry: (entry, transcript) => heard(story, entry, transcript, `${flat(story)} `),
      gate: (gate) => gated(story, gate, `${flat(story)} `),
    }),
  }
  return screen
}

/** Verbose: each entry as it arrives, distinct from Ralph's own lines. */
const margins = { words: '  │ ', rest: '  │ ', noise: 'dim' } as const

/** The middle is cut: story, duration and cost are visible on the narrowest terminal too. */
function fitted(start: string, middle: string, end: string, width: number): string {
  const room = width - start.length - end.length - 2 * ' · '.length
  const parts = middle === '' || room < 4 ? [start, end] : [start, cut(middle, room), end]
  return cut(parts.join(' · '), width)
}
