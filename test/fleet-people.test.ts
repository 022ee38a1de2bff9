/** People and a fleet: questions from any machine answered anywhere, pausing, cancelling, draining, limits for all. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Overview, RunData, TranscriptData } from '../src/dashboard/data/shapes.ts'
import { fleetLines } from '../src/views/fleet.ts'
import type { Status } from '../src/views/status/status.ts'
import { type FleetSketch, makeFleet, type TestFleet } from './support/fleet.ts'
import { type Postgres, startPostgres } from './support/postgres.ts'
import { projectFor } from './support/project.ts'
import { madeTrackers } from './support/trackers.ts'

let postgres: Postgres
before(async () => {
  postgres = await startPostgres()
})
after(() => postgres.remove())

async function fleetWith(t: { after(done: () => Promise<void>): void }, sketch: FleetSketch): Promise<TestFleet> {
  const fleet = await makeFleet({ init: ['--lease', '6s'], ...sketch }, postgres)
  t.after(() => fleet.remove())
  return fleet
}

const work = [
  { write: { path: '$RALPH_STORY.txt', text: 'done\n' } },
  { commit: 'feat: $RALPH_STORY' },
  { flip: '$RALPH_STORY' },
  { say: 'It is there.' },
]
const held = [{ run: 'while [ ! -e $TMPDIR/go ]; do sleep 0.1; done' }, ...work]
const go = (fleet: TestFleet): void => writeFileSync(join(fleet.base, 'go'), '')
const stateIs = (fleet: TestFleet, name: string, state: string): Promise<void> =>
  fleet.until(`${name} is ${state}`, async () => (await fleet.feature(name)).state === state)
const begun = (fleet: TestFleet, name: string, iteration = 1): Promise<void> =>
  fleet.until(`${name} has begun iteration ${iteration}`, async () =>
    (await fleet.events(name)).some((event) => event.kind === 'iteration.started' && event.iteration === iteration),
  )

/** The dashboard's page, as its browser sees it. */
async function openDashboard(fleet: TestFleet) {
  const dashboard = fleet.run('dashboard', '--fleet', fleet.url, '--no-open')
  await fleet.until('the dashboard listens', async () => /token=/.test(dashboard.said()))
  const address = /http:\/\/\S+/.exec(dashboard.said())![0]
  const { origin, searchParams } = new URL(address)
  const cookie = `ralph_${new URL(address).port}=${searchParams.get('token')}`
  const get = async <T>(path: string): Promise<T> =>
    (await fetch(`${origin}${path}`, { headers: { cookie } })).json() as Promise<T>
  const post = async (body: object): Promise<{ said?: string; problem?: string }> => {
    const headers = { cookie, origin, 'content-type': 'application/json' }
    return (await fetch(`${origin}/api/request`, { method: 'POST', headers, body: JSON.stringify(body) })).json() as Promise<{
      said?: string
    }>
  }
  return { get, post, end: () => dashboard.child.kill('SIGTERM') }
}

