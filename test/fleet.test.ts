/** A fleet as its users drive it: a real PostgreSQL, a real remote, workers as processes that die, sleep and wake. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { ofRun } from '../src/adapters/process/process-mark.ts'
import { findTagged } from '../src/adapters/process/survivors.ts'
import type { FleetStatus } from '../src/views/fleet.ts'
import { type FleetSketch, makeFleet, type TestFleet } from './support/fleet.ts'
import { type Postgres, startPostgres } from './support/postgres.ts'
import { ralphProgram } from './support/project.ts'

let postgres: Postgres
before(async () => {
  postgres = await startPostgres()
})
after(() => postgres.remove())

async function fleetWith(t: { after(done: () => Promise<void>): void }, sketch: FleetSketch): Promise<TestFleet> {
  const fleet = await makeFleet(sketch, postgres)
  t.after(() => fleet.remove())
  return fleet
}

const work = [
  { write: { path: '$RALPH_STORY.txt', text: 'done\n' } },
  { commit: 'feat: $RALPH_STORY' },
  { flip: '$RALPH_STORY' },
  { say: 'It is there.' },
]
/** An iteration that goes on until the test lets it: it waits for a file. */
const held = (file: string) => [{ run: `while [ ! -e ${file} ]; do sleep 0.1; done` }, ...work]
const statusOf = async (fleet: TestFleet): Promise<FleetStatus> =>
  JSON.parse((await fleet.ralph('fleet', 'status', '--json')).out) as FleetStatus

test('two features are completed by one worker, their branches pushed, their logs mirrored line by line', async (t) => {
  const fleet = await fleetWith(t, { features: { a: [{ id: 'A-1' }, { id: 'A-2' }], b: [{ id: 'B-1' }] } })
  const submitted = await fleet.ralph('fleet', 'submit', 'a', 'b', '--repo', fleet.remote, '--priority', '3')
  assert.equal(submitted.out, 'a is in the queue, with priority 3\nb is in the queue, with priority 3\n')
  const { code, out, err } = await fleet.worker('--slots', '2', '--until-empty').ended
  assert.deepEqual([code, err], [0, ''], out)
  const { features } = await statusOf(fleet)
  assert.deepEqual(
    features.map(({ feature, state, turn, branch, stories }) => ({ feature, state, turn, branch, stories })),
    [
      { feature: 'a', state: 'completed', turn: 1, branch: 'feature/a', stories: { complete: 2, total: 2 } },
      { feature: 'b', state: 'completed', turn: 1, branch: 'feature/b', stories: { complete: 1, total: 1 } },
    ],
  )
  const events = await fleet.events('a')
  assert.deepEqual([events[0]?.kind, events.at(-1)?.kind], ['run.started', 'run.ended'])
  assert.deepEqual(
    fleet
      .git('log', '--format=%s', 'feature/a')
      .split('\n')
      .filter((subject) => subject.startsWith('feat')),
    ['feat: A-2', 'feat: A-1'],
  )
  const again = await fleet.ralph('fleet', 'submit', 'a', '--repo', fleet.remote)
  assert.equal(again.code, 0)
  await fleet.worker('--until-empty').ended
  const { state, reason } = await fleet.feature('a')
  assert.equal(state, 'completed', reason) // it stays so, whoever asks again
  assert.match(reason, /^a is complete: see \.ralph\/archive\/\d{4}-\d\d-\d\d-a on feature\/a$/)
})

