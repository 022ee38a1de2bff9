/** Charts of what each iteration took, each also in words. */
import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { duration, money, shownNumber } from '../../../views/report/html/words.ts'
import type { IterationColumns } from '../../data/shapes.ts'

type Kind = { title: string; column: Exclude<keyof IterationColumns, 'iteration'>; words(value: number): string }

const kinds: Kind[] = [
  { title: 'Cost per iteration', column: 'costUsd', words: money },
  { title: 'Tokens per iteration', column: 'tokens', words: shownNumber },
  { title: 'Time per iteration', column: 'ms', words: duration },
  { title: 'Output per iteration (characters)', column: 'outputChars', words: shownNumber },
]

export function Charts({ took }: { took: IterationColumns }) {
  if (took.iteration.length === 0) return <p class="soft">Nothing to draw yet: no iteration has come back.</p>
  return (
    <div class="charts">
      {kinds.map((kind) => (
        <Chart key={kind.title} kind={kind} took={took} />
      ))}
    </div>
  )
}

function Chart({ kind, took }: { kind: Kind; took: IterationColumns }) {
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const data: uPlot.AlignedData = [took.iteration, took[kind.column]]
  const latest = useRef(data)
  latest.current = data

  useEffect(() => {
    const box = place.current
    if (box === null) return undefined
    const draw = (): void => {
      plot.current?.destroy()
      plot.current = new uPlot(optionsFor(kind, box), latest.current, box)
    }
    draw()
    const dark = matchMedia('(prefers-color-scheme: dark)')
    dark.addEventListener('change', draw) // a canvas does not use style sheets
    const observer = new ResizeObserver(() => plot.current?.setSize({ width: box.clientWidth, height: heightPx }))
    observer.observe(box)
    return () => {
      dark.removeEventListener('change', draw)
      observer.disconnect()
      plot.current?.destroy()
    }
  }, [kind])
  useEffect(() => plot.current?.setData(data))

  return (
    <figure>
      <figcaption>
        <strong>{kind.title}</strong> <span class="soft">{inWords(kind, took)}</span>
      </figcaption>
      <div ref={place} aria-hidden="true" />
    </figure>
  )
}

const heightPx = 150

function inWords({ column, words }: Kind, took: IterationColumns): string {
  const known = took.iteration.flatMap((iteration, index) => {
    const number = took[column][index] ?? null
    return number === null ? [] : [{ iteration, number }]
  })
  const last = known.at(-1)
  if (last === undefined) return 'unknown: the agent does not report it'
  const most = known.reduce((before, each) => (each.number > before.number ? each : before))
  const sum = known.reduce((total, { number }) => total + number, 0)
  return `total ${words(sum)} · last ${words(last.number)} · max ${words(most.number)} (iteration ${most.iteration})`
}

function optionsFor({ words }: Kind, box: HTMLElement): uPlot.Options {
  const style = getComputedStyle(box)
  const colour = (name: string): string => style.getPropertyValue(name).trim()
  const axis = {
    stroke: colour('--soft'),
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui',
  }
  return {
    width: box.clientWidth,
    height: heightPx,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false, range: (_, from, to) => [from - 0.6, to + 0.6] },
      y: { range: (_, __, to) => [0, to > 0 ? to * 1.1 : 1] },
    },
    axes: [
      { ...axis, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000], size: 26 },
      { ...axis, size: 64, values: (_, splits) => splits.map((value) => words(value)) },
    ],
    series: [
      {},
      {
        fill: colour('--worked'),
        stroke: colour('--worked'),
        width: 0,
        points: { show: false },
        paths: uPlot.paths.bars?.({ size: [0.7, 24] }),
      },
    ],
  }
}