test('questions and blockers of any worker are in fleet status, and an answer puts the feature back into the queue', async (t) => {
  const fleet = await fleetWith(t, {
    features: { a: [{ id: 'A-1' }], b: [{ id: 'B-1' }] },
    script: {
      iterations: [[{ run: 'true' }, { say: 'I must know. <promise>DECIDE:Which port?</promise>' }], work],
      stories: { 'B-1': [[{ say: 'I cannot go on. <promise>BLOCKED:no network</promise>' }]] },
    },
  })
  await fleet.ralph('fleet', 'submit', 'a', 'b', '--repo', fleet.remote)
  const worker = fleet.worker()
  await stateIs(fleet, 'a', 'waiting')
  await stateIs(fleet, 'b', 'waiting')
  const shown = (await fleet.ralph('fleet', 'status')).out
  assert.match(shown, /^2 features: 2 waiting\n/)
  assert.match(shown, /\n {2}a A-1 asks: Which port\? \(ralph fleet answer a "…" --story A-1\)\n/)
  assert.match(shown, /\n {2}b is blocked: no network \(ralph fleet unblock b "…"\)\n/)
  assert.equal((await fleet.ralph('fleet', 'answer', 'a', '8080')).out, 'a is queued again and continues with it\n')
  await stateIs(fleet, 'a', 'completed')
  const events = await fleet.events('a')
  const answered = events.find((event) => event.kind === 'question.answered')
  assert.deepEqual(answered && { text: answered.text, story: answered.story }, { text: '8080', story: 'A-1' })
  assert.equal((await fleet.ralph('fleet', 'answer', 'a', 'again')).code, 64)
  assert.equal((await fleet.ralph('fleet', 'unblock', 'b', 'it is back')).out, 'b is queued again and continues with it\n')
  await fleet.until('b was told', async () =>
    (await fleet.events('b')).some((event) => event.kind === 'unblocked' && event.note === 'it is back'),
  )
  worker.child.kill('SIGTERM')
  assert.equal((await worker.ended).code, 0)
})

test('the dashboard shows a fleet live and answers its questions', async (t) => {
  const fleet = await fleetWith(t, {
    features: { a: [{ id: 'A-1' }], b: [{ id: 'B-1' }] },
    script: {
      iterations: [[{ run: 'true' }, { say: 'I must know. <promise>DECIDE:Which port?</promise>' }], held],
    },
  })
  await fleet.ralph('fleet', 'submit', 'a', '--repo', fleet.remote)
  const page = await openDashboard(fleet)
  fleet.worker()
  await fleet.until('the page shows the question', async () => {
    const { projects } = await page.get<Overview>('/api/projects')
    return projects[0]?.features.find(({ feature }) => feature === 'a')?.need?.kind === 'question'
  })
  const [project] = (await page.get<Overview>('/api/projects')).projects
  assert.deepEqual([project?.name, project?.path], ['remote', fleet.remote])
  await stateIs(fleet, 'a', 'waiting')
  const answer = { kind: 'answer', text: '8080', story: 'A-1' }
  assert.deepEqual(await page.post({ project: project!.id, feature: 'a', request: answer }), {
    said: 'The feature is queued again and continues with it.',
  })
  await begun(fleet, 'a', 2)
  const run = async (): Promise<RunData> => page.get<RunData>(`/api/runs/${project!.id}/a`)
  await fleet.until('the page shows it live', async () => (await run()).isLive)
  const paused = await page.post({ project: project!.id, feature: 'a', request: { kind: 'pause' } })
  assert.deepEqual(paused, { said: 'The feature pauses after this iteration and frees its worker.' })
  await page.post({ project: project!.id, feature: 'a', request: { kind: 'resume' } })
  go(fleet)
  await stateIs(fleet, 'a', 'completed')
  await fleet.until('the page shows the end', async () => (await run()).status.outcome === 'complete')
  const { steps } = await page.get<TranscriptData>(`/api/transcript/${project!.id}/a/2`)
  assert.ok(
    steps.some((step) => step.kind === 'words' && step.text.includes('It is there.')),
    JSON.stringify(steps),
  )
  page.end()
})

