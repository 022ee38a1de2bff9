/** What the database decides for a fleet, against a real PostgreSQL: who may have a feature, who may write, who may call. */
import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { EXIT, Failure } from '../src/core/failure.ts'
import { type Fleet, isTrouble, openFleet } from '../src/fleet/database.ts'
import { ask, cancel, findFeature, keyOf, pause, resume, submit } from '../src/fleet/features.ts'
import {
  freeExpiredLeases,
  mostFruitless,
  renewLeases,
  settleTurn,
  type TakenLease,
  type Taker,
  takeFeatures,
} from '../src/fleet/leases.ts'
import { makeTables } from '../src/fleet/schema.ts'
import { logUpTo, mayPush, mirror, noteUsageLimit, pushed } from '../src/fleet/write-turn.ts'
import { type Postgres, startPostgres } from './support/postgres.ts'

let postgres: Postgres
let made = 0
before(async () => {
  postgres = await startPostgres()
})
after(() => postgres.remove())

async function newFleet(t: TestContext, url = newDatabase()): Promise<Fleet> {
  const fleet = await openFleet({ url, isNew: true })
  t.after(() => fleet.close())
  await makeTables(fleet)
  await makeTables(fleet) // again changes nothing
  return fleet
}

const newDatabase = (): string => {
  made += 1
  return postgres.database(`queue_${made}`)
}

const put = (fleet: Fleet, feature: string, more: { repository?: string; priority?: number; labels?: string[] } = {}) =>
  submit(fleet, { repository: '/repo', feature, base: '', priority: 0, labels: [], ...more })
const taker = (worker: string, more: Partial<Taker> = {}): Taker => ({ worker, labels: [], allow: ['*'], ...more })
const takeFeature = async (fleet: Fleet, by: Taker): Promise<TakenLease | null> =>
  (await takeFeatures(fleet, by, 1)).taken[0] ?? null
const expire = (fleet: Fleet) =>
  fleet.query(`update ralph.features set lease_until = clock_timestamp() - interval '1 s' where state = 'running'`)
const stateOf = async (fleet: Fleet, feature: string) => {
  const { state, turn, reason, worker } = await findFeature(fleet, feature)
  return { state, turn, reason, worker }
}
const call = async (fleet: Fleet, account: string, { key, token }: TakenLease) => {
  const [row] = await fleet.query<{ granted: boolean; wait_ms: string; reason: string }>(
    'select * from ralph.ask_call($1, $2, $3)',
    [account, key, token],
  )
  return { granted: row!.granted, reason: row!.reason, waits: Number(row!.wait_ms) > 0 }
}

test('a feature is had by one worker at a time, and one that is queued or running is not queued again', async (t) => {
  const fleet = await newFleet(t)
  assert.equal((await put(fleet, 'a')).isNew, true)
  assert.equal((await put(fleet, 'a', { priority: 7 })).isNew, false)
  const all = await Promise.all(Array.from({ length: 8 }, (_, index) => takeFeature(fleet, taker(`w${index}`))))
  assert.equal(all.filter((taken) => taken !== null).length, 1)
  assert.equal((await put(fleet, 'a')).isNew, false)
  assert.equal(await takeFeature(fleet, taker('late')), null)
})

