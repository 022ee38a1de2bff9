import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commits, endOf, eventsOf, finishes, idles, keptProjectFor, says, storiesOf, verdictsOf } from './support/loop.ts'
import { projectFor, type Steps, type TestProject } from './support/project.ts'

const movesOf = (project: TestProject): string[] =>
  eventsOf(project, 'breaker.changed').map(({ from, to, rule }) => `${from} → ${to}${rule === undefined ? '' : ` by ${rule}`}`)
const countersOf = async (project: TestProject): Promise<Record<string, { times: number; threshold: number }>> =>
  JSON.parse((await project.run('status', '--json')).out).breaker.counters

/** Commits something new, and then fails with this error. */
const breaksWith = (text: string): Steps => [...commits('a.txt', '$RALPH_ITERATION\n'), { fail: { code: 1, text } }]

test('the same error five times opens it, with progress and with other numbers in it too, and halts later runs [R-CB-2] [R-SIG-5]', async (t) => {
  const error = 'Error: parser.ts:1$RALPH_ITERATION: no such table (pid 40$RALPH_ITERATION, after $RALPH_ITERATION.5s)'
  const project = keptProjectFor(t, { script: { otherwise: breaksWith(error) } })
  const { code, out } = await project.run('run')
  assert.equal(code, 4, out)
  assert.deepEqual(verdictsOf(project), Array(5).fill('failed, made'))
  assert.match(out, /! error \(1 of 5\)/)
  for (const n of [2, 3, 4, 5]) assert.match(out, new RegExp(`the same error \\(${n} of 5\\)`))
  assert.deepEqual(movesOf(project), ['closed → half-open by same-error', 'half-open → open by same-error'])
  assert.equal(
    endOf(project).because,
    '5 of 5 iterations in a row with the same error (iterations 1, 2, 3, 4, 5): Error: parser.ts:15: no such table (pid 405, after 5.5s)',
  )
  assert.doesNotMatch(project.prompt(4), /Try another approach/)
  assert.match(project.prompt(5), /Try another approach[\s\S]*4 of 5 iterations in a row with the same error/)
  const refused = await project.run('run')
  assert.equal(refused.code, 4)
  assert.match(
    refused.err,
    /circuit breaker is OPEN since .*: 5 of 5 iterations in a row with the same error[\s\S]*ralph breaker reset/,
  )
})

test('five different errors with progress leave it closed [R-CB-2] (B04)', async (t) => {
  const errors = ['no such table', 'no such column', 'bad cast', 'disk full', 'wrong key']
  const project = projectFor(t, { script: { iterations: errors.map((error) => breaksWith(`Error: ${error}`)) } })
  const { code, out } = await project.run('run', '-n', '5')
  assert.equal(code, 1, out)
  assert.deepEqual(movesOf(project), [])
  assert.deepEqual((await countersOf(project))['same-error'], { times: 1, threshold: 5 })
})

test('a story that passes in between starts the count of errors again [R-CB-2]', async (t) => {
  const passes: Steps = [...finishes.slice(0, 3), { fail: { code: 1, text: 'Error: no such table' } }]
  const fails = breaksWith('Error: no such table')
  const project = projectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    script: { iterations: [fails, fails, passes, fails, fails] },
    config: { circuit_breaker: { same_error_threshold: 3 } },
  })
  const { code, out } = await project.run('run', '-n', '5')
  assert.equal(code, 1, out)
  const near = 'closed → half-open by same-error'
  assert.deepEqual(movesOf(project), [near, 'half-open → closed', near])
})

test('the same last words again without progress count as an error, unless --max-stuck 0 allows them [R-SIG-5] [R-CB-2]', async (t) => {
  const config = { circuit_breaker: { same_error_threshold: 2 } }
  const stuck = projectFor(t, { script: { otherwise: idles }, config })
  assert.equal((await stuck.run('run', '--max-stuck', '9')).code, 4)
  assert.equal(
    endOf(stuck).because,
    '2 of 2 iterations in a row with the same error (iterations 2, 3): it repeats: Looked around.',
  )
  const allowed = projectFor(t, { script: { otherwise: idles }, config })
  assert.equal((await allowed.run('run', '--max-stuck', '0', '-n', '4')).code, 1)
  assert.deepEqual(movesOf(allowed), [])
})

