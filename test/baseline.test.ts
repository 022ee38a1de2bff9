import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endOf, eventsOf, finishes, idles, keptProjectFor, storiesOf, verdictsOf } from './support/loop.ts'
import { untilFile } from './support/processes.ts'
import { projectFor, type Steps, type TestProject } from './support/project.ts'

/** The iterations whose gates ran, 0 for the whole, in order. */
const roundsOf = (project: TestProject) => eventsOf(project, 'gates.started').map(({ iteration }) => iteration)

/** Red in the same way whatever the time, until `mended.txt` is there; another error with `worse.txt`. */
const tests = [
  'test -e mended.txt && exit 0',
  'echo "$(date +%T) not ok 1 old bug (took 0.$$ s)"',
  'test -e worse.txt && echo "not ok 2 new bug"',
  'exit 1',
].join('; ')
const writes = (path: string): Steps => [{ write: { path, text: 'x\n' } }, { commit: `feat: ${path}` }]

test('gates run once before the first iteration of each run, and red ones are named to the user and to the agent [R-GATE-6]', async (t) => {
  const project = keptProjectFor(t, {
    script: { otherwise: idles },
    config: { gates: { tests }, quality_checks: { lint: 'true' } },
  })
  const { out } = await project.run('run', '-n', '1')
  assert.match(
    out,
    /Gates before the first iteration: tests, lint\n.*✗ gate tests failed in \S+ \(exit 1\)\n +\S+ not ok 1 old bug .*\n +whole log: ralph logs 0\n.*✓ gate lint passed[\s\S]*Iteration 1/,
  )
  assert.match(
    project.prompt(1),
    /Gate tests was red before this run began\. No story passes until it is green: fix that first\./,
  )
  assert.match(project.prompt(1), /not ok 1 old bug/)
  assert.doesNotMatch(project.prompt(1), /lint was red/)
  await project.run('run', '-n', '1')
  assert.deepEqual(roundsOf(project), ['whole', 'whole'])
})

test('what is green before the first iteration needs no word [R-GATE-6]', async (t) => {
  const project = keptProjectFor(t, { script: { otherwise: finishes }, config: { gates: { tests: 'true' } } })
  assert.equal((await project.run('run', '--no-archive')).code, 0)
  assert.doesNotMatch(project.prompt(1), /before this run began/)
})

test('without a gate nothing runs before the first iteration', async (t) => {
  const project = projectFor(t, { script: { otherwise: idles } })
  await project.run('run', '-n', '1')
  assert.deepEqual(roundsOf(project), [])
})

test('a hard gate stays hard: red before the run, it refuses until it is mended [R-GATE-6]', async (t) => {
  const project = projectFor(t, {
    script: { iterations: [finishes, [...writes('mended.txt'), ...finishes]] },
    config: { gates: { tests } },
  })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(verdictsOf(project), ['failed, made', 'done, made'])
})

test('with gates.baseline tolerate, red in the very same way is a warning, and the run is complete [R-GATE-6] (T39)', async (t) => {
  const project = keptProjectFor(t, { config: { gates: { tests, baseline: 'tolerate' } } })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.match(out, /Gates before the first iteration: tests\n.*✗ gate tests failed/)
  assert.match(out, /S-1 passed \(unproven: not confirmed by a gate\)/)
  assert.equal(endOf(project).because, 'every story passes, and gates fail only as they did before the run')
  assert.match(out, /Iteration 1[\s\S]*! gate tests still fails as it did before the run: tolerated/)
  assert.match(
    project.prompt(1),
    /Gate tests was red before this run began\. That is tolerated as long as it fails in exactly the same way\./,
  )
  assert.deepEqual(verdictsOf(project), ['done, made'])
  const [receipt] = Object.values(
    JSON.parse(project.read('.ralph/thing/report.json')).receipts as Record<string, { proven: boolean }>,
  )
  assert.equal(receipt?.proven, false) // no gate confirmed it
})

test('with gates.baseline tolerate, another output or another exit code refuses [R-GATE-6]', async (t) => {
  const project = projectFor(t, {
    script: {
      iterations: [
        [...writes('worse.txt'), ...finishes],
        [{ delete: 'worse.txt' }, ...finishes],
      ],
    },
    config: { gates: { tests, baseline: 'tolerate' } },
  })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(verdictsOf(project), ['failed, made', 'done, made'])
  const code3 = projectFor(t, {
    config: { gates: { tests: 'echo red; test -e S-1.txt && exit 3; exit 2', baseline: 'tolerate' } },
  })
  assert.equal((await code3.run('run', '-n', '1')).code, 1)
  assert.deepEqual([verdictsOf(code3), code3.passing()], [['failed, made'], []])
})

test('with gates.baseline tolerate, a gate that was mended must stay green [R-GATE-6]', async (t) => {
  const project = projectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    script: {
      stories: { 'S-1': [[...writes('mended.txt'), ...finishes]], 'S-2': [finishes] },
    },
    config: { gates: { tests, baseline: 'tolerate' } },
  })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  const results = eventsOf(project, 'gates.ended').map(({ iteration, results }) => `${iteration} ${results[0]!.passed}`)
  assert.deepEqual(results, ['whole false', '1 true', '2 true'])
})

test('what a gate leaves in the tree before the first iteration is nobody’s work: neither progress nor committed [R-GATE-6]', async (t) => {
  const project = projectFor(t, {
    script: { iterations: [idles, finishes] },
    config: { gates: { tests: 'echo "$(date +%N)" > coverage.txt' } },
  })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(verdictsOf(project), ['worked, idle', 'done, made'])
  assert.deepEqual(
    eventsOf(project, 'iteration.ended').map(({ uncommitted }) => uncommitted),
    [[], []],
  )
})

test('a run stopped while its gates run for the first time knows nothing of them, and the next runs them again [R-GATE-6]', async (t) => {
  const project = projectFor(t, {
    config: { gates: { tests: 'test -e $HOME/waited || { touch $HOME/waited; sleep 600; }' }, process: { grace_seconds: 0.2 } },
  })
  const run = project.start('run')
  await untilFile(project, '../home/waited')
  run.child.kill('SIGINT')
  assert.equal((await run.ended).code, 130)
  assert.deepEqual([endOf(project).outcome, storiesOf(project)], ['interrupted', []])
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(roundsOf(project), ['whole', 'whole', 1])
})

test('a gate whose program is missing ends the run with 69 before the first call, with its words', async (t) => {
  const project = projectFor(t, { script: { otherwise: finishes }, config: { gates: { tests: 'no-such-linter src' } } })
  const { code, out } = await project.run('run', '--no-archive')
  assert.deepEqual([code, endOf(project).outcome, eventsOf(project, 'call.requested')], [69, 'gate-missing', []], out)
  assert.match(out, /^Because: +gate tests cannot run: sh: 1: no-such-linter: not found$/m)
  assert.match(
    (await project.run('why')).out,
    /^Failing: {2}the whole project: gate tests failed .*\n +sh: 1: no-such-linter: not found$/m,
  )
  const tolerated = await project.run('run', '--no-archive', '--baseline', 'tolerate')
  assert.equal(eventsOf(project, 'iteration.started').length > 0, true, tolerated.out)
})