test('a lease that ran out is taken away: the old turn can neither renew, nor write, nor push, nor settle, and the new one can', async (t) => {
  const fleet = await newFleet(t)
  await put(fleet, 'a')
  const old = (await takeFeature(fleet, taker('old')))!
  assert.deepEqual([...(await renewLeases(fleet, [old]))], [[old.key, 'run']])
  assert.equal(await mirror(fleet, old, [{ seq: 1, line: '{"n":1}' }]), true)
  assert.equal(await mayPush(fleet, old, { branch: 'b', head: 'c1', seq: 1, files: {} }, 1), true)
  await pushed(fleet, old, true)
  assert.equal(await mirror(fleet, old, [{ seq: 2, line: '{"lost":2}' }]), true)
  await expire(fleet)
  const refused = async (): Promise<unknown[]> => [
    (await renewLeases(fleet, [old])).size,
    await mirror(fleet, old, [{ seq: 3, line: '{}' }]),
    await mayPush(fleet, old, { branch: 'b', head: 'c2', seq: 3, files: {} }, 1),
    await settleTurn(fleet, old, { state: 'completed', exitCode: 0, reason: '' }),
    (await call(fleet, 'x', old)).reason,
  ]
  assert.deepEqual(await refused(), [0, false, false, false, 'lease'])
  assert.equal(await freeExpiredLeases(fleet), 1)
  assert.deepEqual(await refused(), [0, false, false, false, 'lease'])
  const next = (await takeFeature(fleet, taker('new')))!
  assert.deepEqual([next.turn, next.head, next.headSeq, next.branch], [2, 'c1', 1, 'b'])
  assert.deepEqual(await refused(), [0, false, false, false, 'lease'])
  assert.deepEqual(await logUpTo(fleet, next, next.headSeq), ['{"n":1}'])
  assert.equal(await mirror(fleet, next, [{ seq: 2, line: '{"again":2}' }]), true)
  assert.equal(await settleTurn(fleet, next, { state: 'completed', exitCode: 0, reason: 'done' }), true)
  assert.deepEqual(await stateOf(fleet, 'a'), { state: 'completed', turn: 2, reason: 'done', worker: null })
  const rows = await fleet.query('select seq, turn, line from ralph.events order by seq')
  assert.deepEqual(rows, [
    { seq: 1, turn: 1, line: '{"n":1}' },
    { seq: 2, turn: 2, line: '{"again":2}' },
  ])
})

test('a worker that died after its last push and before it said so has done its work: the next one only says it', async (t) => {
  const fleet = await newFleet(t)
  await put(fleet, 'a')
  const outcome = { state: 'completed', exitCode: 0, reason: 'every story passes' } as const
  const first = (await takeFeature(fleet, taker('w')))!
  assert.equal(await mayPush(fleet, first, { branch: 'b', head: 'c', seq: 9, files: {}, outcome }, 1), true)
  await expire(fleet)
  await freeExpiredLeases(fleet)
  await patiently(fleet)
  const second = (await takeFeature(fleet, taker('w')))!
  assert.deepEqual([second.outcome, second.pushing?.outcome], [null, outcome]) // it may have arrived: the branch will tell
  await mayPush(fleet, second, { branch: 'b', head: 'c', seq: 9, files: {}, outcome }, 1)
  await pushed(fleet, second, true)
  await expire(fleet)
  await freeExpiredLeases(fleet)
  const third = (await takeFeature(fleet, taker('w')))!
  assert.deepEqual([third.outcome, third.pushing], [outcome, null])
  await settleTurn(fleet, third, outcome)
  await put(fleet, 'a') // a person wants it again: nothing is decided any more
  assert.equal((await takeFeature(fleet, taker('w')))?.outcome, null)
})

test('a push that may not be over before the lease is refused', async (t) => {
  const fleet = await newFleet(t)
  await put(fleet, 'a')
  const taken = (await takeFeature(fleet, taker('w')))!
  assert.equal(await mayPush(fleet, taken, { branch: 'b', head: 'c', seq: 1, files: {} }, 61_000), false)
  assert.equal(await mayPush(fleet, taken, { branch: 'b', head: 'c', seq: 1, files: {} }, 10_000), true)
})

/** As if the pause before the next try were over. */
const patiently = (fleet: Fleet) => fleet.query('update ralph.features set start_after = null')

test('a turn whose only push was a lost iteration came to nothing: after three the feature is parked with the reason', async (t) => {
  const fleet = await newFleet(t)
  await put(fleet, 'a')
  for (let turn = 1; turn <= mostFruitless; turn++) {
    const taken = (await takeFeature(fleet, taker('w')))!
    await mayPush(fleet, taken, { branch: 'b', head: `c${turn}`, seq: turn, files: {} }, 1)
    await pushed(fleet, taken, false)
    await expire(fleet)
    await freeExpiredLeases(fleet)
    if (turn === mostFruitless) break
    assert.equal((await stateOf(fleet, 'a')).state, 'queued')
    assert.equal(await takeFeature(fleet, taker('w')), null, 'the next try comes after a pause')
    await patiently(fleet)
  }
  assert.deepEqual(await stateOf(fleet, 'a'), {
    state: 'paused',
    turn: mostFruitless,
    reason:
      'parked: 3 turns in a row ended without a finished iteration; last error: w stopped responding in turn 3. Check its logs, then resume it',
    worker: null,
  })
  assert.equal(await resume(fleet, keyOf('/repo', 'a')), 'queued')
  assert.notEqual(await takeFeature(fleet, taker('w')), null)
})

