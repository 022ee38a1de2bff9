/** What ran when: a lane per worktree (a worker takes a second one while the work in its first is examined), coloured by verdict, with gates and reviews. */
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { sayDuration } from '../../../core/text/time.ts'
import { verdictMark } from '../../../views/report/shared/marks.ts'
import { legend } from '../../../views/report/shared/parts.ts'
import { plural } from '../../../views/status/status.ts'
import type { HistoryData, LaneBar, LaneCheck, RunData } from '../../data/shapes.ts'
import { type TimeScale, ticksOf, timeScale } from '../../data/time-scale.ts'
import { make } from '../shared/make.ts'
import { type FeatureRoute, runAddress } from '../shared/route.ts'
import { clockTime, useNow } from '../shared/time.tsx'

type Props = { run: RunData; history: HistoryData; route: FeatureRoute }

export function TimelineTab({ run, history, route }: Props) {
  const now = useNow(run.isLive ? 2000 : 60_000)
  const frame = useRef<HTMLElement>(null)
  const [zoom, setZoom] = useState(1)
  const [at, setAt] = useState({ left: 0, width: 800 })
  const [chosen, setChosen] = useState<number | null>(null)
  const { lanes, checks } = history
  const until = run.isLive ? now : lastOf(history)
  const scale = useMemo(() => scaleOf(history, until), [history, until])
  const look = useCallback((): void => {
    const box = frame.current
    if (box !== null) setAt({ left: box.scrollLeft, width: box.clientWidth })
  }, [])
  useLayoutEffect(look, [look])
  useEffect(() => {
    const observer = new ResizeObserver(look)
    if (frame.current !== null) observer.observe(frame.current)
    return () => observer.disconnect()
  }, [look])
  if (lanes.length === 0) return <div class="empty">Nothing has run yet.</div>
  const width = Math.max(at.width, 200) * zoom
  const x = (ms: number): number => (scale.place(ms) / scale.total) * (width - 2 * marginPx) + marginPx
  const numbers = [...new Set(lanes.map(({ lane }) => lane))].sort((one, other) => one - other)
  const names = [
    ...numbers.map((lane) => (lane === 0 ? 'Agent' : `Worktree ${lane}`)),
    ...(checks.length === 0 ? [] : ['Whole project']),
  ]
  const picked = lanes.find(({ iteration }) => iteration === chosen)
  const step = (by: number): void => {
    const next = lanes[Math.min(lanes.length - 1, Math.max(0, lanes.findIndex(({ iteration }) => iteration === chosen) + by))]
    if (next === undefined) return
    setChosen(next.iteration)
    const middle = x(Date.parse(next.start))
    if (frame.current !== null && (middle < at.left || middle > at.left + at.width))
      frame.current.scrollLeft = middle - at.width / 2
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') {
      event.preventDefault()
      step(event.key === 'ArrowRight' ? 1 : -1)
    }
    if (event.key === '+' && zoom < mostZoom) zoomTo(zoom * 2)
    if (event.key === '-' && zoom > 1) zoomTo(zoom / 2)
    if (event.key === 'Enter' && picked !== undefined)
      location.hash = runAddress(route.project, route.feature, { story: picked.story, iteration: picked.iteration })
  }
  const zoomTo = (to: number): void => {
    const middle = (at.left + at.width / 2) / width
    setZoom(to)
    requestAnimationFrame(() => {
      if (frame.current !== null) frame.current.scrollLeft = middle * at.width * to - at.width / 2
    })
  }
  return (
    <section aria-labelledby="timeline">
      <div class="part-head">
        <h2 id="timeline">Timeline</h2>
        <span class="buttons">
          <button type="button" disabled={zoom >= mostZoom} onClick={() => zoomTo(zoom * 2)}>
            Zoom in
          </button>
          <button type="button" disabled={zoom <= 1} onClick={() => zoomTo(Math.max(1, zoom / 2))}>
            Zoom out
          </button>
          <button type="button" disabled={zoom === 1} onClick={() => zoomTo(1)}>
            All
          </button>
        </span>
      </div>
      <div class="lanes">
        <div class="lane-names" aria-hidden="true">
          {names.map((name) => (
            <span key={name}>{name}</span>
          ))}
        </div>
        <section
          class="lane-frame"
          ref={frame}
          aria-label="Timeline of iterations; use the arrow keys to go through them, Enter to open one, + and - to zoom"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
          onScroll={look}
          onKeyDown={onKeyDown}
        >
          {/* biome-ignore lint/a11y/useSemanticElements: a drawing has no fieldset */}
          <svg width={width} height={axisPx + names.length * lanePx} role="group" aria-label="Iterations">
            <Axis scale={scale} width={width} at={at} lanes={names.length} />
            {shownBars(lanes, x, at, until).map((bar) => (
              <Bar
                key={bar.iteration}
                bar={bar}
                y={axisPx + numbers.indexOf(bar.lane) * lanePx}
                x={x}
                until={until}
                isChosen={bar.iteration === chosen}
                route={route}
                isLive={run.isLive}
              />
            ))}
            <g transform={`translate(0 ${axisPx + numbers.length * lanePx})`}>
              {checks.map((check) => (
                <CheckBar key={`${check.kind} ${check.start}`} check={check} x={x} until={until} />
              ))}
            </g>
          </svg>
        </section>
      </div>
      <p class="soft" role="status">
        {picked === undefined
          ? `${plural(lanes.length, 'iteration')}. Click one to open it.`
          : barWords(picked, until, run.isLive)}
      </p>
      {legend(make, 'Colours', legendItems)}
    </section>
  )
}

