/** The fleet's long check, `npm run test:fleet`: a hundred features with failures, then a thousand logical workers; stores the results. */
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openFleet } from '../src/fleet/database.ts'
import { submit } from '../src/fleet/features.ts'
import { takeFeatures } from '../src/fleet/leases.ts'
import { makeTables } from '../src/fleet/schema.ts'
import { type ChaosResult, chaos, type Trouble } from '../test/support/fleet-chaos.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { keepProof } from '../tools/proof.ts'
import { capacity } from './fleet-capacity.ts'
import { dashboardLatency } from './fleet-latency.ts'
import type { Load } from './fleet-load.ts'
import { percentile } from './numbers.ts'

const { values } = parseArgs({
  options: {
    features: { type: 'string', default: '100' },
    workers: { type: 'string', default: '4' },
    logical: { type: 'string', default: '1000' },
    write: { type: 'boolean', default: false },
  },
})
const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const leaseSeconds = 10
const troubles: Trouble[] = Array.from({ length: 6 }, (): Trouble[] => ['kill', 'refuse', 'sleep', 'kill', 'restart']).flat()
/** Low enough to be reached: nobody waits here, refusals are only counted. */
const limit = { calls: 250, seconds: 5 }
const began = performance.now()

const features = Number(values.features)
// --features 0: only the load
const trouble =
  features === 0
    ? null
    : await chaos({
        features,
        workers: Number(values.workers),
        slots: 3,
        leaseSeconds,
        calls: { most: 15, seconds: 10 },
        troubles,
        everyMs: 2500,
        seconds: 1800,
      })
const load = await carried(Number(values.logical))
const beside = await besideRaw()
const broken = [...(trouble?.broken ?? []), ...load.broken]
const rows = [...(trouble === null ? [] : troubleRows(trouble)), ...loadRows(load), ...beside]
for (const [what, figure] of rows) console.log(`${what}: ${figure}`)
for (const one of broken) console.log(`✗ ${one}`)
if (trouble !== null)
  keepProof(
    {
      name: 'fleet',
      what: 'Whatever happens to workers, database and remote, each feature of a fleet is completed once, by one worker at a time, within the limit of calls.',
      tried: features + load.turns,
      failures: broken.length,
      details: { ...Object.fromEntries(rows), ...(broken.length > 0 ? { broken: broken.join('; ') } : {}) },
    },
    began,
  )
if (values.write) writeFigures(rows)
process.exitCode = broken.length === 0 ? 0 : 1

function troubleRows({ done, recoveryMs, mirrorMs, events, turns, calls, seconds }: ChaosResult): [string, string][] {
  const troubled = `${done.kill} workers killed, ${done.sleep} put to sleep past their lease, ${done.restart} restarts of the database, ${done.refuse} times no push`
  return [
    [
      'features under trouble',
      `${values.features} over ${values.workers} workers in ${seconds.toFixed(0)} s: ${turns} turns, ${events} events, ${calls} calls`,
    ],
    ['trouble', troubled],
    [
      'recovery after a worker is gone',
      `median ${inSeconds(percentile(recoveryMs, 50))}, longest ${inSeconds(Math.max(...recoveryMs))} (lease ${leaseSeconds} s)`,
    ],
    [
      'an event in the database after',
      `median ${percentile(mirrorMs, 50).toFixed(0)} ms, 95 of 100 within ${percentile(mirrorMs, 95).toFixed(0)} ms`,
    ],
  ]
}

type Carried = Load & { seconds: number; workers: number; broken: string[]; idleMs: number; pageMs: number[] }

