/** The fleet's tables: created and migrated by `ralph fleet init`. It needs no superuser. */
import { EXIT, Failure } from '../core/failure.ts'
import { oneRow, type Sql } from './sql.ts'

/** The version of the tables. Increase it with every change. */
const schemaVersion = 2

/** Safe to repeat. Tables of a newer version are left alone. */
export async function makeTables(sql: Sql): Promise<void> {
  const { name } = await oneRow<{ name: string | null }>(sql, `select to_regclass('ralph.settings')::text as name`)
  if (name !== null && (await versionOf(sql)) > schemaVersion) throw newer(await versionOf(sql))
  for (const statement of statements) await sql.query(statement)
  await sql.query('update ralph.settings set version = $1', [schemaVersion])
}

/** Checked first: tables of another version would be misread. */
export async function checkTables(sql: Sql, shownUrl: string): Promise<void> {
  const version = await versionOf(sql)
  if (version > schemaVersion) throw newer(version)
  if (version < schemaVersion)
    throw new Failure(
      EXIT.data,
      `This fleet's tables have version ${version}; this Ralph needs version ${schemaVersion}. End all workers (ralph fleet drain, with the older Ralph), then update the tables: ralph fleet init --db ${shownUrl}`,
    )
}

async function versionOf(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ version: number }>('select version from ralph.settings')
  return row?.version ?? 0
}

const newer = (version: number): Failure =>
  new Failure(
    EXIT.data,
    `A newer Ralph created this fleet: its tables have version ${version}, this Ralph supports version ${schemaVersion}. Update Ralph on this machine.`,
  )

/** A feature's states: waits for a worker, has one, waits for a person, paused, or over. */
export type FeatureState = 'queued' | 'running' | 'waiting' | 'paused' | 'completed' | 'failed' | 'cancelled'

const statements = [
  'create schema if not exists ralph',
  // One row: settings of the whole fleet.
  `create table if not exists ralph.settings (
    is_only boolean primary key default true check (is_only),
    version integer not null default 1,
    lease_ms integer not null default 60000,
    calls integer not null default 0,
    calls_ms bigint not null default 3600000,
    per_repository integer not null default 0,
    is_paused boolean not null default false
  )`,
  'insert into ralph.settings default values on conflict do nothing',
  // A row per repository and feature. "turn" counts its workers, for people. The fence is "token", new for each turn: a database restored
  // from a backup would count the same turns again.
  `create table if not exists ralph.features (
    key text primary key,
    repository text not null,
    feature text not null,
    base text not null default '',
    labels text[] not null default '{}',
    queue text not null,
    priority integer not null default 0,
    state text not null,
    wanted text not null default 'run',
    job uuid,
    job_try integer,
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
    started_at timestamptz,
    ended_at timestamptz,
    changed_at timestamptz not null default clock_timestamp()
  )`,
  'alter table ralph.features add column if not exists token uuid',
  'create index if not exists features_by_state on ralph.features (state, queue, priority desc, submitted_at)',
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
  'drop function if exists ralph.ask_call(text, text, integer)',
  // One round trip, one lock per account: answers in order, by the clock of the database alone.
  `create or replace function ralph.ask_call(
    asked_account text, asked_key text, asked_token uuid,
    out granted boolean, out wait_ms bigint, out reason text
  ) language plpgsql as $$
  declare
    asked_turn integer;
    most integer;
    span interval;
    used integer;
    right_now timestamptz;
    until timestamptz;
  begin
    granted := false;
    perform pg_advisory_xact_lock(hashtextextended('ralph call ' || asked_account, 0));
    right_now := clock_timestamp();
    select turn into asked_turn from ralph.features
      where key = asked_key and token = asked_token and state = 'running' and lease_until > right_now;
    if not found then
      reason := 'lease';
      wait_ms := 0;
      return;
    end if;
    select limited_until into until from ralph.accounts where account = asked_account and limited_until > right_now;
    if found then
      reason := 'usage-limit';
      wait_ms := ceil(extract(epoch from until - right_now) * 1000);
      return;
    end if;
    select coalesce(a.calls, s.calls), make_interval(secs => coalesce(a.calls_ms, s.calls_ms) / 1000.0)
      into most, span
      from ralph.settings s left join ralph.accounts a on a.account = asked_account;
    if most > 0 then
      select count(*) into used from ralph.calls where account = asked_account and at > right_now - span;
      if used >= most then
        select at + span into until from ralph.calls
          where account = asked_account and at > right_now - span order by at desc offset most - 1 limit 1;
        reason := 'rate';
        wait_ms := ceil(extract(epoch from until - right_now) * 1000);
        return;
      end if;
    end if;
    insert into ralph.calls (account, at, key, turn) values (asked_account, right_now, asked_key, asked_turn);
    granted := true;
    wait_ms := 0;
    reason := '';
  end $$`,
]