/** So many characters of its own words; they differ from one iteration to the next. */
const speaks = (chars: number): Steps => says('$RALPH_ITERATION '.padEnd(chars + 15, 'Looked around. '))

test('two short answers in a row without progress open it, one or two with progress do not [R-CB-2]', async (t) => {
  const usual = [1, 2, 3].map(() => [...commits('a.txt', '$RALPH_ITERATION\n'), ...speaks(600)])
  const short = projectFor(t, { script: { iterations: [...usual, speaks(20), speaks(20)] } })
  const { code, out } = await short.run('run')
  assert.equal(code, 4, out)
  assert.match(out, /much less output than before \(2 of 2\)/)
  assert.deepEqual(
    endOf(short).because,
    '2 of 2 iterations in a row without progress in which the agent wrote 70 % less than before (iterations 4, 5)',
  )
  const busy = projectFor(t, {
    script: { iterations: [...usual, [...commits('b.txt', '$RALPH_ITERATION\n'), ...speaks(20)]] },
  })
  assert.equal((await busy.run('run', '-n', '6')).code, 1)
  assert.deepEqual(movesOf(busy), [])
})

test('two iterations in a row with a denied tool and no progress open it; reset, it has forgotten them [R-CB-2] [R-CB-3] (B05)', async (t) => {
  const denied: Steps = [{ deny: 'Bash' }, { say: 'I may not, $RALPH_ITERATION.' }]
  const project = keptProjectFor(t, { script: { iterations: [denied, denied, finishes] } })
  const { code, out } = await project.run('run')
  assert.equal(code, 4, out)
  assert.deepEqual(movesOf(project), ['closed → half-open by permission-denied', 'half-open → open by permission-denied'])
  assert.match(project.prompt(2), /Try another approach[\s\S]*not allowed to use Bash/)
  const shown = await project.run('breaker')
  assert.match(shown.out, /^Circuit breaker: OPEN$/m)
  const lines = [
    'No progress: +2 of 3',
    'Same error: +0 of 5',
    'Short answers: +0 of 2',
    'Denied tools: +2 of 2',
    'Same failure: +0 of 2',
  ]
  for (const line of lines) assert.match(shown.out, new RegExp(`^${line} in a row$`, 'm'))
  assert.equal((await project.run('run', '--reset-circuit', '--no-archive')).code, 0)
  assert.deepEqual(await countersOf(project), {
    'no-progress': { times: 0, threshold: 3 },
    'same-error': { times: 0, threshold: 5 },
    'output-decline': { times: 0, threshold: 2 },
    'permission-denied': { times: 0, threshold: 2 },
    'stories-alike': { times: 0, threshold: 2 },
  })
})

const threeStories = [{ id: 'S-1' }, { id: 'S-2' }, { id: 'S-3' }]

test('two stories in a row that fail with the same error open it: it is not the stories [R-CB-2]', async (t) => {
  const project = projectFor(t, {
    stories: threeStories,
    config: { gates: { tests: 'echo "Error: the database is away"; exit 1' } },
  })
  const { code, out } = await project.run('run', '--max-attempts', '1')
  assert.equal(code, 4, out)
  assert.deepEqual(storiesOf(project), ['S-1', 'S-2'])
  assert.deepEqual(endOf(project), { outcome: 'stuck', because: 'two stories in a row failed with the same error: S-1, S-2' })
})