/** Against the real queue: two rounds of as many features as workers. */
async function carried(workers: number): Promise<Carried> {
  const postgres = await startPostgres()
  try {
    const fleet = await openFleet({ url: postgres.url, isNew: true, patienceMs: 120_000 })
    await makeTables(fleet)
    const most = 2 * workers
    const names = Array.from({ length: most }, (_, index) => `f${index}`)
    for (let from = 0; from < most; from += 20)
      await Promise.all(
        names
          .slice(from, from + 20)
          .map((feature, index) =>
            submit(fleet, { repository: `/repo-${index % 20}`, feature, base: '', priority: index % 3, labels: [] }),
          ),
      )
    await fleet.query('update ralph.settings set calls = $1, calls_ms = $2', [limit.calls, limit.seconds * 1000])
    const started = performance.now()
    const processes = 4
    const loads = await Promise.all(Array.from({ length: processes }, () => loadIn(postgres.url, workers / processes)))
    const seconds = (performance.now() - started) / 1000
    const [row] = await fleet.query<{ done: number; turns: number }>(
      `select count(*) filter (where state = 'completed')::int as done, sum(turn)::int as turns from ralph.features`,
    )
    const [doubles] = await fleet.query<{ doubles: number }>(
      'select count(*)::int as doubles from (select key from ralph.events group by key having count(*) <> 18) as odd',
    )
    const granted = await fleet.query<{ at: number }>('select extract(epoch from at)::float8 as at from ralph.calls order by at')
    const isOver = granted.some(({ at }, index) => (granted[index + limit.calls]?.at ?? Infinity) - at < limit.seconds)
    const idle = performance.now()
    for (let count = 0; count < 200; count++) await takeFeatures(fleet, { worker: 'idle', labels: [], allow: ['*'] }, 1)
    const idleMs = (performance.now() - idle) / 200
    const pageMs = await dashboardLatency(fleet, postgres.url, 20)
    await fleet.close()
    const sum = (of: (load: Load) => number): number => loads.reduce((total, load) => total + of(load), 0)
    return {
      turns: sum((load) => load.turns),
      events: sum((load) => load.events),
      calls: sum((load) => load.calls),
      refused: sum((load) => load.refused),
      mirrorMs: loads.flatMap((load) => load.mirrorMs),
      renewMs: loads.flatMap((load) => load.renewMs),
      seconds,
      workers,
      idleMs,
      pageMs,
      broken: [
        ...(row!.done === most && row!.turns === most
          ? []
          : [`${row!.done} of ${most} features were completed, in ${row!.turns} turns`]),
        ...(isOver ? [`more than ${limit.calls} calls in ${limit.seconds} s were granted`] : []),
        ...(doubles!.doubles === 0 ? [] : [`${doubles!.doubles} features have lost or doubled events`]),
      ],
    }
  } finally {
    await postgres.remove()
  }
}

async function besideRaw(): Promise<[string, string][]> {
  const postgres = await startPostgres()
  try {
    return await capacity(postgres.url)
  } finally {
    await postgres.remove()
  }
}

async function loadIn(url: string, workers: number): Promise<Load> {
  const args = [join(root, 'bench', 'fleet-load.ts'), '--url', url, '--workers', String(workers), '--connections', '8']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let out = ''
  child.stdout.on('data', (chunk) => (out += chunk))
  await new Promise((resolve) => child.once('close', resolve))
  return JSON.parse(out) as Load
}

function loadRows({
  workers,
  turns,
  events,
  calls,
  refused,
  seconds,
  mirrorMs,
  renewMs,
  idleMs,
  pageMs,
}: Carried): [string, string][] {
  const rate = (count: number): string => `${Math.round(count / seconds)} a second`
  return [
    [
      'logical workers',
      `${workers} in 4 processes with 32 connections: ${turns} turns in ${seconds.toFixed(1)} s, ${rate(turns)}`,
    ],
    ['events mirrored', rate(events)],
    ['calls asked for', `${rate(calls)}; ${calls - refused} of ${calls} granted, within ${limit.calls} in ${limit.seconds} s`],
    ['statements and transactions', rate(turns * 3 + events / 3 + calls + 4 * turns)],
    ['to mirror three events under that load', `median ${percentile(mirrorMs, 50).toFixed(0)} ms`],
    ['to renew a quarter of all leases', `median ${percentile(renewMs, 50).toFixed(0)} ms`],
    ['to find an empty queue', `${idleMs.toFixed(1)} ms`],
    [
      'from the database to the dashboard’s page',
      `median ${percentile(pageMs, 50).toFixed(0)} ms, longest ${Math.max(...pageMs).toFixed(0)} ms`,
    ],
  ]
}

function inSeconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}

function writeFigures(figures: [string, string][]): void {
  const path = join(root, 'docs', 'fleet.md')
  const table = ['| measured | |', '|---|---|', ...figures.map(([what, figure]) => `| ${what} | ${figure} |`)].join('\n')
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, text.replace(/(<!-- figures -->\n)[\s\S]*?(\n<!-- end -->)/, `$1${table}$2`))
}
