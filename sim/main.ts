/** Runs seeds on every core and reports what they reached: `--seeds N [--from N] [--workers N]`, or `--seed N` to see one, event by event. */
import { fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { isRed } from '../src/core/decide/gates.ts'
import type { Event, EventOf, Outcome } from '../src/core/types.ts'
import { keepProof } from '../tools/proof.ts'
import { describe } from './describe.ts'
import { journeyOf } from './world.ts'

/** Every outcome of a run, with its exit code. */
const outcomes: Outcome[] = [
  'complete',
  'incomplete',
  'stories-failed',
  'blocked',
  'question',
  'stuck',
  'testing-only',
  'gate-missing',
  'limited',
  'budget',
  'login',
  'agent-unusable',
  'interrupted',
]
const exitCodes = [0, 1, 2, 3, 4, 5, 6, 69, 77, 129, 130, 143]
/** Landings that were tried, that did not fit, and that conflicted. */
const landingWords = ['landings', 'bounced', 'conflicts'] as const

/** Fewer seeds need not reach everything. */
const enough = 2000
/** Seeds that one worker runs between two progress messages. */
const share = 100

type Tally = { seeds: number; events: number; iterations: number; kills: number; reached: Record<string, number> }
type Failure = { seed: number; message: string }
type Part = { tally: Tally; failure?: Failure }

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '20000' },
    from: { type: 'string', default: '1' },
    workers: { type: 'string', default: String(availableParallelism()) },
    seed: { type: 'string' },
    part: { type: 'boolean' },
  },
})

if (values.part) await takeParts()
else if (values.seed !== undefined) process.exitCode = await showOne(Number(values.seed))
else process.exitCode = await runMany(Number(values.seeds), Number(values.from), Number(values.workers))

async function showOne(seed: number): Promise<number> {
  try {
    const journey = await journeyOf(seed, (event: Event) => console.log(describe(event)))
    console.log(`seed ${seed}: ${journey.outcomes.join(', ')}; killed ${journey.kills} times`)
    return 0
  } catch (error) {
    console.log(`seed ${seed} FAILED: ${message(error)}`)
    return 1
  }
}

async function runMany(count: number, from: number, workers: number): Promise<number> {
  const startedMs = performance.now()
  const total: Tally = nothing()
  const failures: Failure[] = []
  let next = from
  const nextPart = (): [from: number, count: number] | null => {
    if (failures.length > 0 || next >= from + count) return null
    const part: [number, number] = [next, Math.min(share, from + count - next)]
    next += part[1]
    return part
  }
  const take = ({ tally, failure }: Part): void => {
    add(total, tally)
    if (failure !== undefined) failures.push(failure)
    if (process.stdout.isTTY) process.stdout.write(`\r${total.seeds} of ${count} seeds, ${speed(total.seeds, startedMs)}`)
    else if (Math.floor(total.seeds / 5000) > Math.floor((total.seeds - tally.seeds) / 5000))
      console.log(`${total.seeds} of ${count} seeds, ${speed(total.seeds, startedMs)}`)
  }
  await Promise.all(
    Array.from({ length: workers }, () => (workers === 1 ? workHere(nextPart, take) : workElsewhere(nextPart, take))),
  )
  if (process.stdout.isTTY) process.stdout.write('\r')
  const [first] = failures.toSorted((one, other) => one.seed - other.seed)
  keep(total, from, first, startedMs)
  if (first !== undefined) {
    console.log(`seed ${first.seed} FAILED: ${first.message}\n  node sim/main.ts --seed ${first.seed}`)
    return 1
  }
  return report(total, startedMs)
}

function keep(
  { seeds, events, iterations, kills, reached }: Tally,
  from: number,
  first: Failure | undefined,
  startedMs: number,
): void {
  keepProof(
    {
      name: 'sim',
      what: 'In every world that a seed makes, with its faults and kills, every invariant holds at every event.',
      tried: seeds,
      failures: first === undefined ? 0 : 1,
      details: {
        'first seed': from,
        events,
        iterations,
        'kills of Ralph': kills,
        'outcomes reached': `${outcomes.filter((outcome) => reached[outcome] !== undefined).length} of ${outcomes.length}`,
        'exit codes reached': `${exitCodes.filter((code) => reached[code] !== undefined).length} of ${exitCodes.length}`,
        ...(first === undefined ? {} : { broken: `seed ${first.seed}: ${first.message}` }),
      },
    },
    startedMs,
  )
}