test('a worker that is killed is replaced: the next one goes on from the last pushed iteration, and its orphaned run ends', async (t) => {
  const fleet = await fleetWith(t, {
    features: { a: [{ id: 'A-1' }, { id: 'A-2' }] },
    script: { stories: { 'A-2': [held('$TMPDIR/go')] }, otherwise: work },
  })
  await fleet.ralph('fleet', 'submit', 'a', '--repo', fleet.remote)
  const first = fleet.worker()
  await fleet.until('A-1 is pushed and A-2 begun', async () => {
    const events = await fleet.events('a')
    return (await fleet.feature('a'))['head'] !== null && events.filter(({ kind }) => kind === 'iteration.started').length === 2
  })
  const { run } = (await fleet.events('a'))[0]!
  first.child.kill('SIGKILL')
  await fleet.until('the orphan and its agent have ended', async () => findTagged(ofRun(run)).length === 0)
  const second = fleet.worker('--until-empty')
  await fleet.until('the second worker has it', async () => (await fleet.feature('a')).turn === 2)
  await fleet.until('A-2 is begun again', async () => (await fleet.events('a')).some(({ kind }) => kind === 'run.resumed'))
  writeFileSync(join(fleet.base, 'go'), '')
  assert.equal((await second.ended).code, 0)
  const events = await fleet.events('a')
  assert.deepEqual(
    events.filter(({ kind }) => kind === 'iteration.settled').map((event) => 'iteration' in event && event.iteration),
    [1, 2],
  )
  assert.equal(new Set(events.map((event) => event.run)).size, 1) // the same run, resumed
  assert.equal(
    fleet
      .git('log', '--format=%s', 'feature/a')
      .split('\n')
      .filter((subject) => subject === 'feat: A-1').length,
    1,
  )
  assert.equal((await fleet.feature('a')).state, 'completed')
})

test('stories worked on side by side go on with the next worker, in copies that were made ready', async (t) => {
  const fleet = await fleetWith(t, {
    features: { a: [{ id: 'A-1' }, { id: 'A-2' }, { id: 'A-3' }] },
    script: { stories: { 'A-2': [held('$TMPDIR/go')], 'A-3': [held('$TMPDIR/go')] }, otherwise: work },
    config: { parallel: { workers: 2 }, worktree: { setup: 'echo . >> "$TMPDIR/made-ready"' } },
  })
  await fleet.ralph('fleet', 'submit', 'a', '--repo', fleet.remote)
  const first = fleet.worker()
  await fleet.until('A-1 is pushed, A-2 and A-3 are begun', async () => {
    const begun = (await fleet.events('a')).filter(({ kind }) => kind === 'iteration.started')
    return (await fleet.feature('a'))['head'] !== null && begun.length === 3
  })
  first.child.kill('SIGKILL')
  writeFileSync(join(fleet.base, 'go'), '')
  const second = await fleet.worker('--until-empty').ended
  const { state, reason, turn } = await fleet.feature('a')
  assert.deepEqual([state, turn], ['completed', 2], `${reason}\n${second.out}`)
  const subjects = fleet.git('log', '--format=%s', 'feature/a').split('\n')
  for (const id of ['A-1', 'A-2', 'A-3'])
    assert.equal(subjects.filter((subject) => subject === `feat: ${id}`).length, 1, subjects.join('\n'))
  assert.ok(readFileSync(join(fleet.base, 'made-ready'), 'utf8').length >= 2 * 5) // both copies, and a worktree for each story
  const left = readdirSync(join(fleet.env['HOME']!, '.ralph', 'worktrees'))
  assert.deepEqual(
    left.filter((name) => !/-1-\w+-\w+$/.test(name)),
    [],
  ) // what a killed worker left, its next start removes
})

test('a feature whose run is killed in each iteration is parked after three turns, and says why', async (t) => {
  const fleet = await fleetWith(t, {
    features: { a: [{ id: 'A-1' }] },
    script: {
      otherwise: [{ run: 'kill -9 $(grep -o \'"pid":[0-9]*\' "$RALPH_FEATURE_DIR/events.jsonl" | tail -1 | cut -d: -f2)' }],
    },
  })
  await fleet.ralph('fleet', 'submit', 'a', '--repo', fleet.remote)
  const worker = fleet.worker('--until-empty')
  const sql = await fleet.open()
  await fleet.until('it is parked', async () => {
    await sql.query('update ralph.features set start_after = null') // no pause between tries here
    return (await fleet.feature('a')).state === 'paused'
  })
  const { reason, turn } = await fleet.feature('a')
  assert.equal(turn, 3)
  assert.match(
    reason,
    /^parked: 3 turns in a row ended without a finished iteration; last error: the run of a ended with a signal/,
  )
  assert.equal((await worker.ended).code, 0)
  const calls = (await fleet.events('a')).filter(({ kind }) => kind === 'iteration.started').length
  assert.ok(calls <= 3, `${calls} iterations`)
})

