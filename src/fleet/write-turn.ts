/** What a turn stores in the database: its events in order, what it pushed, the logs of its iterations. Nothing is written without the lease. */
import type { Status } from '../views/status/status.ts'
import type { Fleet } from './database.ts'
import type { NeedsPerson } from './features.ts'
import type { Lease, TakenLease, TurnResult } from './leases.ts'
import { oneRow } from './sql.ts'

export type LogLine = { seq: number; line: string }
/** The state at a point where the next worker could continue; with an outcome, only the report is missing. */
export type Checkpoint = { head: string; seq: number; files: Record<string, string>; outcome?: TurnResult }

/** Locks the lease's row, so that it is not taken away while we write. */
const held = `select 1 from ralph.features where key = $1 and token = $2 and state = 'running' and lease_until > clock_timestamp() for share`

/** False: the lease is lost. Repeating the same lines changes nothing. */
export async function mirror(fleet: Fleet, { key, turn, token }: Lease, lines: LogLine[]): Promise<boolean> {
  const { held: rows } = await oneRow<{ held: number }>(
    fleet,
    `with lease as materialized (${held}),
     added as (
       insert into ralph.events (key, seq, turn, line)
       select $1, one.seq, $3, one.line from unnest($4::int[], $5::text[]) as one(seq, line), lease
       on conflict (key, seq) do nothing
     )
     select count(*)::int as held from lease`,
    [key, token, turn, lines.map(({ seq }) => seq), lines.map(({ line }) => line)],
  )
  return rows > 0
}

/** What people see of a run without its log. */
export async function keepStatus(fleet: Fleet, { key, token }: Lease, status: Status, asks: NeedsPerson[]): Promise<void> {
  await fleet.query(
    `update ralph.features set status = $3, asks = $4, changed_at = clock_timestamp() where key = $1 and token = $2 and state = 'running'`,
    [key, token, JSON.stringify(status), JSON.stringify(asks)],
  )
}

/**
 * Stored before the push: if we die in it, the next worker sees from the branch whether it arrived. At least `atLeastMs` of the lease must be left,
 * so that the push ends before another worker may start. False: not allowed.
 */
export async function mayPush(
  fleet: Fleet,
  { key, token }: Lease,
  to: Checkpoint & { branch: string },
  atLeastMs: number,
): Promise<boolean> {
  const rows = await fleet.query(
    `update ralph.features set branch = $3, pushing = $4, pushing_seq = $5, pushing_files = $6, pushing_outcome = $8
     where key = $1 and token = $2 and state = 'running' and lease_until > clock_timestamp() + make_interval(secs => $7 / 1000.0)
     returning key`,
    [
      key,
      token,
      to.branch,
      to.head,
      to.seq,
      JSON.stringify(to.files),
      atLeastMs,
      to.outcome === undefined ? null : JSON.stringify(to.outcome),
    ],
  )
  return rows.length > 0
}

/**
 * The branch has it. Only finished iterations count as progress, not lost ones that were pushed. The database need not flush this at once: if it
 * crashes before, the next worker sees from the branch that the push arrived.
 */
export async function pushed(fleet: Fleet, { key, token }: Lease, isFruit: boolean): Promise<void> {
  await fleet.query(
    `with unhurried as (select set_config('synchronous_commit', 'off', true) as word)
     update ralph.features set head = pushing, head_seq = pushing_seq, files = pushing_files, outcome = pushing_outcome,
       pushing = null, fruitless = case when $3 then 0 else fruitless end,
       changed_at = clock_timestamp()
     where key = $1 and token = $2 and state = 'running' and pushing is not null
       and (select word from unhurried) = 'off'`,
    [key, token, isFruit],
  )
}

export async function keepLog(fleet: Fleet, { key, turn, token }: Lease, iteration: number, text: string): Promise<void> {
  await fleet.query(
    `with lease as materialized (${held})
     insert into ralph.logs (key, iteration, turn, text) select $1, $4, $3, $5 from lease
     on conflict (key, iteration) do update set turn = $3, text = excluded.text`,
    [key, token, turn, iteration, text],
  )
}

/** The log up to where the branch is; what came later was lost with its worker, and is deleted. */
export async function logUpTo(fleet: Fleet, { key, token }: TakenLease, seq: number): Promise<string[]> {
  await fleet.query(
    `with lease as materialized (${held})
     delete from ralph.events using lease where key = $1 and seq > $3`,
    [key, token, seq],
  )
  const rows = await fleet.query<{ line: string }>('select line from ralph.events where key = $1 and seq <= $2 order by seq', [
    key,
    seq,
  ])
  return rows.map(({ line }) => line)
}

/** What people requested, by name in the inbox. */
export async function requestsFor(fleet: Fleet, key: string, after: number): Promise<{ id: number; request: object }[]> {
  const rows = await fleet.query<{ id: string; request: object }>(
    'select id, request from ralph.requests where key = $1 and id > $2 order by id',
    [key, after],
  )
  return rows.map(({ id, request }) => ({ id: Number(id), request }))
}

/** Marks an account as limited for all workers that use it. */
export async function noteUsageLimit(fleet: Fleet, account: string, forMs: number): Promise<void> {
  await fleet.query(
    `insert into ralph.accounts (account, limited_until) values ($1, clock_timestamp() + make_interval(secs => $2 / 1000.0))
     on conflict (account) do update set limited_until = greatest(ralph.accounts.limited_until, excluded.limited_until)`,
    [account, forMs],
  )
}
