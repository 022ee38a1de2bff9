/** Shares inputs over families and threads, watches that each of them comes to an end, and counts. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { corpusOf } from './corpus.ts'
import type { Family } from './family.ts'
import { type Fault, inputOf } from './try.ts'
import type { Done, Job, WorkerData } from './worker.ts'

export type Options = {
  /** The module that has them, and what it has. */
  module: string
  families: Family[]
  /** Over all families; their corpora come on top. */
  inputs: number
  seed: number
  workers: number
  /** An input that takes longer hangs. */
  limitMs: number
  memoryMb: number
  onProgress?(tried: number): void
}
export type Tally = { tried: number; failures: number; slowestMs: number; slowestSeed: number }
export type Figures = { tried: number; seconds: number; byFamily: Record<string, Tally>; faults: Fault[] }

export async function runFuzz(options: Options): Promise<Figures> {
  const startedMs = performance.now()
  const figures: Figures = { tried: 0, seconds: 0, byFamily: {}, faults: [] }
  for (const { name } of options.families) figures.byFamily[name] = { tried: 0, failures: 0, slowestMs: 0, slowestSeed: 0 }
  const jobs = jobsOf(options)
  const take = (job: Job, { tried, faults, slowest }: Done): void => {
    const tally = figures.byFamily[job.family]!
    tally.tried += tried
    tally.failures += faults.length
    if (slowest.ms > tally.slowestMs) [tally.slowestMs, tally.slowestSeed] = [Math.round(slowest.ms), slowest.seed]
    figures.tried += tried
    figures.faults.push(...faults)
    options.onProgress?.(figures.tried)
  }
  const scratch = mkdtempSync(join(tmpdir(), 'ralph-fuzz-'))
  try {
    await Promise.all(
      Array.from({ length: options.workers }, (_, place) => work(options, join(scratch, String(place)), jobs, take, figures)),
    )
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  figures.seconds = Math.round((performance.now() - startedMs) / 100) / 10
  return figures
}

/** So that a family that fails early is known early, and the others go on. */
const share = 500
const mostFaults = 5
const lookMs = 200
/** To load every parser, on a busy machine. */
const startMs = 120_000

/** Of each family its corpus first, then its share of the numbers, in turn with the others. */
function jobsOf({ families, inputs, seed }: Options): Job[] {
  const whole = families.reduce((sum, { weight }) => sum + weight, 0)
  const corpora = families
    .filter(({ name }) => corpusOf(name).length > 0)
    .map(({ name }): Job => ({ family: name, corpus: true }))
  const numbers = families.flatMap(({ name, weight }) => {
    const count = Math.ceil((inputs * weight) / whole)
    const parts = Math.ceil(count / share)
    return Array.from({ length: parts }, (_, part) => ({
      part,
      job: { family: name, from: seed + part * share, count: Math.min(share, count - part * share) },
    }))
  })
  return [...corpora, ...numbers.sort((a, b) => a.part - b.part).map(({ job }): Job => job)]
}

async function work(
  options: Options,
  scratch: string,
  jobs: Job[],
  take: (job: Job, done: Done) => void,
  figures: Figures,
): Promise<void> {
  let thread: Thread | undefined
  for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
    if (figures.byFamily[job.family]!.failures >= mostFaults) continue
    thread ??= startThread(options, scratch)
    const end = await thread.run(job)
    if ('tried' in end) {
      take(job, end)
      continue
    }
    thread = undefined
    take(job, { tried: end.done, faults: [faultOf(options, job, end)], slowest: { seed: 0, ms: 0 } })
    // What comes after it is still to be tried.
    if (!('corpus' in job)) jobs.push({ ...job, from: end.seed + 1, count: job.from + job.count - end.seed - 1 })
  }
  await thread?.close()
}

type Lost = { seed: number; done: number; message: string }
type Thread = { run(job: Job): Promise<Done | Lost>; close(): Promise<unknown> }

function startThread({ module, limitMs, memoryMb }: Options, scratch: string): Thread {
  const alive = new SharedArrayBuffer(8)
  const beat = new Int32Array(alive)
  const data: WorkerData = { families: module, scratch, alive }
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: data,
    // The stack is the main thread's, where the program runs.
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, stackSizeMb: 1 },
    env: { PATH: process.env['PATH'] ?? '', HOME: scratch, LANG: 'C.UTF-8' },
  })
  return {
    run: (job) =>
      new Promise((resolve) => {
        const first = 'corpus' in job ? 0 : job.from
        let [seen, sinceMs] = [-1, performance.now()]
        const settle = (end: Done | Lost): void => {
          clearInterval(timer)
          worker.off('message', settle).off('error', failed).off('exit', exited)
          resolve(end)
        }
        const lost = (message: string): void => {
          const seed = Atomics.load(beat, 1)
          settle({ seed, done: seed - first + 1, message })
        }
        const failed = (error: Error): void => lost(error.stack ?? error.message)
        const exited = (code: number): void => lost(`ended the thread with ${code}`)
        const timer = setInterval(() => {
          const now = Atomics.load(beat, 0)
          if (now !== seen) [seen, sinceMs] = [now, performance.now()]
          else if (performance.now() - sinceMs > (now === 0 ? startMs : limitMs)) {
            lost(`did not come to an end within ${limitMs / 1000} s`)
            void worker.terminate()
          }
        }, lookMs)
        worker.once('message', settle).once('error', failed).once('exit', exited)
        worker.postMessage(job)
      }),
    close: () => worker.terminate(),
  }
}

/** The thread is gone; its input is made once more, from its number. */
function faultOf({ families }: Options, job: Job, { seed, message }: Lost): Fault {
  const family = families.find(({ name }) => name === job.family)!
  try {
    const input = 'corpus' in job ? corpusOf(job.family)[seed]?.input : inputOf(family, seed)
    return { family: job.family, seed, message, input: JSON.stringify(input) }
  } catch (error) {
    return { family: job.family, seed, message: `the input itself cannot be made: ${(error as Error).stack}`, input: 'null' }
  }
}
