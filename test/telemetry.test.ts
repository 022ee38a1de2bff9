/** What a run tells: summary.csv, the summary at its end, the stream of events, status and why. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inLocalTime } from '../src/views/local-time.ts'
import type { StatusFile as Status } from '../src/views/status/account.ts'
import { eventsOf, finishes, idles, says } from './support/loop.ts'
import { runOf, survivors, untilEvent } from './support/processes.ts'
import { go, type ProjectSketch, prd, quickProjectFor, type Steps, type TestProject } from './support/project.ts'

async function statusOf(made: TestProject, ...args: string[]): Promise<Status> {
  const { code, out, err } = await made.run('status', '--json', ...args)
  assert.deepEqual([code, err], [0, ''])
  return JSON.parse(out)
}

/** Asks until the answer is the one waited for; the deadline only fails the test. */
async function statusWhen(made: TestProject, holds: (status: Status) => boolean): Promise<Status> {
  for (let asked = 0; asked < 100; asked++) {
    const status = await statusOf(made)
    if (holds(status)) return status
  }
  return assert.fail('status never came to say it')
}

const waitsForGo = { run: 'while [ ! -f "$TMPDIR/go" ]; do sleep 0.05; done' }

/** As pytest ends. */
const prints = (counts: string): string => `echo '=== ${counts}, 3 skipped in 0.12s ==='`
const older = (csv: string): string => csv.replace(/(,[^,\n]*){4}$/gm, '')

test('summary.csv has the known columns first, a row per iteration, and goes on over runs [R-TEL-1]', async (t) => {
  const made = quickProjectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    config: { gates: { tests: `if [ -f bad ]; then ${prints('2 failed, 9 passed')}; exit 1; else ${prints('11 passed')}; fi` } },
    script: {
      stories: {
        'S-1': [
          [{ write: { path: 'bad', text: 'no\n' } }, { commit: 'feat: S-1' }, { flip: 'S-1' }, { say: 'It is there.' }],
          [{ run: 'git rm -q bad' }, { commit: 'fix: S-1' }, { flip: 'S-1' }, { say: 'Now it is.' }],
        ],
        'S-2': [idles, finishes],
      },
    },
  })
  const first = await made.run('run', '-n', '2')
  // As an older version left it: its rows are made again, with the columns of this one.
  made.write('.ralph/thing/logs/summary.csv', older(made.read('.ralph/thing/logs/summary.csv')))
  const second = await made.run('run', '--no-archive')
  assert.deepEqual([first.code, second.code], [1, 0], second.out)
  const [header, ...rows] = made.read('.ralph/thing/logs/summary.csv').trimEnd().split('\n')
  assert.equal(
    header,
    'iteration,mode,duration_seconds,commit_hash,stories_complete,stories_total,stuck_count,timestamp,story,outcome,input_tokens,output_tokens,cost_usd,output_chars,tests_passed,tests_failed,tests_skipped,tests_by_gate',
  )
  const steady = rows.map((row) =>
    row.replace(/^(\d+,\w+),\d+,([0-9a-f]{7})?,/, (_, start, hash) => `${start},SECONDS,${hash ? 'HASH' : ''},`),
  )
  assert.deepEqual(
    steady.map((row) => row.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/, 'TIME')),
    [
      '1,implement,SECONDS,HASH,0,2,0,TIME,S-1,failed,1200,300,0.0100,12,9,2,3,tests 9/2/3',
      '2,fix,SECONDS,HASH,1,2,0,TIME,S-1,done,1200,300,0.0100,10,11,0,3,tests 11/0/3',
      '3,implement,SECONDS,,1,2,1,TIME,S-2,worked,1200,300,0.0100,14,,,,',
      '4,implement,SECONDS,HASH,2,2,0,TIME,S-2,done,1200,300,0.0100,12,11,0,3,tests 11/0/3',
    ],
  )
  assert.deepEqual(
    ['001', '002', '003', '004', '005'].map((n) => made.has(`.ralph/thing/logs/iteration-${n}.log`)),
    [true, true, true, true, false],
  )
})

