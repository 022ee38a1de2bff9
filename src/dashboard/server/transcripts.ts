/** Transcripts of iterations, each read once: of a growing log only the new part. */
import { createReadStream, statSync } from 'node:fs'
import { type LineSplitter, lineSplitter } from '../../adapters/files/lines.ts'
import { openRegular } from '../../adapters/files/open.ts'
import { logsIn, readLogFile } from '../../adapters/logs/files.ts'
import type { Entry } from '../../core/reading/transcript.ts'
import { instantOf } from '../../core/text/time.ts'
import type { Instant } from '../../core/types.ts'
import { logsFolderOf } from '../../run/history/archived.ts'
import type { ShownStep, TranscriptData } from '../data/shapes.ts'
import { tookMs } from '../data/step-times.ts'
import { type StepReader, stepReader } from '../data/transcript-steps.ts'

export type ReadLine = (line: string) => Entry[]
type Located = { root: string; dir: string }
type Kept = {
  path: string
  inode: number
  /** Bytes that were read. */
  to: number
  lines: LineSplitter
  reader: StepReader
  /** Somebody has looked before: what comes now is new. */
  isWatched: boolean
}

/** null: no such log. `read` is asked for when a log is opened. */
export type Transcripts = (place: Located, iteration: number, read: () => Promise<ReadLine>) => Promise<Kept | null>

export function transcripts(): Transcripts {
  const kept = new Map<string, Kept>()
  const busy = new Map<string, Promise<Kept | null>>()

  async function look(key: string, place: Located, iteration: number, read: () => Promise<ReadLine>): Promise<Kept | null> {
    const log = logsIn(logsFolderOf(place)).get(iteration)
    const stat = log && statSync(log.path, { throwIfNoEntry: false })
    if (log === undefined || stat === undefined) return null
    const isPlain = log.member === undefined && !log.path.endsWith('.gz')
    const known = kept.get(key)
    const isSame =
      known !== undefined && (!isPlain || (known.path === log.path && known.inode === stat.ino && known.to <= stat.size))
    const own = isSame ? known : opened(log.path, stat.ino, await read())
    kept.delete(key)
    kept.set(key, own)
    if (!isPlain && !isSame) await readLogFile(log, own.lines)
    if (isPlain && own.to < stat.size) await readOn(own, stat.size)
    own.isWatched = true
    forgetOldest(kept)
    return own
  }

  return (place, iteration, read) => {
    const key = `${place.dir} ${iteration}`
    const looked = (busy.get(key) ?? Promise.resolve(null)).then(
      () => look(key, place, iteration, read),
      () => look(key, place, iteration, read),
    )
    busy.set(key, looked)
    const done = (): void => void (busy.get(key) === looked && busy.delete(key))
    looked.then(done, done)
    return looked
  }
}

/** Somebody compares a few; more would only fill the memory. */
const mostKept = 12
const mostBytes = 64_000_000

function forgetOldest(kept: Map<string, Kept>): void {
  let bytes = [...kept.values()].reduce((sum, { to }) => sum + to, 0)
  for (const [key, { to }] of kept) {
    if (kept.size <= 1 || (kept.size <= mostKept && bytes <= mostBytes)) return
    kept.delete(key)
    bytes -= to
  }
}

function opened(path: string, inode: number, read: ReadLine): Kept {
  const reader = stepReader(read)
  const take = (line: string): void => reader.push(line, own.isWatched ? instantOf(Date.now()) : undefined)
  const own: Kept = { path, inode, to: 0, lines: lineSplitter(take), reader, isWatched: false }
  return own
}

/** Without its last line, if that has no end yet. */
async function readOn(own: Kept, size: number): Promise<void> {
  const stream = createReadStream(own.path, { fd: openRegular(own.path), start: own.to, end: size - 1 })
  for await (const chunk of stream) own.lines.push(chunk as Buffer)
  own.to = size
}

/** The last steps without a search, else the first matches. `startedAt`: of the iteration. */
export function shownSteps({ reader }: Pick<Kept, 'reader'>, search: string, startedAt: Instant | null): TranscriptData {
  const { steps, times } = reader
  const all = steps.map((step, number): ShownStep => {
    const own = times.get(step)
    const last = steps[number - 1]
    const before = last && times.get(last)
    const from = last === undefined ? startedAt : (before?.end ?? before?.start ?? null)
    // Gates say it themselves.
    return { ...step, number, at: own?.start ?? null, tookMs: step.kind === 'gate' ? null : tookMs(step.kind, own, from) }
  })
  const wanted = search.trim().toLowerCase()
  const found = wanted === '' ? all : all.filter((step) => textOf(step).toLowerCase().includes(wanted))
  const shown = wanted === '' ? found.slice(-mostSteps) : found.slice(0, mostSteps)
  return { steps: shown, total: found.length, isCut: found.length > shown.length }
}

const mostSteps = 400

function textOf(step: ShownStep): string {
  switch (step.kind) {
    case 'words':
    case 'note':
      return step.text
    case 'tool':
      return `${step.name} ${step.target} ${step.result?.text ?? ''}`
    case 'gate':
      return `${step.name} ${step.text} ${step.end}`
  }
}
