/** A thread that tries the numbers it is given, and says before each look that it is alive: who watches it can end it. */
import { parentPort, workerData } from 'node:worker_threads'
import { corpusOf } from './corpus.ts'
import type { Family } from './family.ts'
import { type Fault, problemWith, tryNumber } from './try.ts'

/** `alive`: how often something was tried, and the number (or the place in the corpus) that is being tried. */
export type WorkerData = { families: string; scratch: string; alive: SharedArrayBuffer }
export type Job = { family: string; from: number; count: number } | { family: string; corpus: true }
export type Done = { tried: number; faults: Fault[]; slowest: { seed: number; ms: number } }

const { families, alive } = workerData as WorkerData
const { families: all } = (await import(families)) as { families: Family[] }
const beat = new Int32Array(alive)
const mostFaults = 3

parentPort!.on('message', async (job: Job) => {
  const family = all.find(({ name }) => name === job.family)!
  parentPort!.postMessage(await ('corpus' in job ? tryCorpus(family) : tryNumbers(family, job.from, job.count)))
})

async function tryNumbers(family: Family, from: number, count: number): Promise<Done> {
  const done: Done = { tried: 0, faults: [], slowest: { seed: from, ms: 0 } }
  for (let seed = from; seed < from + count && done.faults.length < mostFaults; seed++) {
    const startedMs = performance.now()
    Atomics.store(beat, 1, seed)
    const fault = await tryNumber(family, seed, onTry)
    const ms = performance.now() - startedMs
    done.tried += 1
    if (fault !== null) done.faults.push(fault)
    else if (ms > done.slowest.ms) done.slowest = { seed, ms }
  }
  return done
}

async function tryCorpus(family: Family): Promise<Done> {
  const done: Done = { tried: 0, faults: [], slowest: { seed: 0, ms: 0 } }
  for (const [place, { cause, input }] of corpusOf(family.name).entries()) {
    Atomics.store(beat, 1, place)
    onTry()
    const message = await problemWith(family, input)
    done.tried += 1
    if (message !== null)
      done.faults.push({ family: family.name, seed: place, message: `${cause}: ${message}`, input: JSON.stringify(input) })
  }
  return done
}

function onTry(): void {
  Atomics.add(beat, 0, 1)
}