test('a branch that was completed by a worker the database has forgotten makes the feature completed, not failed', async (t) => {
  const fleet = await fleetWith(t, { features: { a: [{ id: 'A-1' }] }, script: { otherwise: held('$TMPDIR/go') } })
  await fleet.ralph('fleet', 'submit', 'a', '--repo', fleet.remote)
  const worker = fleet.worker('--until-empty')
  await fleet.until('A-1 is begun', async () => (await fleet.events('a')).some(({ kind }) => kind === 'iteration.started'))
  const report = join(fleet.base, 'report.json')
  writeFileSync(report, JSON.stringify({ feature: 'a', outcome: 'complete' }))
  const index = { GIT_INDEX_FILE: join(fleet.base, 'index') }
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: fleet.remote, env: { ...fleet.env, ...index }, encoding: 'utf8' }).trim()
  git(
    'update-index',
    '--add',
    '--cacheinfo',
    `100644,${git('hash-object', '-w', report)},.ralph/archive/2026-01-09-a/report.json`,
  )
  git('update-ref', 'refs/heads/feature/a', git('commit-tree', git('write-tree'), '-p', 'main', '-m', 'complete'))
  writeFileSync(join(fleet.base, 'go'), '')
  assert.equal((await worker.ended).code, 0)
  const { state, reason } = await fleet.feature('a')
  assert.deepEqual([state, reason], ['completed', 'a is complete: see .ralph/archive/2026-01-09-a on feature/a'])
})

test("a worker ends with words where its folder is another one's, and where the database refuses a statement", async (t) => {
  const fleet = await fleetWith(t, { features: { a: [{ id: 'A-1' }] } })
  const first = fleet.worker()
  const sql = await fleet.open()
  await fleet.until('it is known', async () => (await sql.query('select 1 from ralph.workers')).length === 1)
  const second = await fleet.run('fleet', 'work', '--allow', fleet.remote, '--folder', first.folder).ended
  assert.equal(second.code, 75, second.err)
  assert.match(second.err, /^ralph: Another worker uses /)
  const contained = ['--dev-bind', '/', '/', '--unshare-pid', '--proc', '/proc', process.execPath, ralphProgram]
  const third = spawnSync('bwrap', [...contained, 'fleet', 'work', '--allow', fleet.remote, '--folder', first.folder], {
    env: fleet.env,
    encoding: 'utf8',
  })
  assert.equal(third.status, 75, third.stderr) // from a container with the same host name, too
  await sql.query(`alter table ralph.workers add check (seen_at < '2000-01-01') not valid`)
  const { code, err } = await first.ended
  assert.equal(code, 65, err)
  assert.match(err, /^ralph: The database .* rejected a statement: .*\(SQLSTATE 23514\)\.\n$/)
})

test('a worker that wakes up after its lease stops its agent and pushes nothing, and another one has done the work once', async (t) => {
  const fleet = await fleetWith(t, {
    features: { a: [{ id: 'A-1' }] },
    script: { stories: { 'A-1': [held('$TMPDIR/go')] } },
  })
  await fleet.ralph('fleet', 'submit', 'a', '--repo', fleet.remote)
  const sleeper = fleet.worker()
  await fleet.until('A-1 is begun', async () => (await fleet.events('a')).some(({ kind }) => kind === 'iteration.started'))
  const { run } = (await fleet.events('a'))[0]!
  sleeper.child.kill('SIGSTOP')
  // Its run holds to the lease by itself: before anybody else may begin, it has ended.
  await fleet.until('the sleeping worker’s run has ended', async () => findTagged(ofRun(run)).length === 0)
  assert.equal((await fleet.feature('a')).turn, 1)
  writeFileSync(join(fleet.base, 'go'), '')
  const second = fleet.worker('--until-empty')
  await fleet.until('the second worker has completed it', async () => (await fleet.feature('a')).state === 'completed')
  await second.ended
  const tip = fleet.git('rev-parse', 'feature/a')
  const before = (await fleet.events('a')).length
  sleeper.child.kill('SIGCONT')
  await fleet.until('the sleeper has noticed', async () => /a: turn 1 is lost/.test(sleeper.said()))
  sleeper.child.kill('SIGTERM')
  assert.equal((await sleeper.ended).code, 0)
  assert.deepEqual([fleet.git('rev-parse', 'feature/a'), (await fleet.events('a')).length], [tip, before])
})
