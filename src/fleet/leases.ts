/** Who has a feature: taken from the queue, renewed, returned, and taken away from a silent worker. One transaction each. */
import { hasTexts, isText, recordOf } from '../core/text/json.ts'
import type { Fleet, Transaction } from './database.ts'
import { type Feature, featureIn } from './features.ts'
import type { FeatureState } from './schema.ts'
import { oneRow } from './sql.ts'

/** What a worker holds: only the token of the current turn allows writing, pushing and settling. */
export type Lease = {
  key: string
  turn: number
  token: string
  queue: string
  job: string
  jobTry: number
}
export type TakenLease = Lease & {
  repository: string
  feature: string
  base: string
  branch: string
  head: string | null
  headSeq: number
  files: Record<string, string>
  /** How the last turn ended, if its worker died after its last push and before it could report that. */
  outcome: TurnResult | null
  pushing: { head: string; seq: number; files: Record<string, string>; outcome: TurnResult | null } | null
}
export type Taker = {
  worker: string
  labels: string[]
  isAllowed(repository: string): boolean
}

/** After this many turns in a row without a finished iteration, something is wrong with the feature, not with the workers. */
export const mostFruitless = 3

/** The pause before the next try, by turns without progress so far: the first may be a worker's bad luck. */
const backOffSeconds = [2, 20]

/** The next feature for this worker: highest priority first. null: none now. */
export async function takeFeature(fleet: Fleet, { worker, labels, isAllowed }: Taker): Promise<TakenLease | null> {
  const waiting = await fleet.query<{ queue: string; repository: string; is_full: boolean; labels: string[] }>(
    `select f.queue, f.repository, f.labels, max(f.priority) as first, min(f.submitted_at) as since,
       s.per_repository > 0 and s.per_repository <=
         (select count(*) from ralph.features r where r.repository = f.repository and r.state = 'running') as is_full
     from ralph.features f, ralph.settings s where f.state = 'queued' and not s.is_paused
     group by f.queue, f.repository, f.labels, s.per_repository order by first desc, since`,
  )
  const isOurs = (one: { repository: string; labels: string[] }): boolean =>
    one.labels.every((label) => labels.includes(label)) && isAllowed(one.repository)
  const closed = new Set(waiting.filter((one) => one.is_full || !isAllowed(one.repository)).map((one) => one.repository))
  const queues = new Set(waiting.filter((one) => isOurs(one) && !closed.has(one.repository)).map((one) => one.queue))
  for (const queue of queues) {
    const taken = await takeFrom(fleet, queue, { worker, isAllowed }, [...closed])
    if (taken !== null) return taken
  }
  return null
}

class NotNow extends Error {}

async function takeFrom(
  fleet: Fleet,
  queue: string,
  { worker, isAllowed }: Pick<Taker, 'worker' | 'isAllowed'>,
  closed: string[],
): Promise<TakenLease | null> {
  try {
    return await fleet.together(async (transaction) => {
      const [job] = await fleet.queue.fetch<{ key: string }>(queue, { db: transaction.db, ignoreGroups: closed })
      if (job === undefined) return null
      const { key } = job.data
      const feature = await featureIn(transaction, key)
      if (feature?.state !== 'queued' || feature.wanted !== 'run') {
        await fleet.queue.complete(queue, job, { stray: true }, { db: transaction.db }) // its feature is already in another state
        return null
      }
      if (!isAllowed(feature.repository) || !(await hasRoom(transaction, feature.repository))) throw new NotNow()
      const row = await oneRow<Feature & TakenRow>(
        transaction,
        `update ralph.features set state = 'running', turn = turn + 1, token = gen_random_uuid(), worker = $2, job = $3, job_try = $4, fruitless = fruitless + 1,
           lease_until = clock_timestamp() + make_interval(secs => (select lease_ms from ralph.settings) / 1000.0),
           started_at = coalesce(started_at, clock_timestamp()), changed_at = clock_timestamp()
         where key = $1 returning *`,
        [key, worker, job.id, job.retryCount],
      )
      return takenOf(row, { key, queue, job: job.id, jobTry: job.retryCount })
    })
  } catch (error) {
    if (error instanceof NotNow) return null // rolled back: it stays in the queue
    throw error
  }
}

type TakenRow = {
  token: string
  base: string
  head: string | null
  head_seq: number
  files: unknown
  pushing: string | null
  pushing_seq: number
  pushing_files: unknown
  outcome: unknown
  pushing_outcome: unknown
}

const takenOf = (row: Feature & TakenRow, lease: Omit<Lease, 'turn' | 'token'>): TakenLease => ({
  ...lease,
  turn: row.turn,
  token: row.token,
  repository: row.repository,
  feature: row.feature,
  base: row.base,
  branch: row.branch,
  head: row.head,
  headSeq: row.head_seq,
  ...keptIn(row.files, row.outcome),
  pushing:
    row.pushing === null ? null : { head: row.pushing, seq: row.pushing_seq, ...keptIn(row.pushing_files, row.pushing_outcome) },
})

/** Of a row's JSON, without what has another form. */
export const keptIn = (files: unknown, outcome: unknown): Pick<TakenLease, 'files' | 'outcome'> => ({
  files: Object.fromEntries(Object.entries(recordOf(files)).flatMap(([path, text]) => (isText(text) ? [[path, text]] : []))),
  outcome: isTurnResult(outcome) ? outcome : null,
})

