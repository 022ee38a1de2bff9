/** Agents that run away, and honest ones that only take long: what stops the first does not stop the second. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commits, endOf, eventsOf, finishes, keptProjectFor, late, says, storiesOf } from './support/loop.ts'
import { withoutWaits } from './support/processes.ts'
import { makeProject, projectFor, type Steps } from './support/project.ts'

const red = { gates: { tests: 'test ! -f a.txt || { echo "not ok 1 - login"; exit 1; }' } }
const toils: Steps = [...commits('a.txt', '$RALPH_ITERATION\n'), { say: 'One step further.' }]

test('the same red gate after each commit, without a flip, is escalated as a refused flip is: shifts, state.md, the end of the story', async (t) => {
  const project = keptProjectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    script: { stories: { 'S-1': Array(10).fill(toils), 'S-2': [finishes] } },
    config: red,
  })
  const { code, out } = await project.run('run')
  assert.equal(code, 1, out)
  assert.deepEqual(storiesOf(project), ['S-1', 'S-1', 'S-1', 'S-1', 'S-1', 'S-2'])
  assert.deepEqual(project.passing(), ['S-2'])
  assert.match(out, /Iteration 4 of \d+: S-1 .*\n {2}! strategy shift: 3 attempts failed with the same error\n/)
  assert.match(project.prompt(2), /What failed before on S-1 \(verbatim\)[\s\S]*not ok 1 - login/)
  assert.match(project.prompt(4), /strategy shift 1 of 2[\s\S]*Do NOT try again:\n- what iteration 1 did/)
  assert.match(
    project.read('.ralph/thing/state.md'),
    /^---\ntask_id: "S-1"\niteration: 5\nmax_iterations: 5\nlast_gate: "tests"\nexit_code: 1\n/,
  )
  assert.match((await project.run('why')).out, /strategy shift: 4 attempts failed with the same error/)
})

test('a long story whose gate says something else each time is worked on until it passes', async (t) => {
  const project = projectFor(t, {
    script: { stories: { 'S-1': [...Array(6).fill(toils), [{ run: 'rm a.txt' }, ...finishes]] } },
    config: { gates: { tests: 'test ! -f a.txt || { echo "$(wc -l < a.txt) of 9 tests failed"; exit 1; }' } },
  })
  const { code, out } = await project.run('run')
  assert.equal(code, 0, out)
  assert.deepEqual(out.match(/^ {2}[·✓✗] (?:worked|done|failed)/gm), [...Array(6).fill('  · worked'), '  ✓ done'])
})

const leftPad = 'error: cannot find module left-pad'

test('the same error in the last words opens the breaker, though each agent commits and ends well', async (t) => {
  const project = projectFor(t, { script: { otherwise: [...toils.slice(0, 2), ...says(`Step $RALPH_ITERATION.\n${leftPad}`)] } })
  const { code, out } = await project.run('run', '-n', '8')
  assert.equal(code, 4, out)
  assert.equal(endOf(project).because, `5 of 5 iterations in a row with the same error (iterations 1, 2, 3, 4, 5): ${leftPad}`)
})

test('an agent in text form that says the same error opens it too; one that has mended it does not', async (t) => {
  const saying = (words: string) =>
    makeProject({
      config: {
        agent: {
          name: 'plain',
          command: ['sh', '-c', `echo $RALPH_ITERATION > n.txt; git add n.txt; git commit -qm n; echo "${words}"`],
          format: 'text',
        },
        circuit_breaker: { same_error_threshold: 3 },
      },
    })
  const stuck = saying(leftPad)
  const mended = saying(`fixed: ${leftPad}`)
  t.after(stuck.remove)
  t.after(mended.remove)
  assert.equal((await stuck.run('run', '-n', '5')).code, 4)
  assert.equal((await mended.run('run', '-n', '5')).code, 1)
})

test('stories that run into their time limit did not fail with the same error: the third is tried', async (t) => {
  const hangs: Steps = [...commits('a.txt', '$RALPH_ITERATION\n'), late, { sleep: '600s' }]
  const made = projectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }, { id: 'S-3' }],
    script: { stories: { 'S-1': [hangs], 'S-2': [hangs], 'S-3': [finishes] } },
    config: { defaults: { max_attempts: 1 } },
  })
  const project = withoutWaits(made, '../late')
  const { code, out } = await project.run('run')
  assert.equal(code, 1, out)
  assert.deepEqual([project.passing(), eventsOf(project, 'breaker.changed')], [['S-3'], []])
})

test('the exit signal of a story that passed is no claim for the whole plan, and the next prompt accuses nobody', async (t) => {
  const signals: Steps = [...finishes.slice(0, 3), { say: 'RALPH_STATUS:\n  STATUS: COMPLETE\n  EXIT_SIGNAL: true' }]
  const project = keptProjectFor(t, { stories: ['S-1', 'S-2', 'S-3'].map((id) => ({ id })), script: { otherwise: signals } })
  const { code, out } = await project.run('run', '-n', '2')
  assert.equal(code, 1, out)
  assert.deepEqual(
    eventsOf(project, 'iteration.judged').map(({ claim }) => claim),
    ['none', 'none'],
  )
  assert.doesNotMatch(project.prompt(2), /claimed that everything/)
})

test('before the first run the breaker shows the thresholds that the settings give it', async (t) => {
  const project = projectFor(t, { config: { circuit_breaker: { same_error_threshold: 7, permission_denied_threshold: 0 } } })
  const { out } = await project.run('--cb-status')
  assert.match(out, /No progress: +0 of 3 in a row\nSame error: +0 of 7 in a row\n.*\nDenied tools: +0, off\n/)
  const { breaker } = JSON.parse((await project.run('status', '--json')).out)
  assert.deepEqual(breaker.counters['same-error'], { times: 0, threshold: 7 })
})
