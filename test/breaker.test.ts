import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commits, endOf, eventsOf, finishes, idles, keptProjectFor, says, storiesOf, verdictsOf } from './support/loop.ts'
import { projectFor, type Steps, type TestProject } from './support/project.ts'

const movesOf = (project: TestProject): string[] =>
  eventsOf(project, 'breaker.changed').map((event) => `${event.from} → ${event.to}`)
const stateOf = async (project: TestProject): Promise<string> =>
  JSON.parse((await project.run('status', '--json')).out).breaker.state

test('a commit with new content is progress; going back to what was there before is idling [R-PROG-1]', async (t) => {
  const back: Steps = [{ run: 'git revert --no-edit HEAD' }, { say: 'Took it back.' }]
  const project = projectFor(t, { script: { iterations: [commits('a.txt'), back] } })
  const { code, out } = await project.run('run')
  assert.equal(code, 4, out)
  assert.deepEqual(verdictsOf(project), ['worked, made', 'worked, idle', 'worked, idle', 'worked, idle'])
})

test('an untracked file alone is neutral: it neither counts against the agent nor for it [R-PROG-1]', async (t) => {
  const leaves = (path: string): Steps => [{ write: { path, text: 'x\n' } }, { say: 'Left something.' }]
  const project = projectFor(t, { script: { iterations: [idles, idles, leaves('a.txt'), leaves('b.txt'), idles] } })
  const { code, out } = await project.run('run')
  assert.equal(code, 4, out)
  assert.deepEqual(verdictsOf(project), ['worked, idle', 'worked, idle', 'worked, neutral', 'worked, neutral', 'worked, idle'])
  assert.deepEqual(movesOf(project), ['closed → half-open', 'half-open → open'])
})

test('a tree that was dirty before, and an agent that changes nothing: idle [R-PROG-1]', async (t) => {
  const project = projectFor(t, { script: { otherwise: idles } })
  project.write('README.md', 'my own unfinished words\n')
  const { code } = await project.run('run')
  assert.equal(code, 4)
  assert.deepEqual(verdictsOf(project), ['worked, idle', 'worked, idle', 'worked, idle'])
  assert.equal(project.read('README.md'), 'my own unfinished words\n')
})

test('what an agent does under .ralph/ is no progress [R-PROG-1]', async (t) => {
  const scribbles: Steps = [
    { append: { path: '.ralph/thing/notes.md', text: 'x\n' } },
    { commit: 'docs: notes' },
    { say: 'Noted.' },
  ]
  const project = projectFor(t, { script: { otherwise: scribbles } })
  assert.equal((await project.run('run')).code, 4)
  assert.deepEqual(verdictsOf(project), ['worked, idle', 'worked, idle', 'worked, idle'])
})

test('outside git the content of the files takes the place of commits [R-PROG-1]', async (t) => {
  const write = (text: string): Steps => [{ write: { path: 'a.txt', text } }, { say: 'Wrote.' }]
  const project = projectFor(t, {
    isGit: false,
    script: { iterations: [write('one'), write('two'), write('one'), write('two'), idles] },
  })
  const { code, out } = await project.run('run')
  assert.equal(code, 4, out)
  assert.match(out, /not a git repository/)
  assert.deepEqual(verdictsOf(project), ['worked, made', 'worked, made', 'worked, idle', 'worked, idle', 'worked, idle'])
})

test('three honest completions in a row are not stuck [R-PROG-1]', async (t) => {
  const project = projectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }, { id: 'S-3' }],
    script: { otherwise: [{ flip: '$RALPH_STORY' }, { say: 'It was there already.' }] },
  })
  const { code, out } = await project.run('run', '--no-archive', '--max-stuck', '2')
  assert.equal(code, 0, out)
  assert.deepEqual(movesOf(project), [])
})