const marginPx = 8
const axisPx = 26
const lanePx = 36
const mostZoom = 256

function scaleOf({ lanes, checks }: HistoryData, until: number): TimeScale {
  const end = (at: string | null): number => (at === null ? until : Date.parse(at))
  return timeScale([
    ...lanes.map(({ start, end: last }) => ({ start: Date.parse(start), end: end(last) })),
    ...checks.map(({ start, end: last }) => ({ start: Date.parse(start), end: end(last) })),
  ])
}

const lastOf = ({ lanes, runs }: HistoryData): number =>
  lanes.reduce(
    (last, { start, agentEnd, end }) => Math.max(last, Date.parse(end ?? agentEnd ?? start)),
    Date.parse(runs.at(-1)?.endedAt ?? '') || 0,
  )

/** Those in sight, and of many on the same pixel the one that says most. */
function shownBars(lanes: LaneBar[], x: (ms: number) => number, at: { left: number; width: number }, until: number): LaneBar[] {
  const seen = new Map<string, LaneBar>()
  for (const bar of lanes) {
    const [from, to] = [x(Date.parse(bar.start)), x(bar.end === null ? until : Date.parse(bar.end))]
    if (to < at.left - 50 || from > at.left + at.width + 50) continue
    const key = to - from >= 2 ? `${bar.iteration}` : `${bar.lane} ${Math.round(from)}`
    const before = seen.get(key)
    if (before === undefined || (bar.verdict === 'failed' && before.verdict !== 'failed')) seen.set(key, bar)
  }
  return [...seen.values()]
}

type BarProps = {
  bar: LaneBar
  y: number
  x(ms: number): number
  until: number
  isChosen: boolean
  route: FeatureRoute
  isLive: boolean
}

function Bar({ bar, y, x, until, isChosen, route, isLive }: BarProps) {
  const { tone } = verdictMark({ verdict: bar.verdict, endedAt: bar.agentEnd }, isLive)
  const from = x(Date.parse(bar.start))
  const agentTo = x(bar.agentEnd === null ? until : Date.parse(bar.agentEnd))
  const to = x(bar.end === null ? until : Date.parse(bar.end))
  const name = `${bar.iteration}${bar.story === null ? '' : ` ${bar.story}`}`
  return (
    <a
      class={`bar-link t-${tone} ${isChosen ? 'is-chosen' : ''}`}
      tabIndex={-1}
      aria-label={barWords(bar, until, isLive)}
      href={runAddress(route.project, route.feature, { story: bar.story, iteration: bar.iteration })}
    >
      <title>{barWords(bar, until, isLive)}</title>
      <rect class="whole" x={from} y={y + 5} width={Math.max(2, to - from)} height={lanePx - 10} rx={3} />
      <rect class="agent" x={from} y={y + 5} width={Math.max(2, agentTo - from)} height={lanePx - 10} rx={3} />
      <g transform={`translate(0 ${y})`}>
        {bar.checks.map((check) => (
          <CheckBar key={`${check.kind} ${check.start}`} check={check} x={x} until={until} />
        ))}
      </g>
      {agentTo - from > name.length * 7 + 8 && (
        <text x={from + 6} y={y + lanePx / 2 + 4}>
          {name}
        </text>
      )}
    </a>
  )
}