test('a paused feature rests without a worker and goes on as the same run; a cancelled one leaves its work on its branch', async (t) => {
  const fleet = await fleetWith(t, {
    features: { a: [{ id: 'A-1' }, { id: 'A-2' }], b: [{ id: 'B-1' }, { id: 'B-2' }] },
    script: { stories: { 'A-1': [held], 'B-2': [[{ run: 'sleep 300' }]] }, otherwise: work },
  })
  await fleet.ralph('fleet', 'submit', 'a', '--repo', fleet.remote)
  const worker = fleet.worker()
  await begun(fleet, 'a')
  assert.match((await fleet.ralph('fleet', 'pause', 'a')).out, /^a pauses after this iteration/)
  await fleet.until('its run has heard', async () => (await fleet.events('a')).some(({ kind }) => kind === 'pause.requested'))
  go(fleet)
  await stateIs(fleet, 'a', 'paused')
  const before = await fleet.feature('a')
  assert.deepEqual([before.worker, (before.status as Status).stories.complete], [null, 1])
  assert.equal((await fleet.ralph('fleet', 'resume', 'a')).out, 'a is queued\n')
  await stateIs(fleet, 'a', 'completed')
  const events = await fleet.events('a')
  assert.equal(new Set(events.map(({ run }) => run)).size, 1)
  assert.deepEqual(
    events.flatMap((event) => (event.kind === 'iteration.settled' ? [event.iteration] : [])),
    [1, 2],
  )
  await fleet.ralph('fleet', 'submit', 'b', '--repo', fleet.remote)
  await begun(fleet, 'b', 2)
  assert.match((await fleet.ralph('fleet', 'cancel', 'b')).out, /^b is being stopped by its worker/)
  await stateIs(fleet, 'b', 'cancelled')
  assert.match(fleet.git('log', '--format=%s', 'feature/b'), /feat: B-1/)
  assert.equal((await fleet.ralph('fleet', 'cancel', 'b')).out, 'b is already cancelled\n')
  worker.child.kill('SIGTERM')
  await worker.ended
})

test('a drained worker hands its feature over after the iteration, and a paused fleet takes nothing new', async (t) => {
  const fleet = await fleetWith(t, {
    features: { a: [{ id: 'A-1' }, { id: 'A-2' }] },
    script: { stories: { 'A-1': [held] }, otherwise: work },
  })
  await fleet.ralph('fleet', 'pause')
  await fleet.ralph('fleet', 'submit', 'a', '--repo', fleet.remote)
  const first = fleet.worker()
  await fleet.until('the worker is there', async () => /takes up to/.test(first.said()))
  assert.match((await fleet.ralph('fleet', 'status')).out, /^Paused \(continue with: ralph fleet resume\)\. 1 feature: 1 queued/)
  assert.equal((await fleet.feature('a')).turn, 0)
  await fleet.ralph('fleet', 'resume')
  await begun(fleet, 'a')
  assert.match((await fleet.ralph('fleet', 'drain')).out, /will finish current iterations, hand over its features and exit/)
  await fleet.until('its run has heard', async () => (await fleet.events('a')).some(({ kind }) => kind === 'pause.requested'))
  assert.match(first.said(), /taking no more features; 1 still running/)
  go(fleet)
  assert.equal((await first.ended).code, 0)
  const { state, turn, reason } = await fleet.feature('a')
  assert.deepEqual({ state, turn, reason }, { state: 'queued', turn: 1, reason: 'handed over by its worker' })
  assert.equal((await fleet.worker('--until-empty').ended).code, 0)
  assert.equal((await fleet.feature('a')).state, 'completed')
})

test('a worker that is told to stop twice hands over in the middle of an iteration, and nothing is done twice', async (t) => {
  const fleet = await fleetWith(t, {
    features: { a: [{ id: 'A-1' }, { id: 'A-2' }] },
    script: { stories: { 'A-2': [held] }, otherwise: work },
  })
  await fleet.ralph('fleet', 'submit', 'a', '--repo', fleet.remote)
  const first = fleet.worker()
  await begun(fleet, 'a', 2)
  first.child.kill('SIGTERM')
  await fleet.until('it has heard', async () => /taking no more features/.test(first.said()))
  first.child.kill('SIGTERM')
  assert.equal((await first.ended).code, 0)
  assert.deepEqual([(await fleet.feature('a')).state, (await fleet.feature('a')).worker], ['queued', null])
  go(fleet)
  assert.equal((await fleet.worker('--until-empty').ended).code, 0)
  assert.equal((await fleet.feature('a')).state, 'completed')
  const subjects = fleet.git('log', '--format=%s', 'feature/a').split('\n')
  assert.deepEqual(
    subjects.filter((subject) => subject.startsWith('feat')),
    ['feat: A-2', 'feat: A-1'],
  )
  assert.equal(new Set((await fleet.events('a')).map(({ run }) => run)).size, 1)
})

