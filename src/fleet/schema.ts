/** The fleet's tables: created and migrated by `ralph fleet init`. It needs no superuser. */
import { EXIT, Failure } from '../core/failure.ts'
import { functions } from './functions.ts'
import { oneRow, type Sql } from './sql.ts'

/** The version of the tables. Increase it with every change. */
const schemaVersion = 3
/** The oldest Ralph, by the version of its tables, that can work with these: older and newer workers work side by side from there on. */
const oldestVersion = 3

type Versions = { version: number; oldest: number }

/** Safe to repeat, also while workers of the same fleet are at work. Tables of a newer version are left alone. */
export async function makeTables(sql: Sql): Promise<void> {
  const { name } = await oneRow<{ name: string | null }>(sql, `select to_regclass('ralph.settings')::text as name`)
  const found = name === null ? null : await versionsOf(sql)
  if (found !== null && isTooNew(found)) throw newer(found)
  if (found !== null && found.version > schemaVersion) return
  if (found !== null && found.version < oldestVersion) await checkNobodyWorks(sql, found)
  for (const statement of statements) await sql.query(statement)
  await sql.query('update ralph.settings set version = $1, oldest = $2', [schemaVersion, oldestVersion])
}

/** Checked first: tables of another version would be misread. */
export async function checkTables(sql: Sql, shownUrl: string): Promise<void> {
  const found = await versionsOf(sql)
  if (isTooNew(found)) throw newer(found)
  if (found.version >= schemaVersion) return
  const first =
    found.version < oldestVersion ? 'End all workers (ralph fleet drain, with the older Ralph), then update' : 'Update'
  throw new Failure(
    EXIT.data,
    `This fleet's tables have version ${found.version}; this Ralph needs version ${schemaVersion}. ${first} the tables: ralph fleet init --db ${shownUrl}`,
  )
}

async function versionsOf(sql: Sql): Promise<Versions> {
  const [row] = await sql.query<Partial<Versions>>('select * from ralph.settings') // `oldest` came with version 3
  const version = row?.version ?? 0
  return { version, oldest: row?.oldest ?? version }
}

const isTooNew = ({ oldest }: Versions): boolean => oldest > schemaVersion

const newer = ({ version }: Versions): Failure =>
  new Failure(
    EXIT.data,
    `A newer Ralph created this fleet: its tables have version ${version}, this Ralph supports version ${schemaVersion}. Update Ralph on this machine.`,
  )

/** Older workers cannot work with what the tables become. */
async function checkNobodyWorks(sql: Sql, { version }: Versions): Promise<void> {
  const workers = await sql.query<{ id: string }>(
    `select id from ralph.workers, ralph.settings where seen_at > clock_timestamp() - make_interval(secs => lease_ms / 1000.0)`,
  )
  if (workers.length === 0) return
  throw new Failure(
    EXIT.busy,
    `${workers.map(({ id }) => id).join(', ')} still work${workers.length === 1 ? 's' : ''} with tables of version ${version}. End all workers with the older Ralph (ralph fleet drain), then repeat this.`,
  )
}

/** A feature's states: waits for a worker, has one, waits for a person, paused, or over. */
export type FeatureState = 'queued' | 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'cancelled'

const statements = [
  'create schema if not exists ralph',
  // One row: settings of the whole fleet.
  `create table if not exists ralph.settings (
    is_only boolean primary key default true check (is_only),
    version integer not null default 1,
    oldest integer not null default 1,
    lease_ms integer not null default 60000,
    calls integer not null default 0,
    calls_ms bigint not null default 3600000,
    per_repository integer not null default 0,
    is_paused boolean not null default false
  )`,
  'insert into ralph.settings default values on conflict do nothing',
  'analyze ralph.settings', // else the planner expects a thousand rows, and compiles each statement that joins them for seconds
  // A row per repository and feature. "turn" counts its workers, for people. The fence is "token", new for each turn: a database restored
  // from a backup would count the same turns again.
  `create table if not exists ralph.features (
    key text primary key,
    repository text not null,
    feature text not null,
    base text not null default '',
    labels text[] not null default '{}',
    priority integer not null default 0,
    state text not null,
    wanted text not null default 'run',
    turn integer not null default 0,
    token uuid,
    worker text,
    lease_until timestamptz,
    fruitless integer not null default 0,
    branch text not null default '',
    head text,
    head_seq integer not null default 0,
    pushing text,
    pushing_seq integer not null default 0,
    files json not null default '{}',
    pushing_files json not null default '{}',
    outcome json,
    pushing_outcome json,
    status json,
    asks json not null default '[]',
    exit_code integer,
    reason text not null default '',
    submitted_at timestamptz not null default clock_timestamp(),
    queued_at timestamptz not null default clock_timestamp(),
    start_after timestamptz,
    started_at timestamptz,
    ended_at timestamptz,
    changed_at timestamptz not null default clock_timestamp()
  )`,
  'alter table ralph.features add column if not exists token uuid',
  'alter table ralph.features set (fillfactor = 70)', // rows change often, and stay on their page
  // Until version 2 the queue was in tables of another program.
  'alter table ralph.settings add column if not exists oldest integer not null default 1',
  'alter table ralph.features add column if not exists start_after timestamptz',
  `do $$ begin
    if not exists (select 1 from information_schema.columns where table_schema = 'ralph' and table_name = 'features' and column_name = 'queued_at') then
      alter table ralph.features add column queued_at timestamptz not null default clock_timestamp();
      update ralph.features set queued_at = submitted_at;
    end if;
  end $$`,
  'alter table ralph.features drop column if exists queue, drop column if exists job, drop column if exists job_try',
  'drop schema if exists ralph_queue cascade',
  // The queue: what waits for a worker, in its order. Few rows change place in it at a time, and those that somebody takes are skipped.
  `create index if not exists features_queued on ralph.features (priority desc, queued_at) where state = 'queued'`,
  `create index if not exists features_running on ralph.features (repository) where state = 'running'`,
  `create index if not exists features_by_lease on ralph.features (lease_until) where state = 'running'`,
  `create table if not exists ralph.events (
    key text not null,
    seq integer not null,
    turn integer not null,
    line text not null,
    at timestamptz not null default clock_timestamp(),
    primary key (key, seq)
  )`,
  `create table if not exists ralph.logs (
    key text not null,
    iteration integer not null,
    turn integer not null,
    text text not null,
    primary key (key, iteration)
  )`,
  `create table if not exists ralph.requests (
    id bigint generated always as identity primary key,
    key text not null,
    request json not null,
    at timestamptz not null default clock_timestamp()
  )`,
  'create index if not exists requests_by_key on ralph.requests (key, id)',
  `create table if not exists ralph.workers (
    id text primary key,
    host text not null,
    pid integer not null,
    slots integer not null,
    labels text[] not null,
    account text not null,
    wanted text not null default 'work',
    started_at timestamptz not null default clock_timestamp(),
    seen_at timestamptz not null default clock_timestamp()
  )`,
  // Every granted call, as long as it counts; and accounts that are limited, or have their own limit.
  `create table if not exists ralph.calls (
    account text not null,
    at timestamptz not null default clock_timestamp(),
    key text not null,
    turn integer not null
  )`,
  'create index if not exists calls_by_account on ralph.calls (account, at)',
  `create table if not exists ralph.accounts (
    account text primary key,
    limited_until timestamptz,
    calls integer,
    calls_ms bigint
  )`,
  ...functions,
]