function CheckBar({ check: { kind, start, end, passed }, x, until }: { check: LaneCheck; x(ms: number): number; until: number }) {
  const from = x(Date.parse(start))
  const to = x(end === null ? until : Date.parse(end))
  const tone = passed === null ? 'live' : passed ? 'good' : 'bad'
  const words = `${kind === 'gates' ? 'Gates' : 'Review'}: ${passed === null ? 'no result' : passed ? 'passed' : 'failed'}`
  return (
    <g class={`check-bar t-${tone} k-${kind}`}>
      <title>{words}</title>
      <rect
        x={from}
        y={kind === 'gates' ? 9 : 13}
        width={Math.max(2, to - from)}
        height={kind === 'gates' ? lanePx - 18 : lanePx - 26}
        rx={2}
      />
    </g>
  )
}

type AxisProps = { scale: TimeScale; width: number; at: { left: number; width: number }; lanes: number }

function Axis({ scale, width, at, lanes }: AxisProps) {
  const zoneMs = -new Date().getTimezoneOffset() * 60_000
  const height = axisPx + lanes * lanePx
  const ticks = ticksOf(scale, width / tickPx, zoneMs)
    .map(({ ms, at: place }) => ({ ms, left: (place / scale.total) * (width - 2 * marginPx) + marginPx }))
    .filter(({ left }) => left > at.left - tickPx && left < at.left + at.width + tickPx && left < width - labelPx)
  return (
    <g class="axis">
      {ticks.map(({ ms, left }) => (
        <g key={ms}>
          <line x1={left} x2={left} y1={axisPx - 6} y2={height} />
          <text x={left + 4} y={14}>
            {clockTime(new Date(ms).toISOString(), scale.total / (width / tickPx) < shortMs)}
          </text>
        </g>
      ))}
      {scale.pauses.map(({ at, size, ms }) => {
        const from = (at / scale.total) * (width - 2 * marginPx) + marginPx
        return (
          <g key={at} class="pause">
            <rect x={from} y={axisPx} width={(size / scale.total) * (width - 2 * marginPx)} height={height} />
            <title>{`Nothing ran for ${sayDuration(ms)}`}</title>
          </g>
        )
      })}
    </g>
  )
}

const tickPx = 130
/** A label at the right edge would be cut off. */
const labelPx = 70
/** Between two ticks: below this, they need their seconds. */
const shortMs = 60_000

function barWords({ iteration, story, verdict, start, agentEnd, end, checks }: LaneBar, until: number, isLive: boolean): string {
  const took = (end === null ? until : Date.parse(end)) - Date.parse(start)
  const red = checks
    .filter(({ passed }) => passed === false)
    .map(({ kind }) => (kind === 'gates' ? 'gates failed' : 'review failed'))
  const words = [verdictMark({ verdict, endedAt: agentEnd }, isLive).word, sayDuration(took), ...new Set(red)]
  return `Iteration ${iteration}${story === null ? '' : `, ${story}`}: ${words.join(', ')}`
}

const legendItems = [
  { className: 't-good', words: 'Done' },
  { className: 't-work', words: 'Worked' },
  { className: 't-bad', words: 'Failed' },
  { className: 't-warn', words: 'Question or blocked' },
  { className: 't-live', words: 'Running' },
  { className: 't-quiet', words: 'Stopped or lost' },
  { className: 't-good k-gates', words: 'Gates' },
  { className: 't-good k-review', words: 'Review' },
]