/** One project for each way to end: what its agent does, and what must be told. */
const ends: { outcome: string; exit: string; next: RegExp; args?: string[]; sketch: ProjectSketch }[] = [
  {
    outcome: 'complete',
    exit: 'COMPLETE (code 0)',
    next: /^ralph diff -f thing {2}# review the commits/,
    args: ['--no-archive'],
    sketch: {},
  },
  {
    outcome: 'incomplete',
    exit: 'INCOMPLETE (code 1)',
    next: /^ralph run {2}# continues/,
    args: ['-n', '1'],
    sketch: { script: { otherwise: idles } },
  },
  {
    outcome: 'stories-failed',
    exit: 'STORIES FAILED (code 1)',
    next: /^ralph retry S-1 && ralph run {2}# fix/,
    args: ['--max-attempts', '1'],
    sketch: { config: { gates: { tests: 'exit 7' } } },
  },
  {
    outcome: 'blocked',
    exit: 'BLOCKED (code 2)',
    next: /^ralph unblock "<note>" && ralph run {2}# .*\.ralph\/thing\/blocked\.txt/,
    sketch: { script: { otherwise: says('<promise>BLOCKED:no access to the database</promise>') } },
  },
  {
    outcome: 'question',
    exit: 'DECIDE (code 3)',
    next: /^ralph answer "<your decision>" && ralph run {2}# .*\.ralph\/thing\/decide\.txt/,
    sketch: { script: { otherwise: says('<promise>DECIDE:red or blue?</promise>') } },
  },
  {
    outcome: 'stuck',
    exit: 'STUCK (code 4)',
    next: /^ralph run --reset-circuit {2}# .*iteration-001\.log/,
    args: ['--max-stuck', '1'],
    sketch: { script: { otherwise: idles } },
  },
  {
    outcome: 'testing-only',
    exit: 'TESTING ONLY (code 4)',
    next: /only ran tests/,
    sketch: {
      config: { completion: { consecutive_test_loops: 1 } },
      script: {
        otherwise: says(
          '---RALPH_STATUS---\nSTATUS: IN_PROGRESS\nWORK_TYPE: TESTING\nEXIT_SIGNAL: false\n---END_RALPH_STATUS---',
        ),
      },
    },
  },
  {
    outcome: 'limited',
    exit: 'LIMITED (code 5)',
    next: /^ralph run {2}# once the provider accepts calls again/,
    args: ['--on-limit', 'exit'],
    sketch: { script: { otherwise: [{ limit: { until: 'in 1h' } }] } },
  },
]

test('complete with uncommitted changes in the tree says so: a merge of the commits would leave them behind [R-TEL-2]', async (t) => {
  const leaves: Steps = [{ write: { path: 'code.txt', text: 'whole\n' } }, { flip: 'S-1' }, { say: 'Whole.' }]
  const made = quickProjectFor(t, { script: { otherwise: leaves } })
  made.write('mine.txt', 'half\n')
  const { code, out } = await made.run('run') // what was dirty at its start is not its own to commit
  assert.equal(code, 0, out)
  assert.match(out, /^Next: +git status {2}# commit what you want of the uncommitted changes, review the commits/m)
  assert.equal(made.git('status', '--short'), '?? mine.txt')
})

for (const { outcome, exit, next, args = [], sketch } of ends) {
  test(`an end that is ${outcome} prints the summary with what to do next, and why explains it [R-TEL-2] [R-TEL-5]`, async (t) => {
    const made = quickProjectFor(t, sketch)
    const { out } = await made.run('run', ...args)
    const lines = out.split('\n')
    const summary = Object.fromEntries(lines.flatMap((line) => (/^[A-Z][\w/ ]+: +\S/.test(line) ? [line.split(/: +(.*)/)] : [])))
    assert.deepEqual([summary['Exit'], lines.includes('Ralph Loop Summary')], [exit, true], out)
    assert.match(summary['Next'], next)
    assert.match(summary['Stories'], /^[01]\/1 complete.*, 1 attempted$/)
    assert.match(summary['Cost'], /^\$0\.0[0-9] for 1 implementer call \([\d,]+ tokens in, \d+ out\)$/)
    assert.match(summary['Log'], /^\.ralph\/thing\/logs\/summary\.csv$/)

    const why = await made.run('why')
    const ended = eventsOf(made, 'run.ended')[0]!
    assert.deepEqual([why.code, ended.outcome], [0, outcome])
    const [headline, because] = why.out.split('\n')
    const start = `Run ${ended.run} ended ${exit.replace('code', 'exit')} at `
    assert.deepEqual(
      [headline?.slice(0, start.length), /^\d\d:\d\d, just now\.$/.test(headline?.slice(start.length) ?? '')],
      [start, true],
    )
    const local = inLocalTime(ended.because, ended.at) // with the date, if it is tomorrow
    assert.equal(because, `Because:  ${local.replace(/(?<![.?!])$/, '.')}`)
    assert.match(
      why.out,
      /^What happened:\n(?: {2}Gates before the first iteration: tests\n.*\n)? {2}Iteration 1 of \d+: S-1 Story S-1\n/m,
    )
    assert.match(why.out, /^Look at: {2}ralph logs 1 {3}\(\.ralph\/thing\/logs\/iteration-001\.log\)$/m)
    assert.equal(/^Next: {5}(.*)$/m.exec(why.out)?.[1], summary['Next'])
    const { state, ...status } = await statusOf(made)
    assert.deepEqual([state, status.outcome, status.because], ['ended', outcome, ended.because])
  })
}

test('--json prints the log itself on standard output, and the words for people on standard error [R-TEL-2]', async (t) => {
  const made = quickProjectFor(t)
  const { code, out, err } = await made.run('run', '--json', '--no-archive')
  assert.equal(code, 0, err)
  const lines = out.trimEnd().split('\n')
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    made.events(),
  )
  assert.match(err, /^Iteration 1 of \d+: S-1 Story S-1$[\s\S]*^Exit: +COMPLETE \(code 0\)$/m)
})

