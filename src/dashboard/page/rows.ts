/** The rows of the iterations that are in sight, fetched by page. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { rowsInPage, type TimelineRow } from '../server/data.ts'
import { fetchJson } from './fetching.ts'

/** Gives the row at a position from the oldest on; undefined: not here yet. `from`, `to`: what is in sight. */
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
        () => {}, // the page says already that the server is gone, and asks again when it is there
      )
    }
  }, [path, version, wanted])
  return (position) => pages.get(Math.floor(position / rowsInPage))?.[position % rowsInPage]
}

/** Nothing will change in it any more. */
const isSettled = (rows: TimelineRow[] | undefined): boolean =>
  rows !== undefined && rows.length === rowsInPage && rows.every(({ verdict }) => verdict !== null)

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index)