test('what an iteration left uncommitted, and what it wrote beside the code, goes on with the next worker', async (t) => {
  const fleet = await fleetWith(t, {
    features: { a: [{ id: 'A-1' }] },
    script: {
      iterations: [
        [
          { write: { path: 'half.txt', text: 'begun\n' } },
          { run: 'git add half.txt; echo loose > loose.txt; chmod +x loose.txt' },
          { say: 'More to do.' },
        ],
        [{ run: 'while [ ! -e $TMPDIR/go ]; do sleep 0.1; done' }, { say: 'Looking.' }],
        work,
      ],
    },
  })
  await fleet.ralph('fleet', 'submit', 'a', '--repo', fleet.remote)
  const first = fleet.worker()
  await begun(fleet, 'a', 2)
  await fleet.until('the first iteration is pushed', async () => (await fleet.feature('a'))['head'] !== null)
  first.child.kill('SIGKILL')
  go(fleet)
  assert.equal((await fleet.worker('--until-empty').ended).code, 0)
  assert.equal((await fleet.feature('a')).state, 'completed')
  assert.equal(fleet.git('show', 'feature/a:half.txt'), 'begun')
  assert.equal(fleet.git('show', 'feature/a:loose.txt'), 'loose')
  assert.match(fleet.git('ls-tree', 'feature/a', 'loose.txt'), /^100755/)
})

test('neither the way to the database nor the leash reaches an agent, and a repository with a login is refused', async (t) => {
  const fleet = await fleetWith(t, {
    features: { a: [{ id: 'A-1' }] },
    script: { otherwise: [{ run: 'env > $TMPDIR/seen' }, ...work] },
  })
  const refused = await fleet.ralph('fleet', 'submit', 'a', '--repo', 'https://me:key@git.example/x.git')
  assert.equal(refused.code, 64)
  assert.match(refused.err, /contains a login, which would be stored in the queue/)
  for (const wrong of ['../x', 'ext::sh -c true', '-x'])
    assert.equal((await fleet.ralph('fleet', 'submit', 'a', `--repo=${wrong}`)).code, 64)
  await fleet.ralph('fleet', 'submit', 'a', '--repo', fleet.remote)
  fleet.env['PGPASSWORD'] = 'dummy-password'
  assert.equal((await fleet.worker('--until-empty').ended).code, 0)
  const seen = readFileSync(join(fleet.base, 'seen'), 'utf8')
  assert.deepEqual(
    seen.split('\n').filter((line) => /^(PG|RALPH_FLEET)/.test(line)),
    [],
  )
})

test('a usage limit that one run meets holds for every run of the account, and no other', async (t) => {
  const fleet = await fleetWith(t, {
    features: { a: [{ id: 'A-1' }], b: [{ id: 'B-1' }], c: [{ id: 'C-1' }] },
    script: { stories: { 'A-1': [[{ limit: { until: 'in 5m' } }]] }, otherwise: work },
  })
  await fleet.ralph('fleet', 'submit', 'a', '--repo', fleet.remote)
  fleet.worker('--slots', '2')
  await fleet.until('the limit is noted', async () => {
    const [row] = await (await fleet.open()).query('select account from ralph.accounts where limited_until > clock_timestamp()')
    return row?.['account'] === 'default/scripted'
  })
  await fleet.ralph('fleet', 'submit', 'b', '--repo', fleet.remote)
  await fleet.until('b is told to wait', async () =>
    (await fleet.events('b')).some((event) => event.kind === 'call.refused' && event.by === 'usage-limit'),
  )
  assert.match(
    (await fleet.ralph('fleet', 'status')).out,
    /\nAccount default\/scripted: 1 calls, no limit, provider limit until /,
  )
  await fleet.ralph('fleet', 'submit', 'c', '--repo', fleet.remote, '--labels', 'other')
  fleet.worker('--account', 'other', '--labels', 'other')
  await stateIs(fleet, 'c', 'completed')
  assert.equal((await fleet.events('b')).filter(({ kind }) => kind === 'iteration.started').length, 0)
})

