/** Tries inputs on every parser: `--inputs N [--only family,...] [--seed N] [--workers N]`, or `--input file --only family` for one that was kept. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { keepProof } from '../tools/proof.ts'
import { inputIn } from './corpus.ts'
import { families } from './families.ts'
import type { Family } from './family.ts'
import { runFuzz } from './run.ts'
import { type Fault, problemWith } from './try.ts'

const { values } = parseArgs({
  options: {
    inputs: { type: 'string', default: '100000' },
    only: { type: 'string' },
    seed: { type: 'string' },
    workers: { type: 'string', default: String(Math.min(2, availableParallelism())) },
    limit: { type: 'string', default: '20' },
    input: { type: 'string' },
  },
})
const folder = join(import.meta.dirname, '..', '.reliability')
const chosen = values.only === undefined ? families : values.only.split(',').map(familyNamed)
process.exitCode = values.input === undefined ? await tryMany() : await tryOne(chosen[0]!, values.input)

async function tryMany(): Promise<number> {
  const [inputs, seed] = [
    numberIn('inputs', values.inputs),
    values.seed === undefined ? newSeed() : numberIn('seed', values.seed),
  ]
  const startedMs = performance.now()
  let told = 0
  const onProgress = (tried: number): void => {
    if (tried - told < inputs / 20) return
    told = tried
    console.log(`${tried} of ${inputs} inputs, ${Math.round(tried / ((performance.now() - startedMs) / 1000))} a second`)
  }
  console.log(`${inputs} inputs over ${chosen.length} families, seed ${seed}`)
  const { tried, seconds, byFamily, faults } = await runFuzz({
    ...{ module: new URL('./families.ts', import.meta.url).href, families: chosen, inputs, seed, onProgress },
    ...{ workers: numberIn('workers', values.workers), limitMs: numberIn('limit', values.limit) * 1000, memoryMb: 512 },
  })
  for (const [name, { tried: count, failures, slowestMs, slowestSeed }] of Object.entries(byFamily))
    console.log(
      `  ${name.padEnd(12)} ${String(count).padStart(7)} tried, ${failures} failed, slowest ${slowestMs} ms (seed ${slowestSeed})`,
    )
  const what = 'Bad input on every parser: nothing may crash or hang, and nothing may be taken for done that is not'
  const shares = Object.entries(byFamily).map(([name, tally]) => [name, `${tally.tried} tried, slowest ${tally.slowestMs} ms`])
  keepProof({ name: 'fuzz', what, tried, failures: faults.length, details: { seed, ...Object.fromEntries(shares) } }, startedMs)
  for (const fault of faults) tell(fault)
  console.log(`${tried} inputs in ${seconds} s, ${faults.length} failures. Figures: .reliability/fuzz.json`)
  return faults.length === 0 ? 0 : 1
}

async function tryOne(family: Family, file: string): Promise<number> {
  const problem = await problemWith(family, inputIn(readFileSync(file, 'utf8')))
  console.log(problem ?? `${family.name}: all that must hold does.`)
  return problem === null ? 0 : 1
}

/** The smallest input goes into a file, from which it can be tried again, and go into the corpus. */
function tell({ family, seed, message, input }: Fault): void {
  const path = join(folder, 'fuzz', `${family}-${seed}.json`)
  mkdirSync(join(folder, 'fuzz'), { recursive: true })
  writeFileSync(path, `${input}\n`)
  const shown = input.length > 600 ? `${input.slice(0, 600)}… (${input.length} characters)` : input
  console.log(`\n${family} FAILED with seed ${seed}: ${message.slice(0, 1500)}\n  smallest input: ${shown}`)
  console.log(`  again, from its number: node fuzz/main.ts --only ${family} --seed ${seed} --inputs 1`)
  console.log(`  again, as it is:        node fuzz/main.ts --only ${family} --input .reliability/fuzz/${family}-${seed}.json\n`)
}

/** Below any number to which a seed and its inputs add up. */
function newSeed(): number {
  return Math.floor(Math.random() * 2 ** 30)
}

function familyNamed(name: string): Family {
  const found = families.find((family) => family.name === name)
  if (found === undefined) stop(`There is no family ${name}. There is: ${families.map((family) => family.name).join(', ')}`)
  return found
}

function numberIn(flag: string, text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < 0 || number >= 2 ** 31) stop(`--${flag} is ${text}; expected a whole number.`)
  return number
}

function stop(message: string): never {
  console.error(message)
  process.exit(64)
}
