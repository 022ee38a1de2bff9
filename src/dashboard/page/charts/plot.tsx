/** A chart with a summary in words, drawn again when the colours of the system change. */
import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { legend } from '../../../views/report/shared/parts.ts'
import { make } from '../shared/make.ts'

export type Series = { label: string; colour: string; values: number[]; kind: 'area' | 'steps' | 'limit' }
/** `xWords`: what is counted from left to right. */
export type PlotData = {
  title: string
  summary: string
  x: number[]
  xWords: string
  series: Series[]
  words(value: number): string
}

export function Plot({ title, summary, x, xWords, series, words }: PlotData) {
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | null>(null)
  const data: uPlot.AlignedData = [x, ...series.map(({ values }) => values)]
  const latest = useRef({ data, series, words, xWords })
  latest.current = { data, series, words, xWords }
  const kinds = series.map(({ label, kind }) => `${label} ${kind}`).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: other series are another chart
  useEffect(() => {
    const box = place.current
    if (box === null) return undefined
    const draw = (): void => {
      plot.current?.destroy()
      plot.current = new uPlot(optionsFor(latest.current, box), latest.current.data, box)
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
  }, [kinds])
  useEffect(() => plot.current?.setData(data))
  return (
    <figure>
      <figcaption>
        <strong>{title}</strong> <span class="soft">{summary}</span>
      </figcaption>
      <div ref={place} aria-hidden="true" />
      {series.length > 1 &&
        legend(
          make,
          `Colours of ${title}`,
          legendOrder(series).map(({ label, colour, kind }) => ({ className: `c-${colour} l-${kind}`, words: label })),
        )}
    </figure>
  )
}

/** From the bottom up, as they lie on each other. */
const legendOrder = (series: Series[]): Series[] => [
  ...series.filter(({ kind }) => kind !== 'limit').toReversed(),
  ...series.filter(({ kind }) => kind === 'limit'),
]

const heightPx = 200

function optionsFor({ series, words, xWords }: Pick<PlotData, 'series' | 'words' | 'xWords'>, box: HTMLElement): uPlot.Options {
  const style = getComputedStyle(box)
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim()
  const axis = {
    stroke: colour('soft'),
    grid: { stroke: colour('line'), width: 1 },
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
      {
        ...axis,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000],
        size: 26,
        label: xWords,
        labelSize: 18,
        labelFont: axis.font,
      },
      { ...axis, size: 64, values: (_, splits) => splits.map((value) => words(value)) },
    ],
    series: [{}, ...series.map((one) => seriesOf(one, colour))],
  }
}

function seriesOf({ kind, colour: name }: Series, colour: (name: string) => string): uPlot.Series {
  const stroke = colour(name)
  const points = { show: false }
  switch (kind) {
    case 'area':
      return { stroke, fill: `${stroke}33`, width: 2, points, spanGaps: false }
    case 'steps':
      return { stroke, fill: `${stroke}22`, width: 2, points, paths: uPlot.paths.stepped?.({ align: 1 }) }
    case 'limit':
      return { stroke, width: 1.5, dash: [6, 4], points }
  }
}
