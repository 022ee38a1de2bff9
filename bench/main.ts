/** What Ralph costs beside a bare loop and an empty program. `--quick`: fewer rounds. `--write`: keeps the table as docs/benchmarks.md. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gapRows } from './gap.ts'
import { writeHistory } from './history.ts'
import { memoryRows } from './memory.ts'
import { median, spread } from './numbers.ts'
import { isMissed, markdownTable, type Row } from './rows.ts'
import { openScratch, type Scratch } from './scratch.ts'

const isQuick = process.argv.includes('--quick')
const size = isQuick
  ? { rounds: 3, iterations: 10, samples: 10, memoryIterations: 50, printedMb: 128, replays: 3 }
  : { rounds: 7, iterations: 25, samples: 15, memoryIterations: 200, printedMb: 1024, replays: 5 }

const loadBefore = loadavg()[0]!.toFixed(1)
const rows = await measured()
const table = markdownTable(rows)
process.stdout.write(`${table}\n`)
if (process.argv.includes('--write')) writeFileSync(join(here(), '..', 'docs', 'benchmarks.md'), page(table))
const missed = rows.filter(isMissed)
if (missed.length > 0) process.stderr.write(`Missed: ${missed.map(({ what }) => what).join('; ')}\n`)
process.exitCode = missed.length > 0 ? 1 : 0

async function measured(): Promise<Row[]> {
  const { startupRows } = await import('./startup.ts')
  const scratch = openScratch()
  try {
    say('gaps between agents')
    const gaps = await gapRows(scratch, size)
    say('short commands')
    const startup = startupRows(scratch, size.samples)
    say('memory')
    const memory = await memoryRows(scratch, { iterations: size.memoryIterations, printedMb: size.printedMb })
    say('replay')
    const replay = replayRow(scratch)
    say('reading')
    return [...gaps, ...startup, ...memory, replay, readingRow()]
  } finally {
    scratch.remove()
  }
}

function replayRow(scratch: Scratch): Row {
  const { log, events } = writeHistory(scratch.folder, 16_667)
  const taken = Array.from({ length: size.replays }, () => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [join(here(), 'replay.ts'), log], { encoding: 'utf8' })
    if (status !== 0) throw new Error(`the replay failed: ${stderr}`)
    return Number(stdout)
  })
  const what = `replay of ${events.toLocaleString('en')} events`
  return { what, unit: 'ms', floor: null, ralph: median(taken), over: median(taken), noise: spread(taken), goal: 1000 }
}

/** Reading is judged by itself; beside it stands what parsing alone costs in the same run. */
function readingRow(): Row {
  const taken = Array.from({ length: size.replays }, () => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [join(here(), 'reading.ts')], { encoding: 'utf8' })
    if (status !== 0) throw new Error(`the reading failed: ${stderr}`)
    return JSON.parse(stdout) as { parseMs: number; readMs: number }
  })
  const readMs = taken.map((each) => each.readMs)
  const ratio = median(readMs) / median(taken.map((each) => each.parseMs))
  const what = `reading 100 MB of stream-json (×${ratio.toFixed(1)} of JSON.parse alone)`
  return { what, unit: 'ms', floor: null, ralph: median(readMs), over: median(readMs), noise: spread(readMs), goal: 1000 }
}

function page(text: string): string {
  const [cpu] = cpus()
  const git = spawnSync('git', ['--version'], { encoding: 'utf8' }).stdout.trim()
  return `# What Ralph costs

Written by \`npm run bench -- --write\`; run it to see what your machine says.

${text}

On ${cpus().length} × ${cpu?.model ?? 'unknown'}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, ${process.platform} ${release()}, Node ${process.version}, ${git}.
Other work on the machine when it began (load average): ${loadBefore}. Above 1, take the times for upper bounds.

- The *floor* of the gaps is a bare \`for\` loop in \`sh\` around the same agent: a script that changes one of 200 files and commits it.
  A gap lies between the end that one agent notes and the start that the next one notes. In the second row a story passes each time, and
  Ralph commits its own files before it goes on.
- The floor of a command is an empty Node program; processor time is user and system time of the process as the kernel counts it.
- Memory is the kernel's high-water mark of Ralph's own process (VmHWM), its floor a Node program that waits.
- Floor and ralph are measured in turns. Each number is a median; *over the floor* is the median of the differences within each turn, and *noise*
  the median distance of those differences from it. A goal counts as missed (✗, exit 1) when it is exceeded by more than the noise;
  exceeded by less it is marked ~, and says that this machine was too busy to tell.
`
}

function here(): string {
  return dirname(fileURLToPath(import.meta.url))
}

function say(what: string): void {
  process.stderr.write(`measuring: ${what}\n`)
}
