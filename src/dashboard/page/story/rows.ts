/** The rows of visible iterations, fetched page by page. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { rowsInPage, type TimelineRow } from '../../data/shapes.ts'
import { fetchJson } from '../shared/fetching.ts'

/** The row at a position, counted from the oldest; undefined: not loaded yet. `from`, `to`: what is visible. */
export function useRows(path: string, version: number, from: number, to: number): (position: number) => TimelineRow | undefined {
  const [pages, setPages] = useState<ReadonlyMap<number, TimelineRow[]>>(new Map())
  const latest = useRef(pages)
  latest.current = pages
  const wanted = to < 0 ? '' : range(Math.floor(Math.max(0, from) / rowsInPage), Math.floor(to / rowsInPage)).join(' ')
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version is a reason to fetch again
  useEffect(() => {
    const missing = wanted.split(' ').filter((page) => page !== '' && !isSettled(latest.current.get(Number(page))))
    for (const page of missing) {
      fetchJson<TimelineRow[]>(`${path}/${page}`).then(
        (rows) => setPages((before) => new Map(before).set(Number(page), rows)),
        () => {}, // the page already shows that the server is gone, and will ask again
      )
    }
  }, [path, version, wanted])
  return (position) => pages.get(Math.floor(position / rowsInPage))?.[position % rowsInPage]
}

/** It will not change any more. */
const isSettled = (rows: TimelineRow[] | undefined): boolean =>
  rows !== undefined && rows.length === rowsInPage && rows.every(({ verdict }) => verdict !== null)

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index)