test('a label of a tracker fills the queue with the features that were imported for it, and names issues without one', async (t) => {
  const tracker = await madeTrackers.github(t)
  const made = projectFor(t)
  const { PATH: _none, ...env } = tracker.env
  Object.assign(made.env, env)
  made.git('remote', 'add', 'origin', 'git@github.com:ann/shop.git')
  assert.equal((await made.run('fleet', 'init', '--db', postgres.database('label'))).code, 0)
  const submit = (...more: string[]) => made.run('fleet', 'submit', '--from', 'github', '--label', 'agent:ready', ...more)
  const early = await submit()
  assert.deepEqual([early.code, early.out], [0, ''])
  assert.match(early.err, /^! Without a feature: 7, 9\. Import them \(ralph import --from github --label agent:ready\)/)
  assert.equal((await made.run('import', '--from', 'github', '--label', 'agent:ready', '--yes')).code, 0)
  tracker.issues[3]!.labels.push('agent:ready')
  const submitted = await submit('--priority', '3')
  assert.deepEqual(
    [submitted.code, submitted.out],
    [0, 'issue-7 is in the queue, with priority 3\nissue-9 is in the queue, with priority 3\n'],
  )
  assert.match(submitted.err, /^! Without a feature: 10\. /)
  tracker.issues[0]!.isOpen = false
  const again = await submit()
  assert.equal(again.out, 'issue-9 is in the queue already; its priority is 0 now\n')
  const { features } = JSON.parse((await made.run('fleet', 'status', '--json')).out) as {
    features: { repository: string; feature: string; state: string; priority: number }[]
  }
  assert.deepEqual(
    features.map(({ repository, feature, state, priority }) => [repository, feature, state, priority]),
    [
      ['git@github.com:ann/shop.git', 'issue-7', 'queued', 3],
      ['git@github.com:ann/shop.git', 'issue-9', 'queued', 0],
    ],
  )
  const none = await made.run('fleet', 'submit', '--from', 'github', '--label', 'nobody')
  assert.deepEqual([none.code, none.out], [0, 'No open issue has the label nobody.\n'])
  Object.assign(made.env, { GITHUB_TOKEN: tracker.wrongKey?.['GITHUB_TOKEN'] })
  assert.equal((await submit()).code, 77)
})

test('wrong words are answered with what to do', async (t) => {
  const fleet = await fleetWith(t, { features: { a: [{ id: 'A-1' }] } })
  const said = async (...args: string[]): Promise<[number | null, string]> => {
    const { code, err } = await fleet.ralph('fleet', ...args)
    return [code, err.trim().split('\n').at(-1)!]
  }
  assert.match((await said('stauts'))[1], /Did you mean status\?/)
  assert.deepEqual(await said('submit', '../x'), [
    64,
    'ralph: "../x" is not a valid feature name: use letters, digits, ".", "_" and "-", starting with a letter or digit, and not archive, templates or logs.',
  ])
  assert.match((await said('work'))[1], /No repository allowed\. /)
  assert.match((await said('cancel', 'nothing'))[1], /No feature "nothing" in this fleet/)
  assert.match((await said('init', '--calls', 'many'))[1], /such as 100\/1h/)
  assert.match((await said('init', '--lease', '1s'))[1], /from 5s to 1h/)
  assert.match((await said('drain', 'nobody'))[1], /Worker not found/)
})

test('an empty fleet says how to begin', () => {
  const lines = fleetLines({ at: '2026-01-09T12:00:00.000Z', isPaused: false, workers: [], accounts: [], features: [] })
  assert.deepEqual(lines, [
    '0 features',
    '',
    'Workers',
    '  none. Start one: ralph fleet work --allow <repository>',
    '',
    'Features',
    '  none. Submit one: ralph fleet submit <feature>',
  ])
})
