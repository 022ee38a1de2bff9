/** A soak: `npm run soak [-- --iterations 10000]`. Judges by the ratio of the end to the beginning, and stores the measurements. */
import { parseArgs } from 'node:util'
import { keepProof } from '../tools/proof.ts'
import { openScratch } from './scratch.ts'
import { type Sample, type Soaked, soak } from './soak-run.ts'
import { isBroken, type Judged, judged } from './soak-verdict.ts'

const { values } = parseArgs({ options: { iterations: { type: 'string', default: '10000' } } })
const iterations = Number(values.iterations)
if (!(iterations >= 300)) throw new Error(`--iterations ${values.iterations}: 300 or more are needed to see a difference`)
const marks = [...[100, 1000, 2500, 5000, 7500].filter((mark) => mark < iterations), iterations]
/** The default of the settings. */
const keptLogs = 200
const began = performance.now()
const scratch = openScratch()
try {
  process.exitCode = report(await soak(scratch, iterations, marks, keptLogs))
} finally {
  scratch.remove()
}

function report(soaked: Soaked): number {
  const rows = judged(soaked.samples, keptLogs)
  const isWhole = soaked.code === (iterations % 100 === 0 ? 0 : 1)
  const broken = [
    ...rows.filter(isBroken).map(({ what }) => what),
    ...(isWhole ? [] : [`the run ended with ${soaked.code} (${soaked.outcome}: ${soaked.because})`]),
  ]
  console.table(soaked.samples.map((sample) => Object.fromEntries(Object.entries(sample).map(([name, n]) => [name, rounded(n)]))))
  for (const row of rows) console.log(`${isBroken(row) ? '✗' : '✓'} ${row.what}: ${inWords(row)}`)
  keepProof(
    {
      name: 'soak',
      what: 'However long a run is, its memory, its gap, its files and `ralph status` stay as they were at the beginning.',
      tried: iterations,
      failures: broken.length,
      details: {
        events: soaked.events,
        'stories passed': soaked.passed,
        'flips refused': soaked.refused,
        ...Object.fromEntries(rows.map((row) => [row.what, inWords(row)])),
        ...Object.fromEntries(soaked.samples.map((sample) => [`at iteration ${sample.iteration}`, seenAt(sample)])),
        ...(broken.length === 0 ? {} : { broken: broken.join('; ') }),
      },
    },
    began,
  )
  if (broken.length > 0) console.log(`Not flat: ${broken.join('; ')}`)
  return broken.length === 0 ? 0 : 1
}

function seenAt({ gapMs, rssMb, peakMb, youngMb, heldMb, files, megabytes, statusMs, load }: Sample): string {
  const memory = `${rounded(rssMb)} MB (peak ${rounded(peakMb)} MB; held ${rounded(heldMb)} MB, young ${rounded(youngMb)} MB)`
  return `gap ${rounded(gapMs)} ms, ${memory}, ${files} files of ${rounded(megabytes)} MB, status ${rounded(statusMs)} ms, load ${rounded(load)} a core`
}

function inWords({ first, last, unit, ratio, most }: Judged): string {
  const amount = (value: number): string => `${rounded(value)}${unit === '' ? '' : ` ${unit}`}`
  return `${amount(first)} → ${amount(last)} (×${ratio.toFixed(2)}, ${most === null ? 'not judged: the machine had other work' : `at most ×${most}`})`
}

function rounded(value: number): number {
  return Number(value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0))
}