test('three idle iterations open the breaker: each warns with n of 3, the last says what to do [R-CB-1] [R-CB-5]', async (t) => {
  const project = keptProjectFor(t, { script: { otherwise: idles } })
  const { code, out } = await project.run('run')
  assert.equal(code, 4, out)
  for (const n of [1, 2, 3]) assert.match(out, new RegExp(`no progress \\(${n} of 3\\)`))
  assert.deepEqual(movesOf(project), ['closed → half-open', 'half-open → open'])
  assert.deepEqual(endOf(project), {
    outcome: 'stuck',
    because: '3 of 3 iterations in a row without progress (iterations 1, 2, 3)',
  })
  assert.match(out, /ralph run --reset-circuit {2}# first read .*iteration-003\.log/)
  assert.doesNotMatch(project.prompt(2), /Try another approach/)
  assert.match(project.prompt(3), /Try another approach/)
  assert.deepEqual(project.passing(), [])
})

const resets: { how: string; args: string[] }[] = [
  { how: 'ralph breaker reset', args: ['breaker', 'reset'] },
  { how: 'ralph --cb-reset', args: ['--cb-reset'] },
  { how: 'ralph --reset-circuit', args: ['--reset-circuit'] },
]
for (const { how, args } of resets) {
  test(`an open breaker refuses every run until ${how} [R-CB-1] [R-CB-3]`, async (t) => {
    const project = projectFor(t, { script: { iterations: [idles, finishes] } })
    assert.equal((await project.run('run', '--max-stuck', '1')).code, 4)
    for (let again = 0; again < 2; again++) {
      const refused = await project.run('run', '--max-stuck', '1')
      assert.equal(refused.code, 4)
      assert.match(refused.err, /circuit breaker is OPEN.*1 of 1 iterations in a row without progress \(iteration 1\)/)
      assert.match(refused.err, /ralph breaker reset/)
    }
    assert.equal(storiesOf(project).length, 1)
    const reset = await project.run(...args)
    assert.equal(reset.code, 0, reset.err)
    assert.equal(await stateOf(project), 'closed')
    const { code, out } = await project.run('run', '--max-stuck', '1', '--no-archive')
    assert.equal(code, 0, out)
  })
}

test('ralph run --reset-circuit closes the breaker and runs [R-CB-3]', async (t) => {
  const project = projectFor(t, { script: { iterations: [idles, finishes] } })
  assert.equal((await project.run('run', '--max-stuck', '1')).code, 4)
  const { code, out } = await project.run('run', '--reset-circuit', '--no-archive')
  assert.equal(code, 0, out)
})

test('ralph breaker and ralph --cb-status show state, counter and history, the reset too [R-CB-3]', async (t) => {
  const project = projectFor(t, { script: { otherwise: idles } })
  await project.run('run')
  for (const args of [['breaker'], ['--cb-status']]) {
    const { code, out } = await project.run(...args)
    assert.equal(code, 0)
    assert.match(out, /Circuit breaker: OPEN/)
    assert.match(out, /No progress: +3 of 3 in a row/)
    assert.match(out, /CLOSED → HALF_OPEN, 2 of 3/)
    assert.match(out, /HALF_OPEN → OPEN, 3 of 3/)
  }
  await project.run('breaker', 'reset')
  const { out } = await project.run('breaker')
  assert.match(out, /Circuit breaker: CLOSED/)
  assert.match(out, /OPEN → CLOSED, reset by hand/)
})

test('progress closes a half-open breaker and starts the count again [R-CB-1]', async (t) => {
  const project = projectFor(t, { script: { iterations: [idles, idles, commits('a.txt'), idles, idles, commits('b.txt')] } })
  const { code, out } = await project.run('run', '-n', '6')
  assert.equal(code, 1, out)
  const there = 'closed → half-open'
  assert.deepEqual(movesOf(project), [there, 'half-open → closed', there, 'half-open → closed'])
})

test('the count survives the end of a run: the next one goes on with it [R-CB-5]', async (t) => {
  const project = keptProjectFor(t, { script: { otherwise: idles } })
  assert.equal((await project.run('run', '-n', '1')).code, 1)
  assert.equal((await project.run('run', '-n', '1')).code, 1)
  assert.equal(await stateOf(project), 'half-open')
  const third = await project.run('run', '-n', '5')
  assert.equal(third.code, 4)
  assert.match(third.out, /no progress \(3 of 3\)/)
  assert.match(project.prompt(3), /Try another approach/)
})

test('--max-stuck 0 turns it off [R-CB-1]', async (t) => {
  const project = projectFor(t, { script: { otherwise: idles } })
  const { code, out } = await project.run('run', '--max-stuck', '0', '-n', '5')
  assert.equal(code, 1, out)
  assert.deepEqual(movesOf(project), [])
})

test('a question without progress leaves the count alone, and the next prompt says how to decide [R-CB-1]', async (t) => {
  const project = keptProjectFor(t, { script: { iterations: [idles, says('Should I use the red one or the blue one?'), idles] } })
  await project.run('run', '-n', '3')
  assert.match(project.prompt(3), /ended with a question, but nobody is there to answer/)
  assert.equal(await stateOf(project), 'half-open')
})

test('an agent that fails every time opens the breaker, and its story does not pass [R-CB-1]', async (t) => {
  const project = projectFor(t, { script: { otherwise: [{ fail: { code: 1, text: 'no such model' } }] } })
  const { code, out } = await project.run('run')
  assert.equal(code, 4, out)
  assert.ok(storiesOf(project).length <= 5)
  assert.deepEqual(project.passing(), [])
})

/** As if all that is in the log had happened so many years later. */
function moveLog(project: TestProject, years: number): void {
  const log = project.read('.ralph/thing/events.jsonl')
  project.write(
    '.ralph/thing/events.jsonl',
    log.replaceAll(/"at":"(\d{4})/g, (_, year) => `"at":"${Number(year) + years}`),
  )
}

test('after the cooldown an open breaker tries once more, and one more idle iteration opens it again [R-CB-3]', async (t) => {
  const project = keptProjectFor(t, { script: { otherwise: idles }, config: { circuit_breaker: { cooldown_minutes: 30 } } })
  assert.equal((await project.run('run')).code, 4)
  assert.equal((await project.run('run')).code, 4)
  assert.equal(storiesOf(project).length, 3) // too early for another try
  moveLog(project, -1)
  const { code, out } = await project.run('run')
  assert.equal(code, 4, out)
  assert.deepEqual(movesOf(project), ['closed → half-open', 'half-open → open', 'open → half-open', 'half-open → open'])
  assert.equal(storiesOf(project).length, 4)
  assert.match(project.prompt(4), /Try another approach/)
})

test('a clock that jumped back does not cool an open breaker [R-CB-3] (B07)', async (t) => {
  const project = projectFor(t, { script: { otherwise: idles }, config: { circuit_breaker: { cooldown_minutes: 30 } } })
  await project.run('run')
  moveLog(project, 1)
  assert.equal((await project.run('run')).code, 4)
  assert.equal(storiesOf(project).length, 3)
})
