/** What a worker asks most often, as functions of the database: one round trip each, and planned once per connection. */

export const functions = [
  // The queue: highest priority first, then the oldest; what another worker takes at this moment is skipped. A row without `taken`: the settings alone.
  // With a limit per repository, only `one_by_one` takes any. The order comes from the index, however many features wait.
  `create or replace function ralph.take_features(
    taker text, has_labels text[], allowed text[], refused text, most integer, one_by_one boolean
  ) returns table (lease_ms integer, per_repository integer, taken json) language plpgsql
  set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set jit = off as $$
  #variable_conflict use_column
  declare
    s ralph.settings;
    one ralph.features;
  begin
    select * into s from ralph.settings;
    lease_ms := s.lease_ms;
    per_repository := s.per_repository;
    if not s.is_paused and (s.per_repository = 0 or one_by_one) then
      for one in
        update ralph.features f set state = 'running', turn = turn + 1, token = gen_random_uuid(), worker = taker, fruitless = fruitless + 1,
          lease_until = clock_timestamp() + make_interval(secs => s.lease_ms / 1000.0),
          started_at = coalesce(started_at, clock_timestamp()), changed_at = clock_timestamp()
        where f.key = any (array(
          select q.key from ralph.features q
          where q.state = 'queued' and (q.start_after is null or q.start_after <= clock_timestamp())
            and q.labels <@ has_labels and q.repository ~ any (allowed) and q.repository !~ refused
            and (s.per_repository = 0 or s.per_repository >
              (select count(*) from ralph.features r where r.repository = q.repository and r.state = 'running'))
          order by q.priority desc, q.queued_at limit most for update skip locked))
        returning f.*
      loop
        taken := row_to_json(one);
        return next;
      end loop;
    end if;
    taken := null;
    return next;
  end $$`,
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
