/** Runs seeds and says what they reached: `--seeds N [--from N]`, or `--seed N` to see one, event by event. */
import { parseArgs } from 'node:util'
import type { Event, Outcome } from '../src/core/types.ts'
import { describe } from './describe.ts'
import { journeyOf } from './world.ts'

const { values } = parseArgs({ options: { seeds: { type: 'string' }, from: { type: 'string' }, seed: { type: 'string' } } })

/** Every way in which a run can end. */
const reachable: Outcome[] = [
  'complete',
  'incomplete',
  'stories-failed',
  'blocked',
  'question',
  'stuck',
  'testing-only',
  'limited',
  'budget',
  'login',
  'interrupted',
]

process.exitCode =
  values.seed === undefined
    ? await runMany(Number(values.seeds ?? 5000), Number(values.from ?? 1))
    : await runOne(Number(values.seed))

async function runOne(seed: number): Promise<number> {
  let failure: unknown
  const journey = await journeyOf(seed, (event: Event) => console.log(describe(event))).catch((error: unknown) => {
    failure = error
  })
  if (journey !== undefined) console.log(`seed ${seed}: ${journey.outcomes.join(', ')}; killed ${journey.kills} times`)
  else console.log(`seed ${seed} FAILED: ${message(failure)}`)
  return journey === undefined ? 1 : 0
}

async function runMany(count: number, from: number): Promise<number> {
  const reached = new Map<Outcome, number>()
  const startedMs = performance.now()
  let kills = 0
  let iterations = 0
  let events = 0
  const speed = (seeds: number): string => `${Math.round(seeds / ((performance.now() - startedMs) / 1000))} seeds/s`
  for (let seed = from; seed < from + count; seed++) {
    try {
      const journey = await journeyOf(seed)
      if (seed % 10 === 0 && (await journeyOf(seed)).log.join('\n') !== journey.log.join('\n'))
        throw new Error('the same seed gives the same log')
      for (const outcome of journey.outcomes) reached.set(outcome, (reached.get(outcome) ?? 0) + 1)
      kills += journey.kills
      iterations += journey.iterations
      events += journey.log.length
    } catch (error) {
      console.log(`\nseed ${seed} FAILED: ${message(error)}\n  node sim/main.ts --seed ${seed}`)
      return 1
    }
    const done = seed - from + 1
    if (process.stdout.isTTY && done % 100 === 0) process.stdout.write(`\r${done} of ${count} seeds, ${speed(done)}`)
  }
  console.log(
    `${process.stdout.isTTY ? '\r' : ''}${count} seeds, ${speed(count)}: ${events} events, ${iterations} iterations, ${kills} kills, no invariant broken`,
  )
  for (const outcome of reachable) console.log(`  ${outcome.padEnd(15)} ${reached.get(outcome) ?? 0}`)
  const missing = reachable.filter((outcome) => !reached.has(outcome))
  if (missing.length === 0 || count < 2000) return 0
  console.log(`never reached: ${missing.join(', ')}`)
  return 1
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
