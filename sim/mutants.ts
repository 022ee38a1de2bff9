/** Puts deliberate bugs into a copy of the core, one at a time, and reports what catches each: `npm run sim:mutants [-- --only <name> …]`. */
import { spawn } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { keepProof } from '../tools/proof.ts'
import { all, whyNot } from './mutants/all.ts'
import type { Mutant } from './mutants/mutant.ts'

type Catch = { by: 'the simulator' | 'a test' | 'nothing'; what: string }

/** Enough seeds to catch every mutant that the simulator can catch; each takes seconds. */
const seeds = '1500'
/** A mutant that never ends is caught, too. */
const patienceMs = 300_000

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const { values } = parseArgs({ options: { only: { type: 'string', multiple: true } } })

process.exitCode = await main()

async function main(): Promise<number> {
  const mutants = all.filter(({ name }) => values.only === undefined || values.only.includes(name))
  const wrong = mutants.flatMap(whyNot)
  if (mutants.length === 0)
    wrong.push(`no mutant is called "${values.only?.join('", "')}"; they are: ${all.map(({ name }) => name).join('; ')}`)
  if (wrong.length > 0) {
    console.log(wrong.join('\n'))
    return 1
  }
  const temporary = mkdtempSync(join(tmpdir(), 'ralph-mutants-'))
  try {
    return await tryAll(mutants, temporary)
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

async function tryAll(mutants: Mutant[], temporary: string): Promise<number> {
  const began = performance.now()
  const places = Array.from({ length: availableParallelism() }, (_, i) => copyAt(join(temporary, String(i))))
  const unchanged = await caughtIn(places[0]!)
  if (unchanged.by !== 'nothing') {
    console.log(`Without any mutant ${unchanged.by} already fails: ${unchanged.what}. Fix that first.`)
    return 1
  }
  const waiting = [...mutants]
  const found: { mutant: Mutant; caught: Catch }[] = []
  const work = async (place: string): Promise<void> => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const caught = await tryOne(place, mutant)
      found.push({ mutant, caught })
      console.log(`${found.length} of ${mutants.length}: ${mutant.name}: ${caught.by}`)
    }
  }
  await Promise.all(places.map(work))
  if (values.only === undefined) keep(found, began)
  return report(mutants, found)
}

/** Only what the core and the simulator need. */
function copyAt(place: string): string {
  mkdirSync(join(place, 'src'), { recursive: true })
  for (const path of ['sim', 'src/core', 'src/loop.ts', 'tools/proof.ts'])
    cpSync(join(root, path), join(place, path), { recursive: true })
  writeFileSync(join(place, 'package.json'), '{ "type": "module" }\n')
  symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'))
  return place
}

async function tryOne(place: string, { file, from, to }: Mutant): Promise<Catch> {
  const path = join(place, 'src/core', file)
  const text = readFileSync(path, 'utf8')
  try {
    writeFileSync(
      path,
      text.replace(from, () => to),
    )
    return await caughtIn(place)
  } finally {
    writeFileSync(path, text)
  }
}

/** The core's own tests run only if the simulator finds nothing. */
async function caughtIn(place: string): Promise<Catch> {
  const sim = await run(place, ['sim/main.ts', '--seeds', seeds, '--workers', '1'])
  if (sim.code !== 0)
    return { by: 'the simulator', what: /FAILED: (.*)/.exec(sim.out)?.[1] ?? sim.out.trim().split('\n').at(-1) ?? '' }
  const tests = await run(place, ['--test', '--test-reporter=tap', ...testsIn(place)])
  if (tests.code !== 0) return { by: 'a test', what: /^\s*not ok \d+ - (?!src\/)(.*)/m.exec(tests.out)?.[1] ?? '' }
  return { by: 'nothing', what: '' }
}

/** Those that need nothing but what was copied. */
function testsIn(place: string): string[] {
  const isOwn = (file: string): boolean => {
    const imports = readFileSync(join(place, file), 'utf8').matchAll(/from '(\.[^']+)'/g)
    return [...imports].every(([, path]) => /^(src\/core|sim)\//.test(join(dirname(file), path!)))
  }
  return globSync('src/core/**/*.test.ts', { cwd: place }).filter(isOwn).sort()
}

function run(cwd: string, args: string[]): Promise<{ code: number | null; out: string }> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: cwd, LANG: 'C.UTF-8' }
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: patienceMs })
  let out = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (out += text))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, out: code === null ? `${out}\nit did not end in time` : out }))
  })
}

function keep(found: { mutant: Mutant; caught: Catch }[], began: number): void {
  const by = (who: Catch['by']): Mutant[] => found.filter(({ caught }) => caught.by === who).map(({ mutant }) => mutant)
  keepProof(
    {
      name: 'mutants',
      what: 'Every deliberate bug in the core is caught, by the simulator or by a test.',
      tried: found.length,
      failures: by('nothing').length,
      details: {
        'caught by the simulator': by('the simulator').length,
        'caught by a test': by('a test').length,
        ...(by('nothing').length === 0
          ? {}
          : {
              uncaught: by('nothing')
                .map(({ name }) => name)
                .join('; '),
            }),
      },
    },
    began,
  )
}

function report(mutants: Mutant[], found: { mutant: Mutant; caught: Catch }[]): number {
  const width = Math.max(...mutants.map(({ name }) => name.length))
  console.log('')
  for (const mutant of mutants) {
    const { by, what } = found.find((each) => each.mutant === mutant)!.caught
    console.log(`${mutant.file.padEnd(14)} ${mutant.name.padEnd(width)}  ${by.padEnd(13)}  ${what.slice(0, 100)}`)
  }
  const by = (who: Catch['by']): number => found.filter(({ caught }) => caught.by === who).length
  console.log(
    `\n${mutants.length} mutants: ${by('the simulator')} caught by the simulator, ${by('a test')} by the tests of the core`,
  )
  if (by('nothing') === 0) return 0
  console.log(`${by('nothing')} caught by nothing: add an invariant in sim/invariants/, or a test.`)
  return 1
}
