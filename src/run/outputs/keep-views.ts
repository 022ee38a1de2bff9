/** Keeps the views on disk, summary.csv and status.json, up to date with the log: at once, or after the next agent has started. */
import { existsSync } from 'node:fs'
import { appendLines, replaceFile } from '../../adapters/files/files.ts'
import { readStart } from '../../adapters/files/tail.ts'
import { foldLog } from '../../adapters/project/event-log.ts'
import { csvPath, eventLogPath, logsFolder } from '../../adapters/project/layout.ts'
import type { StoryTook } from '../../core/figures/forecast.ts'
import type { Event } from '../../core/types.ts'
import { csvHeader, csvRows, emptyCsv, withRows } from '../../views/files/csv.ts'
import { type StatusFile, statusFile } from '../../views/status/account.ts'
import { type Book, withEvent } from '../history/folded-log.ts'
import type { Setup } from '../parts.ts'
import { writeStatus } from './write-status.ts'

export type Views = { take(events: Event[]): void; status(): StatusFile; close(): void }

/** How long a view may be outdated; after a kill it is made again from the log. */
const waitMs = 100
/** An agent has started by then. */
const startMs = 15
/** Something follows at once: between two agents every millisecond counts. */
const onTheWay: Event['kind'][] = ['iteration.judged', 'call.requested']

export function keepViews(
  { dir, settings }: Pick<Setup, 'dir' | 'settings'>,
  book: Book,
  others: StoryTook[],
  fault: (error: unknown) => void,
): Views {
  const csvFile = csvPath(logsFolder(dir))
  if (hasOtherColumns(csvFile)) rebuildCsv(dir)
  let rows = ''
  let lastKind: Event['kind'] | undefined
  let timer: NodeJS.Timeout | undefined

  const close = (): void => {
    clearTimeout(timer)
    timer = undefined
  }
  const write = (): void => {
    close()
    if (rows !== '') appendLines(csvFile, (existsSync(csvFile) ? '' : csvHeader) + rows)
    rows = ''
    if (lastKind !== undefined) writeStatus(dir, statusNow(lastKind))
    lastKind = undefined
  }
  const statusNow = (kind: Event['kind']): StatusFile => statusFile(book, kind, others, settings['defaults.rate_limit_per_hour'])
  const tryWrite = (): void => {
    try {
      write()
    } catch (error) {
      fault(error)
    }
  }
  const writeIn = (ms: number): void => {
    close()
    timer = setTimeout(tryWrite, ms)
  }
  return {
    take(events) {
      for (const event of events) {
        rows += csvRows(book.state, event)
        withEvent(book, event)
      }
      const kind = events.at(-1)?.kind
      if (kind === undefined) return
      // The end is shown in status.json once all its files are written: until then a kill must be told apart.
      lastKind = book.state.outcome === undefined ? kind : undefined
      if (onTheWay.includes(kind)) writeIn(waitMs)
      else if (kind === 'iteration.started') writeIn(startMs)
      else write()
    },
    status: () => statusNow('run.ended'),
    close,
  }
}

/** An older version wrote it, with fewer columns: rows of two lengths under one header would mislead every reader. */
function hasOtherColumns(path: string): boolean {
  const start = readStart(path, csvHeader.length)
  return start !== '' && start !== csvHeader
}

/** From the log after a kill, event by event, so that a long history is never completely in memory. */
export function rebuildCsv(dir: string): void {
  const { text } = foldLog(eventLogPath(dir), emptyCsv, withRows).value
  replaceFile(csvPath(logsFolder(dir)), text)
}