test('--quiet prints the summary alone; --verbose shows what the agent says and uses [R-TEL-2]', async (t) => {
  const quiet = await quickProjectFor(t).run('run', '--quiet')
  assert.match(quiet.out, /^\nRalph Loop Summary\n/)
  const verbose = await quickProjectFor(t).run('run', '--verbose')
  assert.match(verbose.out, /^ {2}│ → Write S-1\.txt$[\s\S]*^ {2}│ It is there\.$/m)
})

test('status says idle before the first run, and what a live run does, to people and to programs [R-TEL-3]', async (t) => {
  const made = quickProjectFor(t, { script: { otherwise: [waitsForGo, ...finishes] }, stories: [{ id: 'S-1' }, { id: 'S-2' }] })
  const idle = await statusOf(made)
  assert.deepEqual([idle.state, idle.outcome, idle.stories.total, idle.feature], ['idle', null, 2, 'thing'])
  const run = made.start('run', '--no-archive', '-r', '9')
  await untilEvent(made, 'iteration.started')
  const { startedAt, lastEvent, run: id, pid, ...live } = await statusWhen(made, ({ story }) => story === 'S-1')
  assert.equal(pid, run.child.pid)
  assert.match(`${startedAt} ${lastEvent?.at}`, /^\S+Z \S+Z$/)
  assert.deepEqual([id, lastEvent?.kind], [runOf(made), 'iteration.started'])
  const open = { attempts: 0, proven: false, proof: null }
  assert.deepEqual(live, {
    version: 1,
    state: 'running',
    outcome: null,
    because: '',
    branch: 'main',
    head: made.git('rev-parse', 'HEAD'),
    branchNotes: [],
    feature: 'thing',
    iteration: 1,
    used: 0,
    maxIterations: 20,
    story: 'S-1',
    stories: {
      complete: 0,
      total: 2,
      unproven: 0,
      reserved: 0,
      list: [
        { id: 'S-1', title: 'Story S-1', state: 'working', ...open },
        { id: 'S-2', title: 'Story S-2', state: 'open', ...open },
      ],
    },
    breaker: {
      state: 'closed',
      idle: 0,
      threshold: 3,
      because: '',
      counters: {
        'no-progress': { times: 0, threshold: 3 },
        'same-error': { times: 0, threshold: 5 },
        'output-decline': { times: 0, threshold: 2 },
        'permission-denied': { times: 0, threshold: 2 },
        'stories-alike': { times: 0, threshold: 2 },
      },
    },
    census: {},
    failure: null,
    flaky: [],
    questions: [],
    reading: null,
    indicators: { done: [], testing: [], claims: [] },
    waiting: null,
    calls: 1,
    cost: { usd: 0, unpriced: 0, inputTokens: 0, outputTokens: 0, uncounted: 0 },
    envelopes: [],
    agent: 'scripted',
    costs: {
      calls: 0,
      ms: 0,
      costUsd: 0,
      unpriced: 0,
      provenStories: 0,
      perProvenStoryUsd: null,
      failedAttempts: 0,
      failedUsd: 0,
      byKind: [],
    },
    forecast: { kind: 'too-little', open: 2, finished: 0, needed: 5 },
    finished: [],
    callLimit: 9,
  })
  const people = await made.run('status')
  assert.match(people.out, new RegExp(`^State: +running \\(pid ${pid}\\), on S-1$`, 'm'))
  assert.match(
    (await made.run('why')).out,
    new RegExp(`^Run ${id} is running: iteration 1 is working on S-1, begun \\d\\d:\\d\\d, .*\\.\n`),
  )

  assert.equal((await made.run('pause')).code, 0)
  await untilEvent(made, 'pause.requested')
  go(made)
  await untilEvent(made, 'run.paused')
  await statusWhen(made, ({ state }) => state === 'paused')
  assert.match((await made.run('why')).out, /is paused\./)
  assert.equal((await made.run('resume')).code, 0)
  assert.equal((await run.ended).code, 0)
})

