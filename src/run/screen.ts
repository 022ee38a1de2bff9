/** What a person sees while a run works: lines that stay, and on a terminal one live line below them. */
import type { State } from '../core/state.ts'
import { msBetween, sayDuration } from '../core/time.ts'
import type { Entry, Transcript } from '../core/transcript.ts'
import type { Event, Gate, Instant } from '../core/types.ts'
import { cut, entryLines, flat } from '../views/log-lines.ts'
import { type Line, linesFor, type Tone } from '../views/screen.ts'
import { costWords, knownCost } from '../views/status.ts'

export type Screen = {
  events(events: Event[], state: State): void
  entry(entry: Entry, transcript: Transcript): void
  gate(gate: Gate): void
  waiting(until: Instant | null, because: string): void
  say(tone: Tone, text: string): void
  /** Another one has the terminal: lines are held back until `show`, the last thousand of them. */
  hide(): void
  show(): void
  isHidden(): boolean
  close(): void
}

export type ScreenOptions = {
  mode: 'normal' | 'verbose' | 'quiet'
  isTerminal: boolean
  hasColour: boolean
  columns(): number
  write(text: string): void
  now(): Instant
}

const colours: Record<Tone, string> = { plain: '', good: '32', bad: '31', warn: '33', dim: '2', strong: '1' }
const tickMs = 250
const mostHeld = 1000

export function openScreen(options: ScreenOptions): Screen {
  const { mode, isTerminal, hasColour, write } = options
  const isLive = isTerminal && mode === 'normal'
  let live: { what: string; since: Instant; tool: string } | null = null
  /** What the run has cost before this iteration, and this iteration so far; null: an agent did not say. */
  let spent: { before: number | null; now: number | null } = { before: 0, now: 0 }
  let waitUntil: { until: Instant; because: string } | null = null
  let isLineOut = false
  let timer: NodeJS.Timeout | null = null
  let held: string[] | null = null

  const painted = ({ tone, text }: Line): string =>
    hasColour && colours[tone] !== '' ? `\u001b[${colours[tone]}m${text}\u001b[0m` : text
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
    if (live === null) return ''
    const cost = costWords(spent.before === null || spent.now === null ? null : spent.before + spent.now)
    return fitted(`  ▸ ${live.what}`, flat(live.tool), `${sayDuration(msBetween(live.since, now))} · ${cost}`, width)
  }
  const tick = (): void => {
    if (isLive && timer === null) timer = setInterval(draw, tickMs).unref()
  }
  const rest = (): void => {
    if (timer !== null) clearInterval(timer)
    timer = null
    wipe()
  }
  const put = (line: Line): void => {
    if (mode === 'quiet') return
    if (held !== null) {
      held.push(`${painted(line)}\n`)
      if (held.length > 2 * mostHeld) held.splice(0, mostHeld)
      return
    }
    wipe()
    write(`${painted(line)}\n`)
  }

  return {
    events(events, state) {
      for (const event of events) {
        for (const line of linesFor(event, state)) put(line)
        if (event.kind === 'iteration.started') {
          live = { what: `${event.story ?? 'agent'}, attempt ${event.attempt}`, since: event.at, tool: '' }
          spent = { before: knownCost(state.totals), now: 0 }
          tick()
        }
        if (event.kind === 'iteration.judged' || event.kind === 'run.ended') {
          live = null
          rest()
        }
      }
      draw()
    },
    entry(entry, transcript) {
      if (live !== null) {
        live.tool = transcript.tool
        if (entry.kind === 'usage' && transcript.usage.costUsd !== null) spent.now = transcript.usage.costUsd
      }
      if (mode === 'verbose') for (const line of entryLines(entry, margins)) put(line)
    },
    gate(gate) {
      live = { what: `gate ${gate.name}`, since: options.now(), tool: gate.command }
      tick()
    },
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
  }
}

/** Verbose: each entry as it comes, set off from what Ralph itself says. */
const margins = { words: '  │ ', rest: '  │ ', noise: 'dim' } as const

/** The middle gives way: what is worked on, how long and for how much are there on the narrowest terminal too. */
function fitted(start: string, middle: string, end: string, width: number): string {
  const room = width - start.length - end.length - 2 * ' · '.length
  const parts = middle === '' || room < 4 ? [start, end] : [start, cut(middle, room), end]
  return cut(parts.join(' · '), width)
}