test('stories that fail with different errors, or with one that passes between them, do not [R-CB-2]', async (t) => {
  const different = projectFor(t, {
    stories: threeStories,
    config: { gates: { tests: 'test -z "$(ls S-*.txt)" || { echo "Error: $(ls S-*.txt) is wrong"; exit 1; }' } },
  })
  assert.equal((await different.run('run', '--max-attempts', '1')).code, 1)
  assert.deepEqual([endOf(different).outcome, storiesOf(different)], ['stories-failed', ['S-1', 'S-2', 'S-3']])
  const between = projectFor(t, {
    stories: threeStories,
    config: { gates: { tests: 'test ! -e S-1.txt -a ! -e S-3.txt || { echo "Error: the database is away"; exit 1; }' } },
  })
  assert.equal((await between.run('run', '--max-attempts', '1')).code, 1)
  assert.deepEqual([movesOf(between), between.passing()], [[], ['S-2']])
})

test('gate refusals never move it, however often and in whatever words; they use up the attempts of their story [R-CB-2]', async (t) => {
  const project = projectFor(t, {
    script: { otherwise: [{ flip: 'S-1' }, { say: 'Done.' }] },
    config: { gates: { tests: 'exit 1' } },
  })
  const { code, out } = await project.run('run')
  assert.equal(code, 1, out)
  assert.deepEqual([endOf(project).outcome, movesOf(project), storiesOf(project).length], ['stories-failed', [], 5])
})

test('a story’s failure restarts the count of idle iterations [R-CB-2]', async (t) => {
  const flips: Steps = [{ flip: '$RALPH_STORY' }, { say: 'Done.' }]
  const project = projectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    script: { iterations: [says('One.'), says('Two.'), flips, says('Four.'), says('Five.')] },
    config: { gates: { tests: 'exit 1' } },
  })
  const { code, out } = await project.run('run', '--max-attempts', '1', '-n', '5')
  assert.equal(code, 1, out)
  const near = 'closed → half-open by no-progress'
  assert.deepEqual(movesOf(project), [near, 'half-open → closed', near])
})

test('after the cooldown one more of the same kind opens it again, and its opposite closes it [R-CB-1] [R-CB-3]', async (t) => {
  const denied: Steps = [{ deny: 'Bash' }, { say: 'I may not, $RALPH_ITERATION.' }]
  const project = keptProjectFor(t, {
    script: { iterations: [denied, denied, denied, finishes] },
    config: { circuit_breaker: { cooldown_minutes: 30 } },
  })
  assert.equal((await project.run('run', '--max-stuck', '9')).code, 4)
  const anHourOn = (): void => {
    const log = project.read('.ralph/thing/events.jsonl')
    const earlier = (at: string): string => new Date(Date.parse(at) - 3_600_000).toISOString()
    project.write(
      '.ralph/thing/events.jsonl',
      log.replaceAll(/"at":"([^"]+)"/g, (_, at) => `"at":"${earlier(at)}"`),
    )
  }
  anHourOn()
  assert.equal((await project.run('run', '--max-stuck', '9')).code, 4)
  assert.match(project.prompt(3), /Try another approach[\s\S]*30 minutes of cooldown are over: trying once/)
  anHourOn()
  assert.equal((await project.run('run', '--max-stuck', '9', '--no-archive')).code, 0)
  const [opens, again] = ['half-open → open by permission-denied', 'open → half-open by permission-denied']
  assert.deepEqual(movesOf(project), [
    'closed → half-open by permission-denied',
    opens,
    again,
    opens,
    again,
    'half-open → closed',
  ])
})

test('an open breaker comes before used-up iterations, and a spent budget before both [R-DONE-6]', async (t) => {
  const project = projectFor(t, { script: { otherwise: idles } })
  assert.equal((await project.run('run', '-n', '3')).code, 4)
  assert.equal(endOf(project).outcome, 'stuck')
  await project.run('breaker', 'reset')
  assert.equal((await project.run('run', '-n', '3', '--max-cost', '0.025')).code, 6)
  assert.equal(endOf(project).outcome, 'budget')
})
