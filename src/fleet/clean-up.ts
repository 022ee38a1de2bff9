/** Removes what nobody needs any more: calls that no longer count, and workers long gone. */
import type { Fleet } from './database.ts'

/** Any worker may do this; the fleet's history stays in its features and their logs. */
export async function sweep(fleet: Fleet): Promise<void> {
  await fleet.query(
    `delete from ralph.calls where at < clock_timestamp() - greatest(interval '1 day',
       make_interval(secs => (select greatest(max(s.calls_ms), max(a.calls_ms)) from ralph.settings s left join ralph.accounts a on true) / 1000.0))`,
  )
  await fleet.query(`delete from ralph.workers where seen_at < clock_timestamp() - interval '1 day'`)
}