test('a turn with an iteration that came to its end counts anew, and one that was handed over does not count', async (t) => {
  const fleet = await newFleet(t)
  await put(fleet, 'a')
  const takePatiently = async () => {
    await patiently(fleet)
    return (await takeFeature(fleet, taker('w')))!
  }
  for (let round = 0; round < 2; round++) {
    for (let turn = 1; turn < mostFruitless; turn++) {
      await takePatiently()
      await expire(fleet)
      await freeExpiredLeases(fleet)
    }
    const taken = await takePatiently()
    await mayPush(fleet, taken, { branch: 'b', head: 'c', seq: 1, files: {} }, 1)
    await pushed(fleet, taken, true)
    await expire(fleet)
    await freeExpiredLeases(fleet)
  }
  for (let turn = 0; turn < 2 * mostFruitless; turn++)
    await settleTurn(fleet, await takePatiently(), { state: 'queued', exitCode: null, reason: 'rests', isHandedOver: true })
  assert.equal((await stateOf(fleet, 'a')).state, 'queued')
})

test('after a backup was restored the same turn number comes twice: only the worker with its token may act', async (t) => {
  const fleet = await newFleet(t)
  await put(fleet, 'a')
  await fleet.query('create table ralph.features_backup as select * from ralph.features')
  const forgotten = (await takeFeature(fleet, taker('forgotten')))!
  await fleet.query('delete from ralph.features')
  await fleet.query('insert into ralph.features select * from ralph.features_backup')
  const present = (await takeFeature(fleet, taker('present')))!
  assert.equal(present.turn, forgotten.turn)
  assert.deepEqual(
    [
      (await renewLeases(fleet, [forgotten])).size,
      await mirror(fleet, forgotten, [{ seq: 1, line: '{}' }]),
      await mayPush(fleet, forgotten, { branch: 'b', head: 'c', seq: 1, files: {} }, 1),
      await settleTurn(fleet, forgotten, { state: 'failed', exitCode: 1, reason: '' }),
      (await call(fleet, 'x', forgotten)).reason,
    ],
    [0, false, false, false, 'lease'],
  )
  assert.equal((await call(fleet, 'x', present)).granted, true)
  assert.equal(await settleTurn(fleet, present, { state: 'completed', exitCode: 0, reason: '' }), true)
})

const openingOf = (url: string) => () =>
  openFleet({ url }).then(
    (opened) => opened.close().then(() => 'opened'),
    (error: Failure) => `${error.exit} ${error.message}`,
  )

test('tables of another version are not worked with: an older Ralph is told to update itself, a newer one to update them', async (t) => {
  const url = newDatabase()
  const fleet = await newFleet(t, url)
  const opening = openingOf(url)
  assert.equal(await opening(), 'opened')
  await fleet.query('update ralph.settings set version = 99, oldest = 99')
  assert.match(
    await opening(),
    /^65 A newer Ralph created this fleet: its tables have version 99, .* Update Ralph on this machine/,
  )
  await assert.rejects(makeTables(fleet), /A newer Ralph created this fleet/)
  await fleet.query('alter table ralph.settings drop column oldest') // as they were until version 2
  await fleet.query('update ralph.settings set version = 2')
  assert.match(
    await opening(),
    /^65 This fleet's tables have version 2; .* End all workers .* update the tables: ralph fleet init --db /,
  )
  await makeTables(fleet)
  assert.equal(await opening(), 'opened')
})

