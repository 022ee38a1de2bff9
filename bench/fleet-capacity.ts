/** What the queue of a fleet carries beside raw pg-boss, a queue in PostgreSQL that does nothing else: on the same database, with as many connections. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { PgBoss } from 'pg-boss'
import { type Fleet, openFleet } from '../src/fleet/database.ts'
import { keyOf } from '../src/fleet/features.ts'
import { settleTurn, type TakenLease, takeFeatures } from '../src/fleet/leases.ts'
import { makeTables } from '../src/fleet/schema.ts'
import { mayPush, mirror, pushed } from '../src/fleet/write-turn.ts'
import { percentile } from './numbers.ts'

const processes = 4
const connections = 8
const queued = 10_000
/** As a run writes it: an event with a typical amount of text. */
const line = JSON.stringify({ at: '2026-01-09T12:00:00Z', run: 'load', kind: 'noticed', what: 'load', detail: 'x'.repeat(400) })

/** Of one process: how long each ask took, and how long all of it. */
type Worked = { askMs: number[]; seconds: number }
const works = ['raw', 'raw asks', 'fleet', 'fleet with events', 'fleet asks', 'fleet asks for 20'] as const
type Work = (typeof works)[number]

/** Figures for people; `url`: of an empty database. */
export async function capacity(url: string): Promise<[string, string][]> {
  const fleet = await openFleet({ url, isNew: true, patienceMs: 120_000 })
  await makeTables(fleet)
  const found = {} as Record<Work, Worked[]>
  for (const work of works) {
    await (work.startsWith('raw') ? fillRaw(url) : fillFleet(fleet))
    found[work] = await Promise.all(Array.from({ length: processes }, () => inProcess(work, url)))
  }
  await fleet.close()
  const rate = (work: Work): number => (processes * turns) / Math.max(...found[work].map(({ seconds }) => seconds))
  const median = (work: Work): string =>
    `${percentile(
      found[work].flatMap(({ askMs }) => askMs),
      50,
    ).toFixed(0)} ms`
  const beside = (work: Work): string =>
    `${rate(work).toFixed(0)} a second, ${((100 * rate(work)) / rate('raw')).toFixed(0)} % of raw pg-boss (${rate('raw').toFixed(0)})`
  return [
    [`to take and settle, ${queued} features queued`, `${beside('fleet')}; goal: 80 %`],
    ['the same with 10 events and the note of a push', `${beside('fleet with events')}; goal: 50 %`],
    [
      '1,000 workers that ask at once',
      `median ${median('fleet asks')} (raw pg-boss: ${median('raw asks')}); as 50 workers with 20 slots: median ${median('fleet asks for 20')}; goal: 100 ms`,
    ],
  ]
}

const turns = 500
const asks = 250

async function fillFleet(fleet: Fleet): Promise<void> {
  await fleet.query('truncate ralph.features, ralph.events')
  const names = Array.from({ length: queued }, (_, index) => `f${index}`)
  const repositories = names.map((_, index) => `/repo-${index % 20}`)
  await fleet.query(
    `insert into ralph.features (key, repository, feature, priority, state)
     select key, repository, feature, priority, 'queued' from unnest($1::text[], $2::text[], $3::text[], $4::int[]) as one(key, repository, feature, priority)`,
    [names.map((name, index) => keyOf(repositories[index] ?? '', name)), repositories, names, names.map((_, index) => index % 3)],
  )
  await fleet.query('analyze ralph.features')
}

const rawQueue = 'raw'

async function fillRaw(url: string): Promise<void> {
  const boss = rawBoss(url, true)
  await boss.start()
  await boss.deleteQueue(rawQueue)
  await boss.createQueue(rawQueue)
  await boss.insert(
    rawQueue,
    Array.from({ length: queued }, (_, index) => ({ data: { key: `f${index}` }, priority: index % 3 })),
  )
  await boss.stop()
}

const rawBoss = (url: string, isNew = false): PgBoss =>
  new PgBoss({ connectionString: url, max: connections, supervise: false, schedule: false, migrate: isNew, createSchema: isNew })

async function inProcess(work: Work, url: string): Promise<Worked> {
  const args = [fileURLToPath(import.meta.url), '--work', work, '--url', url]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let out = ''
  child.stdout.on('data', (chunk) => (out += chunk))
  await new Promise((resolve) => child.once('close', resolve))
  return JSON.parse(out) as Worked
}

async function worked(work: Work, url: string): Promise<Worked> {
  const isRaw = work.startsWith('raw')
  const boss = isRaw ? rawBoss(url) : null
  const fleet = isRaw ? null : await openFleet({ url, connections })
  await boss?.start()
  const take = async (most = 1): Promise<TakenLease[]> =>
    (await takeFeatures(fleet!, { worker: `w-${process.pid}`, labels: [], allow: ['/repo-*'] }, most)).taken
  const once: Record<Work, () => Promise<unknown>> = {
    raw: async () => {
      const [job] = await boss!.fetch(rawQueue)
      await boss!.complete(rawQueue, job!.id)
    },
    'raw asks': () => boss!.fetch(rawQueue),
    fleet: async () => settle((await take())[0]!),
    'fleet with events': async () => {
      const taken = (await take())[0]!
      await mirror(
        fleet!,
        taken,
        Array.from({ length: 10 }, (_, index) => ({ seq: index + 1, line })),
      )
      if (await mayPush(fleet!, taken, { head: taken.key, seq: 10, files: {}, branch: 'branch' }, 100))
        await pushed(fleet!, taken, true)
      await settle(taken)
    },
    'fleet asks': () => take(),
    'fleet asks for 20': () => take(20),
  }
  const settle = (taken: TakenLease): Promise<boolean> =>
    settleTurn(fleet!, taken, { state: 'completed', exitCode: 0, reason: '' })
  // Every connection is open before the clock starts.
  await Promise.all(
    Array.from({ length: connections }, () => (boss === null ? fleet!.query('select pg_sleep(0.05)') : boss.getQueue(rawQueue))),
  )
  const askMs: number[] = []
  const began = performance.now()
  const timed = async (): Promise<void> => {
    const asked = performance.now()
    await once[work]()
    askMs.push(performance.now() - asked)
  }
  if (work.includes('asks')) await Promise.all(Array.from({ length: work.includes('20') ? Math.ceil(asks / 20) : asks }, timed))
  else {
    let left = turns
    await Promise.all(
      Array.from({ length: connections }, async () => {
        while (left-- > 0) await timed()
      }),
    )
  }
  const seconds = (performance.now() - began) / 1000
  await boss?.stop()
  await fleet?.close()
  return { askMs, seconds }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { work: { type: 'string' }, url: { type: 'string' } } })
  process.stdout.write(JSON.stringify(await worked(values.work as Work, values.url ?? '')))
}
