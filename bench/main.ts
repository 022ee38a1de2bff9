/**
 * What Ralph costs compared to a bare loop and an empty program. `--quick`: fewer rounds. `--write`: stores table and chart for
 * docs/benchmarks.md. `--rival 'name=command line'`: also measures another program. `--only gap,memory`: only these parts, and nothing is stored.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { EXIT, Failure } from '../src/core/failure.ts'
import { inMemory } from '../test/support/memory.ts'
import { keepProof } from '../tools/proof.ts'
import { callRows } from './calls.ts'
import { chartOf } from './chart.ts'
import { contendersOf } from './contenders.ts'
import { dashboardRows } from './dashboard.ts'
import { gapRow } from './gap.ts'
import { writeHistory } from './history.ts'
import { largeRows } from './large.ts'
import { loopRows } from './loops.ts'
import { memoryRows } from './memory.ts'
import { median, spread } from './numbers.ts'
import { parallelRows } from './parallel.ts'
import { proofRows } from './proof.ts'
import { isMissed, markdownTable, type Row, rivalsTable, rowWords } from './rows.ts'
import { openScratch, type Scratch } from './scratch.ts'
import { startupRows } from './startup.ts'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    write: { type: 'boolean' },
    only: { type: 'string' },
    rival: { type: 'string', multiple: true, default: [] },
    'rival-help': { type: 'string', multiple: true, default: [] },
  },
})
const began = performance.now()
const size = values.quick
  ? { rounds: 3, iterations: 10, samples: 10, memoryIterations: 50, printedMb: 128, replays: 3 }
  : { rounds: 7, iterations: 25, samples: 15, memoryIterations: 200, printedMb: 1024, replays: 5 }

const loadBefore = loadavg()[0]!.toFixed(1)
/** In the order in which they are measured: a rival that cannot be measured is rejected before minutes of other work. */
const parts: { name: string; of(scratch: Scratch): Row[] | Promise<Row[]> }[] = [
  {
    name: 'loops',
    of: (scratch) => loopRows(scratch, contendersOf(scratch, values.rival, values['rival-help']), size.rounds),
  },
  { name: 'gap', of: async (scratch) => [await gapRow(scratch, size)] },
  { name: 'parallel', of: severalAtOnce },
  {
    name: 'large',
    of: (scratch) => largeRows(scratch, values.quick ? { rounds: 1, iterations: 6 } : { rounds: 3, iterations: 10 }),
  },
  { name: 'startup', of: (scratch) => startupRows(scratch, size.samples) },
  { name: 'memory', of: (scratch) => memoryRows(scratch, { iterations: size.memoryIterations, printedMb: size.printedMb }) },
  { name: 'dashboard', of: (scratch) => dashboardRows(scratch, size.rounds) },
  { name: 'proof', of: (scratch) => proofRows(scratch, values.quick === true) },
  { name: 'calls', of: callRows },
  { name: 'replay', of: (scratch) => [replayRow(scratch)] },
  { name: 'reading', of: readingRows },
]

const rows = await measured().catch((error: Error) => {
  if (!(error instanceof Failure)) throw error
  process.stderr.write(`bench: ${error.message}\n`)
  process.exit(error.exit)
})
const table = values.rival.length === 0 ? markdownTable(rows) : `${markdownTable(rows)}\n\n${rivalsTable(rows)}`
process.stdout.write(`${table}\n`)
if (values.write && values.only === undefined) {
  const docs = join(here(), '..', 'docs')
  mkdirSync(join(docs, 'images'), { recursive: true })
  writeFileSync(join(docs, 'images', 'benchmarks.svg'), chartOf(rows))
  writeFileSync(join(docs, 'benchmarks.md'), page(table))
}
const missed = rows.filter(isMissed)
if (values.only === undefined) keep()
if (missed.length > 0) process.stderr.write(`Missed: ${missed.map(({ what }) => what).join('; ')}\n`)
process.exitCode = missed.length > 0 ? 1 : 0

async function measured(): Promise<Row[]> {
  const only = values.only?.split(',')
  const unknown = only?.find((name) => !parts.some((part) => part.name === name))
  if (unknown !== undefined)
    throw new Failure(EXIT.usage, `unknown part "${unknown}"; --only takes ${parts.map(({ name }) => name).join(', ')}`)
  const scratch = openScratch()
  try {
    const rows: Row[] = []
    for (const { name, of } of parts.filter((part) => only?.includes(part.name) ?? true)) {
      process.stderr.write(`measuring: ${name}\n`)
      rows.push(...(await of(scratch)))
    }
    return rows
  } finally {
    scratch.remove()
  }
}

async function severalAtOnce(): Promise<Row[]> {
  const scratch = openScratch(inMemory())
  try {
    return await parallelRows(scratch, values.quick ? 1 : 5)
  } finally {
    scratch.remove()
  }
}

