/** Who has a feature: taken from the queue, renewed, returned, and taken away from a silent worker. One statement each. */
import { EXIT, Failure, sure } from '../core/failure.ts'
import { hasTexts, isText, recordOf } from '../core/text/json.ts'
import { databaseRules, isAllowedBy } from './allowed.ts'
import type { Fleet } from './database.ts'
import type { Feature } from './features.ts'
import type { FeatureState } from './schema.ts'
import type { Sql } from './sql.ts'

/** What a worker holds: only the token of the current turn allows writing, pushing and settling. */
export type Lease = { key: string; turn: number; token: string }
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
  /** Patterns of the repositories that it may take. */
  allow: string[]
}

/** After this many turns in a row without a finished iteration, something is wrong with the feature, not with the workers. */
export const mostFruitless = 3

/** The pause before the next try, by turns without progress so far: the first may be a worker's bad luck. */
const backOffSeconds = [2, 20]

/** At most so many features for this worker: highest priority first, then the oldest. `leaseMs`: how long it has them. */
export async function takeFeatures(fleet: Fleet, taker: Taker, most: number): Promise<{ leaseMs: number; taken: TakenLease[] }> {
  const first = await takeFrom(fleet, taker, { most, isOneByOne: false })
  if (first.perRepository === 0) return first
  // Two workers must not both see the last free place of a repository: one after the other, one feature at a time.
  return fleet.together(async (transaction) => {
    await transaction.query(`select pg_advisory_xact_lock(hashtextextended('ralph repositories', 0))`)
    const all: TakenLease[] = []
    for (;;) {
      const { leaseMs, taken } = await takeFrom(transaction, taker, { most: 1, isOneByOne: true })
      all.push(...taken)
      if (taken.length === 0 || all.length >= most) return { leaseMs, taken: all }
    }
  })
}

/** Those that another worker takes at this moment are skipped. With a limit per repository, only `isOneByOne` takes any. */
async function takeFrom(
  sql: Sql,
  { worker, labels, allow }: Taker,
  { most, isOneByOne }: { most: number; isOneByOne: boolean },
): Promise<{ leaseMs: number; perRepository: number; taken: TakenLease[] }> {
  const rules = databaseRules(allow)
  const rows = await sql.query<{ lease_ms: number; per_repository: number; taken: (Feature & TakenRow) | null }>(
    'select * from ralph.take_features($1, $2, $3, $4, $5, $6)',
    [worker, labels, rules.allowed, rules.refused, most, isOneByOne],
  )
  const isAllowed = isAllowedBy(allow)
  const { lease_ms: leaseMs, per_repository: perRepository } = sure(rows[0], 'row of the settings')
  const taken = rows.flatMap((row) => row.taken ?? [])
  const foreign = taken.find(({ repository }) => !isAllowed(repository))
  if (foreign !== undefined)
    throw new Failure(EXIT.data, `The database gave a feature of ${foreign.repository}, which --allow does not name.`)
  return { leaseMs, perRepository, taken: taken.map(takenOf) }
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

const takenOf = (row: Feature & TakenRow): TakenLease => ({
  key: row.key,
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
export async function settleTurn(fleet: Fleet, { key, token }: Lease, settled: TurnResult): Promise<boolean> {
  const { state, exitCode, reason, isHandedOver = false } = settled
  const rows = await fleet.query(
    endTurns({
      which: `key = $1 and token = $2 and state = 'running' and lease_until > clock_timestamp()`,
      wished: '$3::text',
      exitCode: '$4::int',
      reason: '$5::text',
      fruitless: 'case when $6 then greatest(0, fruitless - 1) else fruitless end',
      isSettled: true,
    }),
    [key, token, state, exitCode, reason, isHandedOver],
  )
  return rows.length > 0
}

/** Takes features away from workers that have not renewed their lease. Returns how many. */
export async function freeExpiredLeases(fleet: Fleet): Promise<number> {
  const rows = await fleet.query(
    endTurns({
      which: `key in (select key from ralph.features where state = 'running' and lease_until < clock_timestamp()
        order by lease_until limit 100 for update skip locked)`,
      wished: `case wanted when 'cancel' then 'cancelled' when 'pause' then 'paused' else 'queued' end`,
      exitCode: 'null::int',
      reason: `coalesce(worker, 'its worker') || ' stopped responding in turn ' || turn`,
      fruitless: 'fruitless',
      isSettled: false,
    }),
  )
  return rows.length
}

type TurnsOver = { which: string; wished: string; exitCode: string; reason: string; fruitless: string; isSettled: boolean }

/** The turns of these features are over. What came to nothing too often is parked; what goes back to the queue waits a little at first. */
const endTurns = ({ which, wished, exitCode, reason, fruitless, isSettled }: TurnsOver): string =>
  `with ended as materialized (
     select key, ${wished} as wished, ${exitCode} as exit_code, ${reason} as said, ${fruitless} as counted
     from ralph.features where ${which} for update
   ), settled as (
     select *, case when wished = 'queued' and counted >= ${mostFruitless} then 'paused' else wished end as next from ended
   )
   update ralph.features f set state = next, exit_code = settled.exit_code, worker = null, lease_until = null, wanted = 'run',
     fruitless = counted, start_after = clock_timestamp() + make_interval(secs => (array[${backOffSeconds}])[counted]),
     reason = case when next = wished then said else 'parked: ' || counted ||
       ' turns in a row ended without a finished iteration; last error: ' || said || '. Check its logs, then resume it' end,
     ${isSettled ? 'outcome = null, pushing_outcome = null,' : ''}
     ended_at = case when next <> 'queued' then clock_timestamp() end, changed_at = clock_timestamp()
   from settled where f.key = settled.key returning f.key`