test('over a change of the tables that only adds to them, older and newer workers take features side by side', async (t) => {
  const url = newDatabase()
  const fleet = await newFleet(t, url)
  for (const name of ['a', 'b']) await put(fleet, name)
  const before = await takeFeature(fleet, taker('older'))
  // What a newer Ralph does, whose workers need one more column.
  await fleet.query('alter table ralph.features add column added text')
  await fleet.query('update ralph.settings set version = version + 1')
  assert.equal(await openingOf(url)(), 'opened')
  await makeTables(fleet) // an older init leaves them alone
  const after = await takeFeature(fleet, taker('older'))
  assert.deepEqual([before?.feature, after?.feature], ['a', 'b'])
  for (const taken of [before, after])
    assert.equal(await settleTurn(fleet, taken!, { state: 'completed', exitCode: 0, reason: '' }), true)
  assert.deepEqual((await fleet.query('select version, oldest from ralph.settings'))[0], { version: 4, oldest: 3 })
})

test('the queue of an older version moves into the features, once its workers have ended', async (t) => {
  const fleet = await newFleet(t)
  await put(fleet, 'a')
  await put(fleet, 'b', { priority: 1 })
  await fleet.query('alter table ralph.settings drop column oldest')
  await fleet.query(
    'alter table ralph.features drop column queued_at, drop column start_after, add column queue text, add column job uuid',
  )
  await fleet.query('create schema ralph_queue')
  await fleet.query('update ralph.settings set version = 2')
  await fleet.query(`insert into ralph.workers (id, host, pid, slots, labels, account) values ('old-1', 'h', 1, 1, '{}', 'x')`)
  await assert.rejects(
    makeTables(fleet),
    /^Error: old-1 still works with tables of version 2\. End all workers with the older Ralph/,
  )
  await fleet.query('delete from ralph.workers')
  await makeTables(fleet)
  assert.equal((await takeFeature(fleet, taker('w')))?.feature, 'b')
  assert.equal((await takeFeature(fleet, taker('w')))?.feature, 'a')
  assert.deepEqual(await fleet.query(`select 1 from information_schema.schemata where schema_name = 'ralph_queue'`), [])
})

test('higher priorities come first over all labels, a worker takes only what its labels and its own list allow', async (t) => {
  const fleet = await newFleet(t)
  await put(fleet, 'plain')
  await put(fleet, 'urgent')
  await put(fleet, 'urgent', { priority: 9 })
  await put(fleet, 'large', { priority: 5, labels: ['big'] })
  await put(fleet, 'special', { priority: 99, labels: ['big', 'gpu'] })
  await put(fleet, 'foreign', { priority: 50, repository: '/other' })
  const allow = ['/repo']
  const order: (string | undefined)[] = []
  for (let index = 0; index < 4; index++) order.push((await takeFeature(fleet, taker('w', { labels: ['big'], allow })))?.feature)
  assert.deepEqual(order, ['urgent', 'large', 'plain', undefined])
  assert.equal((await takeFeature(fleet, taker('g', { labels: ['gpu', 'big'], allow })))?.feature, 'special')
  assert.equal((await stateOf(fleet, 'foreign')).state, 'queued')
})

test('no more features of a repository run at a time than allowed, whoever asks, and others are not held up', async (t) => {
  const fleet = await newFleet(t)
  await fleet.query('update ralph.settings set per_repository = 2')
  for (const name of ['a', 'b', 'c', 'd']) await put(fleet, name, { priority: 5 })
  await put(fleet, 'other', { repository: '/other' })
  const taken = await Promise.all(Array.from({ length: 6 }, (_, index) => takeFeature(fleet, taker(`w${index}`))))
  const had = taken.filter((one) => one !== null)
  assert.deepEqual(had.map((one) => one.repository).sort(), ['/other', '/repo', '/repo'])
  await settleTurn(fleet, had.find((one) => one.repository === '/repo')!, { state: 'completed', exitCode: 0, reason: '' })
  assert.equal((await takeFeature(fleet, taker('next')))?.repository, '/repo')
})

