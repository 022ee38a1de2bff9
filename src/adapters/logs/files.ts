/** Reads the log files of iterations in pieces: complete ones, compressed or not, and growing ones. */
import { closeSync, createReadStream, existsSync, type FSWatcher, fstatSync, readdirSync, readSync, watch } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { createGunzip } from 'node:zlib'
import { EXIT, Failure } from '../../core/failure.ts'
import { openRegular } from '../files/open.ts'
import { type BundledFile, isBundle, membersOf } from './bundle.ts'

/** Where an iteration's log is written. */
export type Sink = { push(bytes: Buffer): void; end(): void }

/** One iteration's log: a file, or a part of one. */
export type LogFile = { path: string; member?: BundledFile }

/** By iteration, in order; 0 has what belongs to no iteration. */
export function logsIn(folder: string): Map<number, LogFile> {
  const bundles = existsSync(folder) ? readdirSync(folder).filter(isBundle) : []
  const bundled = bundles.flatMap((name) => {
    const path = join(folder, name)
    return membersOf(path).flatMap((member): [number, LogFile][] => {
      const iteration = iterationOf(member.name)
      return iteration === null ? [] : [[iteration, { path, member }]]
    })
  })
  // While one is moved into a bundle it exists twice: the separate file is just as good.
  return new Map([...bundled, ...looseLogsIn(folder)].sort(([one], [other]) => one - other))
}

export async function readLogFile({ path, member }: LogFile, sink: Sink): Promise<void> {
  const file = createReadStream(path, {
    fd: openRegular(path),
    ...(member === undefined ? {} : { start: member.at, end: member.at + member.size - 1 }),
  })
  const bytes = path.endsWith('.gz') || member !== undefined ? file.pipe(createGunzip()) : file
  try {
    for await (const chunk of bytes) sink.push(chunk as Buffer)
  } catch (error) {
    const name = member === undefined ? path : `${member.name} in ${path}`
    throw new Failure(EXIT.data, `${name} cannot be read: ${(error as Error).message}. What came before is above.`)
  }
  sink.end()
}

/** Logs outside bundles; the newest still grow. */
function looseLogsIn(folder: string): Map<number, LogFile> {
  if (!existsSync(folder)) return new Map()
  const found = readdirSync(folder).flatMap((name): [number, LogFile][] => {
    const iteration = iterationOf(name)
    return iteration === null ? [] : [[iteration, { path: join(folder, name) }]]
  })
  // While one is compressed it exists twice: the plain one, sorted last, is complete.
  return new Map(found.sort(([one, file], [other, file2]) => one - other || file2.path.length - file.path.length))
}

function iterationOf(name: string): number | null {
  const digits = /^iteration-(\d+)\.log(\.gz)?$/.exec(name)?.[1]
  return digits === undefined ? null : Number(digits)
}

export type Following = {
  /** Where logs appear; asked every time, because the archive may move them. */
  folder(): Promise<string>
  /** The first iteration. */
  from: number
  isOver(): boolean
  stop: AbortSignal
  open(iteration: number): Promise<Sink>
}

/** Passes on what exists and what is added, iteration by iteration, until the run is over or it is told to stop. */
export async function followLogs({ folder, from, isOver, stop, open }: Following): Promise<void> {
  const tails = new Map<number, Tail>()
  let newest = from
  let isFirst = true

  const takeUp = async (): Promise<void> => {
    for (const [iteration, { path }] of looseLogsIn(await folder())) {
      const isPast = iteration !== 0 && iteration < newest
      if (tails.has(iteration) || isPast || path.endsWith('.gz')) continue
      const fd = openRegular(path)
      // From what belongs to no iteration, only new lines are shown, unless it was asked for.
      const at = isFirst && iteration === 0 && from !== 0 ? fstatSync(fd).size : 0
      for (const [past, tail] of tails) if (past !== 0 && past < iteration) await drain(tail, stop)
      tails.set(iteration, { fd, at, sink: await open(iteration) })
      newest = Math.max(newest, iteration)
    }
    isFirst = false
    for (const [past, tail] of tails) {
      if (past === 0 || past > newest - mostOpen) continue
      close(tail)
      tails.delete(past)
    }
  }

  try {
    for (;;) {
      const isLast = isOver() // asked first: everything written before can now be read
      await takeUp()
      for (const tail of tails.values()) await drain(tail, stop)
      if (isLast || stop.aborted) return
      await changed(await folder(), stop)
    }
  } finally {
    for (const tail of tails.values()) close(tail)
  }
}

type Tail = { fd: number; at: number; sink: Sink }

/** Several workers write at once; earlier iterations have ended. */
const mostOpen = 16
const pieceBytes = 256 * 1024
const lookMs = 200

/** By its descriptor, because the archive may have moved the file. */
async function drain(tail: Tail, stop: AbortSignal): Promise<void> {
  const piece = Buffer.allocUnsafe(pieceBytes)
  for (let read = readSync(tail.fd, piece, 0, pieceBytes, tail.at); read > 0 && !stop.aborted; ) {
    tail.at += read
    tail.sink.push(piece.subarray(0, read))
    await setImmediate() // Ctrl+C is heard in between
    read = readSync(tail.fd, piece, 0, pieceBytes, tail.at)
  }
}

function close({ fd, sink }: Tail): void {
  sink.end()
  closeSync(fd)
}

/** Something changed in the folder, or it is time to look: not every file system reports changes. */
function changed(folder: string, stop: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const done = (): void => resolve()
  const timer = setTimeout(done, lookMs)
  stop.addEventListener('abort', done)
  let watcher: FSWatcher | undefined
  try {
    watcher = watch(folder, done).on('error', done)
  } catch {
    // does not exist yet, or not any more
  }
  return promise.finally(() => {
    clearTimeout(timer)
    stop.removeEventListener('abort', done)
    watcher?.close()
  })
}