test('status says waiting while a run waits for the provider [R-TEL-3]', async (t) => {
  const made = quickProjectFor(t, { script: { iterations: [[{ overload: true }], finishes] } })
  const run = made.start('run', '--no-archive')
  await untilEvent(made, 'wait.started')
  const { waiting } = await statusWhen(made, ({ state }) => state === 'waiting')
  assert.equal(waiting?.for, 'retry')
  assert.match((await made.run('why')).out, /is waiting until (?:\d{4}-\d\d-\d\d )?\d\d:\d\d, .* \(retry\)\./)
  run.child.kill('SIGINT')
  assert.equal((await run.ended).code, 130)
})

test('a killed run is told as such, resumed as the same run, and read from the archive after its end [R-TEL-3] [R-TEL-5]', async (t) => {
  const made = quickProjectFor(t, { script: { iterations: [[{ hang: true }], finishes] } })
  const run = made.start('run')
  await untilEvent(made, 'iteration.started')
  await statusWhen(made, ({ story }) => story === 'S-1')
  run.child.kill('SIGKILL')
  await run.ended
  const id = runOf(made)
  const killed = await statusOf(made)
  assert.deepEqual([killed.state, killed.outcome, killed.run, killed.story], ['killed', null, id, 'S-1'])
  assert.match((await made.run('status')).out, /^State: +killed; run again to resume: ralph run$/m)
  assert.match((await made.run('why')).out, new RegExp(`^Run ${id} was killed after \\d\\d:\\d\\d, .*; its process is gone`))

  const { code, out } = await made.run('run')
  assert.equal(code, 0, out)
  assert.deepEqual([survivors(id), made.has('.ralph/thing')], [[], false])
  for (const args of [[], ['-f', 'thing']]) {
    const { state, outcome, run: ended, stories } = await statusOf(made, ...args)
    assert.deepEqual([state, outcome, ended, stories.complete], ['ended', 'complete', id, 1])
  }
  const why = await made.run('why', id)
  assert.match(why.out, new RegExp(`^Run ${id} ended COMPLETE \\(exit 0\\)`))
  assert.match(why.out, /^Look at: {2}ralph logs 2 {3}\(\.ralph\/logs\/\d{4}-\d\d-\d\d-thing\/iteration-002\.log\)$/m)
})

test('status reads status.json alone, however long or broken the log is [R-TEL-3]', async (t) => {
  const made = quickProjectFor(t)
  await made.run('run', '--no-archive')
  const before = await statusOf(made)
  made.write('.ralph/thing/events.jsonl', 'no JSON at all\n'.repeat(10_000))
  assert.deepEqual(await statusOf(made), before)
})