function keep(): void {
  const judged = rows.filter(({ goal }) => goal !== null)
  keepProof(
    {
      name: 'bench',
      what: 'What Ralph costs beside a bare loop stays within its goals.',
      tried: judged.length,
      failures: missed.length,
      details: {
        'load average when it began': loadBefore,
        ...Object.fromEntries(rows.map((row) => [row.what, rowWords(row)])),
      },
    },
    began,
  )
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

/** Reading has its own goal; the cost of only parsing in the same run is shown for comparison. */
function readingRows(): Row[] {
  const taken = Array.from({ length: size.replays }, () => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [join(here(), 'reading.ts')], { encoding: 'utf8' })
    if (status !== 0) throw new Error(`the reading failed: ${stderr}`)
    return JSON.parse(stdout) as { parseMs: number; readMs: number; maskMs: number }
  })
  const readMs = taken.map((each) => each.readMs)
  const ratio = median(readMs) / median(taken.map((each) => each.parseMs))
  const what = `reading 100 MB of stream-json (×${ratio.toFixed(1)} of JSON.parse alone)`
  const row = (about: string, ms: number[]): Row => {
    return { what: about, unit: 'ms', floor: null, ralph: median(ms), over: median(ms), noise: spread(ms), goal: 1000 }
  }
  const masked = 'masking as much, with a key now and then'
  return [
    row(what, readMs),
    row(
      masked,
      taken.map((each) => each.maskMs),
    ),
  ]
}

function page(text: string): string {
  const [cpu] = cpus()
  const git = spawnSync('git', ['--version'], { encoding: 'utf8' }).stdout.trim()
  return `# What Ralph costs

Written by \`npm run bench -- --write\`; run it to see what your machine says.

![Bars for each of the rows that compare whole loops](images/benchmarks.svg)

${text}

On ${cpus().length} × ${cpu?.model ?? 'unknown'}, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, ${process.platform} ${release()}, Node ${process.version}, ${git}.
Other work on the machine when it began (load average): ${loadBefore}. Above 1, take the times for upper bounds; and so where many files were
deleted shortly before: ext4 passes over their places one by one, for some minutes.

- The *floor* of the gaps is a bare \`for\` loop in \`sh\` around the same agent: a script that changes one of 200 files and commits it.
  A gap lies between the end that one agent notes and the start that the next one notes.
- In the rows about twenty stories one passes in each iteration, and Ralph commits its own files before it goes on. Processor time is that of
  the whole tree, the agent's part in it the same for all; memory there is the sum over all processes but the agent's.
- The floor of several stories at once is the same agents in folders that are ready, started by a counter. From the first agent's start means
  to the end of the command: the program's own start has a row of its own. These rows are measured in memory (/dev/shm): on a disk, how long
  worktrees take depends on what was deleted there in the minutes before.
- The floor of a command is an empty Node program; processor time is user and system time of the process as the kernel counts it.
- Memory in the other rows is the kernel's high-water mark of Ralph's own process (VmHWM), its floor a Node program that waits.
- The rows about calls are runs with the real agents and a scripted model that does a story at once: a bare loop makes one call for it. Tokens are
  what the requests of implementer and reviewer have together, at four characters each.
- The floor of the dashboard is an empty page from a bare server, in the same browser. Each turn has a dashboard that has read nothing yet.
- The floor of the rows with a number of files, and with a long plan, is one \`git status\` of the same repository.
- The rows about a suite and a review are from the end of the agent until its story has passed. Their floor is what a loop would take that runs the same
  gate once and then asks for the same review. Suites sleep; the three kinds of stories are measured side by side.
- Floor and ralph are measured in turns. Each number is a median; *over the floor* is the median of the differences within each turn, and *noise*
  the median distance of those differences from it. A goal counts as missed (✗, exit 1) when it is exceeded by more than the noise;
  exceeded by less it is marked ~, and says that this machine was too busy to tell.

## Against another program

\`\`\`console
$ npm run bench -- --rival 'mine=./my-loop.sh {iterations}' --rival-help 'mine=./my-loop.sh --help'
\`\`\`

\`--rival 'name=command line'\` may be given again and again. Each is run by \`bash\` in a project of its own, as often as Ralph and in turns with
it, and a second table shows all of them side by side.

| | |
|---|---|
| \`{dir}\` | the project's folder, which is also the working directory: 200 files in git, and \`.ralph/bench/prd.json\` with 20 open stories |
| \`{agent}\` | the fake agent: each call does one story, flips it in every \`prd.json\` up to two folders deep, and commits |
| \`{iterations}\` | 20: as many as there are stories |

The same agent is the first \`claude\` and the first \`agent\` in PATH. It reads its input to the end, answers in JSON where an argument speaks of
json, and says \`<promise>COMPLETE</promise>\` when no story is open. What the program needs (a plan in its own form, a folder) its command line
must make; that time counts. A program that does not call the agent exactly 20 times is refused: it would be measured for something else.
\`--rival-help 'name=command line'\` is the program's help; without it that cell says unknown.
`
}

function here(): string {
  return dirname(fileURLToPath(import.meta.url))
}
