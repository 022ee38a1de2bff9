/** The state of the whole fleet, read from its tables. */
import { numberOf, recordOf } from '../core/text/json.ts'
import type { FleetStatus } from '../views/fleet.ts'
import type { Fleet } from './database.ts'
import { asksIn, type Feature } from './features.ts'
import { oneRow } from './sql.ts'

export async function fleetStatus(fleet: Fleet): Promise<FleetStatus> {
  const [settings, features, workers, accounts] = await Promise.all([
    oneRow<{ is_paused: boolean; calls: number; calls_ms: string; now: Date; lease_ms: number }>(
      fleet,
      'select *, clock_timestamp() as now from ralph.settings',
    ),
    fleet.query<Feature>('select * from ralph.features order by repository, feature'),
    fleet.query<{ id: string; slots: number; labels: string[]; wanted: string; silent_ms: string; running: number }>(
      `select w.id, w.slots, w.labels, w.wanted, (extract(epoch from clock_timestamp() - w.seen_at) * 1000)::bigint as silent_ms,
         (select count(*)::int from ralph.features f where f.worker = w.id and f.state = 'running') as running
       from ralph.workers w order by w.id`,
    ),
    fleet.query<{ account: string; used: number; calls: number | null; limited_until: Date | null }>(
      `select account, coalesce(c.used, 0)::int as used, coalesce(a.calls, s.calls) as calls,
         case when a.limited_until > clock_timestamp() then a.limited_until end as limited_until
       from ralph.settings s cross join
         (select account, count(*) filter (where at > clock_timestamp() - make_interval(secs => (select calls_ms from ralph.settings) / 1000.0)) as used
          from ralph.calls group by account) c
       full join ralph.accounts a using (account) order by account`,
    ),
  ])
  return {
    isPaused: settings.is_paused,
    at: settings.now.toISOString(),
    workers: workers.map(({ id, slots, labels, wanted, silent_ms, running }) => ({
      id,
      slots,
      running,
      labels,
      isDraining: wanted === 'drain',
      isSilent: Number(silent_ms) > settings.lease_ms,
    })),
    accounts: accounts.map(({ account, used, calls, limited_until }) => ({
      account,
      used,
      limit: calls ?? settings.calls,
      limitedUntil: limited_until?.toISOString() ?? null,
    })),
    features: features.map(({ status, ...one }) => ({
      repository: one.repository,
      feature: one.feature,
      state: one.state,
      wanted: one.wanted,
      priority: one.priority,
      labels: one.labels,
      worker: one.worker,
      turn: one.turn,
      branch: one.branch,
      reason: one.reason,
      asks: asksIn(one),
      iteration: numberOf(recordOf(status)['iteration']) ?? 0,
      stories: storiesIn(status),
      costUsd: numberOf(recordOf(recordOf(status)['cost'])['usd']) ?? null,
    })),
  }
}

/** Of a run's status; null: it has none, or one of another form. */
function storiesIn(status: unknown): { complete: number; total: number } | null {
  const { complete, total } = recordOf(recordOf(status)['stories'])
  return typeof complete === 'number' && typeof total === 'number' ? { complete, total } : null
}
