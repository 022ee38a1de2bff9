import assert from 'node:assert/strict'
import { chmodSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { endOf, eventsOf, finishes, idles, says } from './support/loop.ts'
import { type ProjectSketch, projectFor, type Steps } from './support/project.ts'

/** Plays one answer after the other on a plan that stays open, and gives what each was read as. */
async function readings(t: TestContext, iterations: Steps[], sketch: ProjectSketch = {}) {
  const project = projectFor(t, { ...sketch, script: { iterations } })
  const { code, out } = await project.run('run', '-n', String(iterations.length), '--max-stuck', '0')
  assert.equal(code, 1, out)
  return eventsOf(project, 'iteration.ended').map(({ reading, signals }) => ({
    status: reading.status,
    signals: signals.map((signal) => signal.kind).join(' '),
  }))
}

const done = '<promise>COMPLETE</promise>'
const fence = '```'

test('a promise counts only where it is meant: not negated, quoted, fenced, earlier, or from elsewhere [R-SIG-1]', async (t) => {
  const answers: Steps[] = [
    says(`I am not replying with ${done} yet.`),
    says(`When finished I will print ${done}`),
    says(`${done} is what I shall print at the end.`),
    says(`An example:\n${fence}\n${done}\n${fence}\nThat was it.`),
    says('<promise>BLOCKED:</promise>'),
    says('<promise>DECIDE:   \n </promise>'),
    [{ say: `All is there.\n${done}` }, { say: 'One more thing to look at.' }],
    [{ sub: done }, { say: 'My helper has looked.' }],
    [{ tool: { name: 'Bash', target: 'cat notes.md', text: done } }, { say: 'I have read the notes.' }],
    [{ write: { path: 'note.md', text: `${done}\n` } }, { read: 'note.md' }, { say: 'I have read it.' }],
    [{ print: done }, { stderr: done }, { say: 'A warning was printed.' }],
  ]
  const read = await readings(t, answers)
  assert.deepEqual(
    read.map(({ signals }) => signals),
    answers.map(() => ''),
  )
})

test('a promise at the end of the final message is a claim, also in markup and after others [R-SIG-1]', async (t) => {
  const read = await readings(t, [
    says(`Everything works.\n\n${done}`),
    says(`Everything works. **${done}**`),
    says(`<promise>BLOCKED:no key</promise>\nFound the key after all.\n${done}`),
    says(`At the end:\n${fence}\n${done}\n${fence}\n`),
  ])
  assert.deepEqual(
    read.map(({ signals }) => signals),
    ['claimed-done', 'claimed-done', 'claimed-done', 'claimed-done'],
  )
})

test('BLOCKED ends the run with 2 and keeps the reason, of several lines too [R-SIG-1]', async (t) => {
  const project = projectFor(t, { script: { otherwise: says('<promise>BLOCKED:no key\nfor the bank</promise>') } })
  const { code, out } = await project.run('run')
  assert.equal(code, 2, out)
  assert.match(project.read('.ralph/thing/blocked.txt'), /no key\nfor the bank/)
  assert.equal(endOf(project).outcome, 'blocked')
})

test('DECIDE ends the run with 3 and asks the question [R-SIG-1]', async (t) => {
  const project = projectFor(t, { script: { otherwise: says('<promise>DECIDE:Red or blue?</promise>') } })
  const { code, out } = await project.run('run')
  assert.equal(code, 3, out)
  assert.match(project.read('.ralph/thing/decide.txt'), /Red or blue\?/)
  assert.equal(endOf(project).outcome, 'question')
})

test('an empty completion string turns the promise off [R-SIG-1]', async (t) => {
  const [read] = await readings(t, [says(`It works.\n${done}`)], { config: { completion: { promise: '' } } })
  assert.equal(read?.signals, '')
})

const block = (...lines: string[]): string => ['---RALPH_STATUS---', ...lines, '---END_RALPH_STATUS---'].join('\n')

test('a status block says what it says, in any case and spacing, and an explicit false wins [R-SIG-2]', async (t) => {
  const read = await readings(t, [
    says(block('STATUS: COMPLETE', 'EXIT_SIGNAL: true')),
    says(block('STATUS: COMPLETE', 'EXIT_SIGNAL: false', 'RECOMMENDATION: all done, everything complete')),
    says('RALPH_STATUS:\r\n  status :  complete\r\n  exit_signal: TRUE\r\n  MOOD: fine'),
    says(
      `${fence}\n${block('STATUS: COMPLETE', 'EXIT_SIGNAL: true')}\n${fence}\n${block('STATUS: IN_PROGRESS', 'EXIT_SIGNAL: false')}`,
    ),
    says(`${block('STATUS: COMPLETE', 'EXIT_SIGNAL: true')}\n${block('STATUS: IN_PROGRESS')}`),
    says(block('STATUS: IN_PROGRESS', 'WORK_TYPE: TESTING')),
    says('Prose that mentions RALPH_STATUS: and EXIT_SIGNAL: true in passing.'),
  ])
  assert.deepEqual(read, [
    { status: 'complete', signals: 'claimed-done' },
    { status: 'in-progress', signals: '' },
    { status: 'complete', signals: 'claimed-done' },
    { status: 'in-progress', signals: '' },
    { status: 'in-progress', signals: '' },
    { status: 'testing', signals: 'testing-only' },
    { status: 'in-progress', signals: '' },
  ])
})

test('STATUS: BLOCKED is BLOCKED, with the recommendation as its reason [R-SIG-2]', async (t) => {
  const project = projectFor(t, { script: { otherwise: says(block('STATUS: BLOCKED', 'RECOMMENDATION: start the database')) } })
  assert.equal((await project.run('run')).code, 2)
  assert.match(project.read('.ralph/thing/blocked.txt'), /start the database/)
})

test('between a promise and a status block the later counts [R-SIG-1] [R-SIG-2]', async (t) => {
  const open = block('STATUS: IN_PROGRESS', 'EXIT_SIGNAL: false')
  const read = await readings(t, [says(`${done}\n\n${open}`), says(`${open}\n\n${done}`)])
  assert.deepEqual(
    read.map(({ signals }) => signals),
    ['', 'claimed-done'],
  )
})

test('plain words label an answer in a fixed order, with negation understood [R-SIG-3]', async (t) => {
  const read = await readings(t, [
    says('Running tests with npm test; all tasks complete.'),
    says('There was nothing to do.'),
    says('All tasks complete.'),
    says('It failed: cannot find the module.'),
    says('Not done yet, I will continue.'),
    says('Dependencies are up to date. Writing the feature now.'),
    [{ say: 'All tasks complete.' }, { say: 'Reading on.' }],
  ])
  assert.deepEqual(read, [
    { status: 'testing', signals: 'testing-only' },
    { status: 'complete', signals: 'claimed-done' },
    { status: 'complete', signals: 'claimed-done' },
    { status: 'stuck', signals: 'error' },
    { status: 'in-progress', signals: '' },
    { status: 'in-progress', signals: '' },
    { status: 'in-progress', signals: '' },
  ])
})

test('the settings add words of their own [R-SIG-3]', async (t) => {
  const config = { completion: { keywords: { complete: ['schluss aus'] } } }
  const [read] = await readings(t, [says('So, schluss aus.')], { config })
  assert.deepEqual(read, { status: 'complete', signals: 'claimed-done' })
})

test('words never undo a flip whose gates pass [R-SIG-3]', async (t) => {
  const project = projectFor(t, {
    script: { otherwise: [...finishes.slice(0, 3), { say: 'It failed, I cannot do it.' }] },
    config: { gates: { tests: 'test -f S-1.txt' } },
  })
  assert.equal((await project.run('run', '--no-archive')).code, 0)
})

test('a plain-text agent signs with the code of its prompt; without it, its signal is told of and does not count [R-SIG-8]', async (t) => {
  const agent = [
    'cat > "$TMPDIR/prompt-$RALPH_ITERATION.txt"',
    'code=$(sed -n \'s/.*attribute code="\\([a-z0-9]*\\)".*/\\1/p\' "$TMPDIR/prompt-$RALPH_ITERATION.txt")',
    'case $RALPH_ITERATION in',
    '  1) echo "<promise>COMPLETE</promise>" ;;',
    '  2) echo "<promise code=\\"zzzz\\">COMPLETE</promise>" ;;',
    '  3) echo "All tasks complete." ;;',
    '  *) echo "<promise code=\\"$code\\">COMPLETE</promise>" ;;',
    'esac',
  ].join('\n')
  const project = projectFor(t, {
    stories: null,
    files: { '.ralph/plain.sh': agent },
    config: { agent: { name: 'plain', command: ['sh', '.ralph/plain.sh'] } },
  })
  const { code, out } = await project.run('run', '--max-stuck', '0', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(
    eventsOf(project, 'iteration.ended').map((event) => event.signals.map((signal) => signal.kind)),
    [['unsigned'], ['unsigned'], ['unsigned'], ['claimed-done']],
  )
  for (const iteration of [2, 3, 4])
    assert.match(
      project.read(`../prompt-${iteration}.txt`),
      new RegExp(`Iteration ${iteration - 1} sent a signal without the code`),
    )
  const codes = eventsOf(project, 'iteration.started').map((event) => event.code)
  assert.equal(new Set(codes).size, codes.length)
})

test('what is left of an odd answer is no signal and no crash: empty, binary, very long [R-SIG-1]', async (t) => {
  const read = await readings(t, [
    [],
    [{ say: '' }],
    [{ say: '\u0000\u0001\ufffd ☃ \u001b[31m' }],
    [{ say: 'word '.repeat(200_000) }],
    idles,
  ])
  assert.deepEqual(
    read.map(({ signals }) => signals),
    ['', '', '', '', ''],
  )
})

test('a plain-text agent that fails is told by the last line that is an error, not by one that looks like it [R-SIG-5]', async (t) => {
  const script =
    '#!/bin/sh\ncat >/dev/null\necho "error: null"\necho "Error: cannot open src/a.ts"\necho "0 errors in 3 files"\nexit 1\n'
  const project = projectFor(t, {
    files: { 'agent.sh': script },
    config: { agent: { name: 'mine', command: ['./agent.sh'], format: 'text' } },
  })
  chmodSync(project.path('agent.sh'), 0o755)
  await project.run('run', '-n', '1')
  const errors = eventsOf(project, 'iteration.ended').flatMap(({ signals }) => signals.filter(({ kind }) => kind === 'error'))
  assert.deepEqual(
    errors.map((signal) => signal.kind === 'error' && signal.message),
    ['Error: cannot open src/a.ts'],
  )
})