test('status tells cost per proven story, failed attempts apart, time and cost by mode, and a forecast from every feature [R-TEL-6]', async (t) => {
  const ids = ['S-1', 'S-2', 'S-3', 'S-4', 'S-5']
  const made = quickProjectFor(t, {
    stories: ids.map((id) => ({ id })),
    config: { gates: { tests: 'test ! -f red' } },
    script: {
      stories: {
        'S-1': [
          [{ write: { path: 'red', text: 'x' } }, ...finishes],
          [{ run: 'rm red' }, ...finishes],
        ],
      },
      otherwise: finishes,
    },
  })
  assert.match((await made.run('status')).out, /^State: +idle/m)
  assert.equal((await made.run('run', '--no-archive')).code, 0)
  const { costs, forecast, finished } = await statusOf(made)
  assert.deepEqual(
    [costs.calls, costs.provenStories, costs.failedAttempts, costs.byKind.map(({ mode, calls }) => [mode, calls])],
    [
      6,
      5,
      1,
      [
        ['implement', 5],
        ['fix', 1],
      ],
    ],
  )
  assert.deepEqual([forecast.kind, finished.map(({ iterations }) => iterations)], ['nothing-open', [2, 1, 1, 1, 1]])
  const { out } = await made.run('status')
  assert.match(
    out,
    /^All runs: {4}\$0\.06, 6 calls, \S+ agent time; \$0\.01 per proven story \(5 proven\); \$0\.01 on 1 failed attempt$/m,
  )
  assert.match(out, /^By mode: {5}implement \$0\.05 in \S+, fix \$0\.01 in \S+$/m)
  assert.match(out, /^Forecast: {4}no open stories$/m)
  const reported = JSON.parse((await made.run('report', '--json')).out)
  assert.deepEqual(costs, reported.costs)

  made.write('.ralph/next/prd.json', prd('next', '', [{ id: 'N-1' }, { id: 'N-2' }]))
  const next = await statusOf(made, '-f', 'next')
  assert.equal(next.state, 'idle')
  assert.equal(next.forecast.kind, 'told')
  assert.match((await made.run('status', '-f', 'next')).out, /^Forecast: {4}2 stories left: 2 to \d iterations, /m)
  await made.run('run', '-f', 'next', '-n', '1', '--no-archive')
  const later = await statusOf(made, '-f', 'next')
  assert.deepEqual(later.forecast, JSON.parse((await made.run('report', '--json', '-f', 'next')).out).forecast)
  await made.run('skip', '-f', 'next', 'N-2')
  assert.deepEqual((await statusOf(made, '-f', 'next')).forecast, { kind: 'nothing-open' })
})

test('why finds a run of a plan that was archived since, and the time of its end stays when people say more [R-TEL-5]', async (t) => {
  const made = quickProjectFor(t)
  await made.run('run')
  const [first] = (await made.run('why')).out.split('\n')
  const old = /^Run (\S+) ended COMPLETE/.exec(first!)![1]!
  made.write('.ralph/thing/prd.json', prd('thing', '', [{ id: 'S-1' }]))
  await made.run('run', '--no-archive', '-n', '1')
  const last = (await made.run('why')).out
  await made.run('say', 'well done')
  assert.equal((await made.run('why')).out, last)
  const { code, out } = await made.run('why', old)
  assert.deepEqual([code, out.split('\n')[0]], [0, first])
  assert.match(out, /^Look at: {2}ralph logs 1 {3}\(\.ralph\/logs\/\S+-thing\/iteration-001\.log\)$/m)
})

test('why takes the name of an earlier run, and an unknown one is refused [R-TEL-5]', async (t) => {
  const made = quickProjectFor(t, { script: { iterations: [idles, finishes] } })
  await made.run('run', '-n', '1')
  const first = runOf(made)
  await made.run('run', '--no-archive')
  assert.match((await made.run('why', first)).out, new RegExp(`^Run ${first} ended INCOMPLETE \\(exit 1\\)`))
  assert.match((await made.run('why')).out, /^Run \S+ ended COMPLETE \(exit 0\)/)
  const unknown = await made.run('why', 'nope')
  assert.deepEqual([unknown.code, unknown.out], [64, ''])
  assert.match(unknown.err, /^ralph: No run nope of thing\. .*\n$/)
  assert.match(unknown.err, new RegExp(first))
})