test('calls of all workers together stay within the limit of their account, and a usage limit holds for all of them', async (t) => {
  const fleet = await newFleet(t)
  await fleet.query('update ralph.settings set calls = 5, calls_ms = 3600000')
  await put(fleet, 'a')
  const lease = (await takeFeature(fleet, taker('w')))!
  const answers = await Promise.all(Array.from({ length: 12 }, () => call(fleet, 'team/claude', lease)))
  assert.deepEqual(
    [answers.filter(({ granted }) => granted).length, answers.filter(({ reason, waits }) => reason === 'rate' && waits).length],
    [5, 7],
  )
  assert.equal((await call(fleet, 'other/claude', lease)).granted, true)
  await fleet.query(`update ralph.calls set at = at - interval '1 hour'`)
  assert.equal((await call(fleet, 'team/claude', lease)).granted, true)
  await noteUsageLimit(fleet, 'team/claude', 60_000)
  await noteUsageLimit(fleet, 'team/claude', 1000) // the longer one stays
  assert.deepEqual(await call(fleet, 'team/claude', lease), { granted: false, reason: 'usage-limit', waits: true })
  assert.equal((await call(fleet, 'other/claude', lease)).granted, true)
})

test('what waits for a person goes back to the queue with the answer; pause, resume and cancel work in every state', async (t) => {
  const fleet = await newFleet(t)
  await put(fleet, 'a')
  const key = keyOf('/repo', 'a')
  assert.equal(await pause(fleet, key), 'paused')
  assert.equal(await takeFeature(fleet, taker('w')), null)
  assert.equal(await resume(fleet, key), 'queued')
  const lease = (await takeFeature(fleet, taker('w')))!
  assert.equal(await pause(fleet, key), 'running')
  assert.deepEqual([...(await renewLeases(fleet, [lease]))], [[key, 'pause']])
  assert.equal(await ask(fleet, key, { kind: 'said', text: 'x' }), 'live')
  await settleTurn(fleet, lease, { state: 'waiting', exitCode: 3, reason: 'asks' })
  assert.equal(await ask(fleet, key, { kind: 'said', text: 'x' }), 'kept')
  assert.equal(await ask(fleet, key, { kind: 'question.answered', text: 'yes', story: null }), 'queued')
  const second = (await takeFeature(fleet, taker('w')))!
  assert.equal(await cancel(fleet, key), 'running')
  await expire(fleet)
  await freeExpiredLeases(fleet)
  assert.deepEqual(await stateOf(fleet, 'a'), {
    state: 'cancelled',
    turn: 2,
    reason: 'w stopped responding in turn 2',
    worker: null,
  })
  assert.equal(second.turn, 2)
  assert.equal((await put(fleet, 'a')).isNew, true)
  assert.equal(await cancel(fleet, key), 'cancelled')
  assert.equal(await takeFeature(fleet, taker('w')), null)
})

test('a connection that the server ends in the middle of a transaction, or when it is given back, ends no worker', async (t) => {
  const fleet = await newFleet(t)
  for (let count = 0; count < 5; count++) {
    const broken = fleet.together(async ({ query }) => {
      const [row] = await query<{ pid: number }>('select pg_backend_pid() as pid')
      await fleet.query('select pg_terminate_backend($1)', [row!.pid])
      await query('select 1')
    })
    const error: unknown = await broken.catch((reason: unknown) => reason)
    assert.ok(isTrouble(error), String(error))
  }
  assert.deepEqual(await fleet.query('select 1 as one'), [{ one: 1 }])
})

test('a database without a fleet, one that is not there, and an address that is none say what to do', async (t) => {
  const empty = postgres.database('empty')
  const failing = async (url: string): Promise<[number, string]> => {
    const error = await openFleet({ url })
      .then(async (fleet) => t.after(() => fleet.close()))
      .catch((reason: unknown) => reason)
    assert.ok(error instanceof Failure)
    return [error.exit, error.message]
  }
  const [exit, words] = await failing(empty.replace('ralph@', 'ralph:secret-word@'))
  assert.equal(exit, EXIT.data)
  assert.equal(words, `${empty} has no fleet yet. Create one: ralph fleet init --db ${empty}`)
  assert.equal((await failing(empty.replace(/empty$/, 'nowhere')))[0], EXIT.data)
  assert.match((await failing('postgres://ralph@127.0.0.1:1/x'))[1], /is not reachable: .*ECONNREFUSED/)
  assert.deepEqual(await failing('mysql://x'), [
    EXIT.usage,
    '"mysql://x" is not a database URL; use postgres://user@host/database',
  ])
})