function report(total: Tally, startedMs: number): number {
  const { seeds, events, iterations, kills, reached } = total
  const did = `${events} events, ${iterations} iterations, ${kills} kills, no invariant broken`
  console.log(`${seeds} seeds, ${speed(seeds, startedMs)}: ${did}`)
  for (const outcome of outcomes) console.log(`  ${outcome.padEnd(15)} ${reached[outcome] ?? 0}`)
  for (const word of landingWords)
    console.log(`  ${word.padEnd(15)} ${reached[word] ?? 0}, in ${reached[`worlds with ${word}`] ?? 0} worlds`)
  console.log(`  exit codes      ${exitCodes.map((code) => `${code}: ${reached[code] ?? 0}`).join(', ')}`)
  const missing = [...outcomes, ...exitCodes.map(String), ...landingWords].filter((word) => reached[word] === undefined)
  if (missing.length === 0 || seeds < enough) return 0
  console.log(`never reached: ${missing.join(', ')}. What a simulator never gets to, it does not prove.`)
  return 1
}

async function workHere(nextPart: () => [number, number] | null, take: (part: Part) => void): Promise<void> {
  for (let part = nextPart(); part !== null; part = nextPart()) take(await partOf(...part))
}

/** A separate process that gets one share after the other. */
function workElsewhere(nextPart: () => [number, number] | null, take: (part: Part) => void): Promise<void> {
  const child = fork(fileURLToPath(import.meta.url), ['--part'])
  const give = (): void => {
    const part = nextPart()
    if (part === null) child.disconnect()
    else child.send(part)
  }
  child.on('message', (part: Part) => {
    take(part)
    give()
  })
  give()
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a worker of the simulator ended with ${code}`))))
  })
}

function takeParts(): Promise<void> {
  process.on('message', async (part: [number, number]) => process.send?.(await partOf(...part)))
  return new Promise((resolve) => process.on('disconnect', resolve))
}

async function partOf(from: number, count: number): Promise<Part> {
  const tally = nothing()
  for (let seed = from; seed < from + count; seed++) {
    try {
      const journey = await journeyOf(seed)
      if (seed % 10 === 0 && (await journeyOf(seed)).log.join('\n') !== journey.log.join('\n'))
        throw new Error('the same seed gives the same log')
      const reached = Object.groupBy([...journey.outcomes, ...journey.exits.map(String)], (word) => word)
      const counts = Object.fromEntries(Object.entries(reached).map(([word, words]) => [word, words!.length]))
      for (const [word, times] of Object.entries(landingsIn(journey.log)))
        if (times > 0) Object.assign(counts, { [word]: times, [`worlds with ${word}`]: 1 })
      const { iterations, kills } = journey
      add(tally, { seeds: 1, events: journey.log.length, iterations, kills, reached: counts })
    } catch (error) {
      return { tally, failure: { seed, message: message(error) } }
    }
  }
  return { tally }
}

function landingsIn(log: string[]): Record<(typeof landingWords)[number], number> {
  const lines = log.filter((line) => line.includes('"kind":"landing.ended"'))
  const all = lines.map((line) => JSON.parse(line) as EventOf<'landing.ended'>)
  const reds = all.map(({ results, blocked }) =>
    blocked === undefined ? results.filter((result) => isRed(result) && result.ended !== 'stopped') : [],
  )
  const conflicts = reds.filter((results) => results.some(({ kind }) => kind === 'landing'))
  return { landings: all.length, bounced: reds.filter(({ length }) => length > 0).length, conflicts: conflicts.length }
}

function nothing(): Tally {
  return { seeds: 0, events: 0, iterations: 0, kills: 0, reached: {} }
}

function add(total: Tally, more: Tally): void {
  total.seeds += more.seeds
  total.events += more.events
  total.iterations += more.iterations
  total.kills += more.kills
  for (const [word, times] of Object.entries(more.reached)) total.reached[word] = (total.reached[word] ?? 0) + times
}

function speed(seeds: number, startedMs: number): string {
  return `${Math.round(seeds / ((performance.now() - startedMs) / 1000))} seeds/s`
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