const isTurnResult = (value: unknown): value is TurnResult =>
  hasTexts(value, 'state', 'reason') && (value['exitCode'] === null || typeof value['exitCode'] === 'number')

/** Under its own lock: two workers must not both see the last free slot. */
async function hasRoom(transaction: Transaction, repository: string): Promise<boolean> {
  const settings = await oneRow<{ per_repository: number }>(transaction, 'select per_repository from ralph.settings')
  if (settings.per_repository === 0) return true
  await transaction.query(`select pg_advisory_xact_lock(hashtextextended('ralph repository ' || $1, 0))`, [repository])
  const running = await oneRow<{ count: number }>(
    transaction,
    `select count(*)::int as count from ralph.features where repository = $1 and state = 'running'`,
    [repository],
  )
  return running.count < settings.per_repository
}

/** The leases we still hold, with what is wanted of them. The others are lost. */
export async function renewLeases(fleet: Fleet, leases: Lease[]): Promise<Map<string, Feature['wanted']>> {
  if (leases.length === 0) return new Map()
  const rows = await fleet.query<{ key: string; wanted: Feature['wanted'] }>(
    `update ralph.features f set lease_until = clock_timestamp() + make_interval(secs => s.lease_ms / 1000.0)
     from unnest($1::text[], $2::uuid[]) as mine(key, token), ralph.settings s
     where f.key = mine.key and f.token = mine.token and f.state = 'running' and f.lease_until > clock_timestamp()
     returning f.key, f.wanted`,
    [leases.map(({ key }) => key), leases.map(({ token }) => token)],
  )
  return new Map(rows.map(({ key, wanted }) => [key, wanted]))
}

export type TurnResult = {
  state: FeatureState
  exitCode: number | null
  reason: string
  /** The worker was asked to return it: nobody's failure. */
  isHandedOver?: true
}

/** Ends a turn. False: the lease was lost before, and nothing was changed. `queued`: the next worker continues. */
export async function settleTurn(fleet: Fleet, lease: Lease, settled: TurnResult): Promise<boolean> {
  return fleet.together(async (transaction) => {
    const [row] = await transaction.query<{ fruitless: number }>(
      `select fruitless from ralph.features where key = $1 and token = $2 and state = 'running' and lease_until > clock_timestamp() for update`,
      [lease.key, lease.token],
    )
    if (row === undefined) return false
    await endTurn({ fleet, transaction }, lease, { ...settled, turnsWithoutFruit: row.fruitless, isSettled: true })
    return true
  })
}

/** Takes features away from workers that have not renewed their lease. Returns how many. */
export async function freeExpiredLeases(fleet: Fleet): Promise<number> {
  return fleet.together(async (transaction) => {
    const lost = await transaction.query<Feature & { token: string; fruitless: number; job: string; job_try: number }>(
      `select * from ralph.features where state = 'running' and lease_until < clock_timestamp()
       order by lease_until limit 100 for update skip locked`,
    )
    for (const feature of lost) {
      const { key, turn, token, queue, worker, wanted, job, job_try: jobTry } = feature
      const lease = { key, turn, token, queue, job, jobTry }
      const state = wanted === 'cancel' ? 'cancelled' : wanted === 'pause' ? 'paused' : 'queued'
      const reason = `${worker ?? 'its worker'} stopped responding in turn ${turn}`
      const turnsWithoutFruit = feature.fruitless
      await endTurn({ fleet, transaction }, lease, { state, exitCode: null, reason, turnsWithoutFruit, isSettled: false })
    }
    return lost.length
  })
}

async function endTurn(
  { fleet, transaction }: { fleet: Fleet; transaction: Transaction },
  { key, queue, job, jobTry }: Lease,
  {
    state: wished,
    exitCode,
    reason,
    isHandedOver,
    turnsWithoutFruit,
    isSettled,
  }: TurnResult & { turnsWithoutFruit: number; isSettled: boolean },
): Promise<void> {
  const fruitless = isHandedOver === true ? Math.max(0, turnsWithoutFruit - 1) : turnsWithoutFruit
  const isParked = wished === 'queued' && fruitless >= mostFruitless
  const state = isParked ? 'paused' : wished
  const why = isParked ? parkedWords(fruitless, reason) : reason
  const attempt = { id: job, retryCount: jobTry }
  const { db } = transaction
  // Back to the queue as the same job; a finished one is completed.
  if (state === 'queued') {
    await fleet.queue.fail(queue, attempt, { reason: why }, { db })
    const seconds = backOffSeconds[fruitless - 1] ?? 0
    if (seconds > 0) await fleet.queue.update(queue, undefined, { id: job, startAfter: seconds, db })
  } else await fleet.queue.complete(queue, attempt, { state, reason: why }, { db })
  await transaction.query(
    `update ralph.features set state = $2, exit_code = $3, reason = $4, worker = null, lease_until = null, wanted = 'run', fruitless = $7,
       outcome = case when $6 then null else outcome end, pushing_outcome = case when $6 then null else pushing_outcome end,
       ended_at = case when $5 then clock_timestamp() end, changed_at = clock_timestamp() where key = $1`,
    [key, state, exitCode, why, state !== 'queued', isSettled, fruitless],
  )
}

const parkedWords = (turns: number, last: string): string =>
  `parked: ${turns} turns in a row ended without a finished iteration; last error: ${last}. Check its logs, then resume it`
