import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAlive } from '../src/adapters/process/survivors.ts'
import { endOf, eventsOf, finishes, idles, keptProjectFor, storiesOf, told } from './support/loop.ts'
import { projectFor } from './support/project.ts'

test('the tests run first, then the quality checks in their order, after each change and each flip [R-GATE-1]', async (t) => {
  const project = projectFor(t, {
    script: {
      iterations: [
        [...finishes.slice(0, 2), { say: 'Half.' }],
        [{ flip: 'S-1' }, { say: 'Whole.' }],
      ],
    },
    config: {
      gates: { tests: 'echo tests >> $HOME/order.txt' },
      quality_checks: { types: 'echo types >> $HOME/order.txt', lint: 'echo lint >> $HOME/order.txt' },
    },
  })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  const rounds = eventsOf(project, 'gates.ended').map((event) => event.results.map((result) => result.name))
  assert.ok(rounds.length >= 2)
  for (const round of rounds) assert.deepEqual(round, ['tests', 'types', 'lint'])
  assert.equal(project.read('../home/order.txt'), 'tests\ntypes\nlint\n'.repeat(rounds.length))
})

test('an iteration that changed nothing and flipped nothing runs no gate [R-GATE-1]', async (t) => {
  const project = projectFor(t, { script: { otherwise: idles }, config: { gates: { tests: 'true' } } })
  await project.run('run', '-n', '1')
  assert.deepEqual(
    eventsOf(project, 'gates.started').map(({ iteration }) => iteration),
    ['whole'], // before the first iteration alone
  )
})

test('all gates run even if the first is red, and each is named [R-GATE-1]', async (t) => {
  const project = projectFor(t, { config: { gates: { tests: 'exit 3' }, quality_checks: { lint: 'true', types: 'exit 4' } } })
  const { out } = await project.run('run', '-n', '1')
  assert.match(out, /gate tests failed in \S+ \(exit 3\)/)
  assert.match(out, /gate lint passed/)
  assert.match(out, /gate types failed in \S+ \(exit 4\)/)
  assert.deepEqual(eventsOf(project, 'iteration.judged')[0]!.failedGates, ['tests', 'types'])
})

test('a refused flip is set back in the file, and the next prompt says why [R-GATE-2]', async (t) => {
  const project = keptProjectFor(t, {
    script: { iterations: [[{ flip: 'S-1' }, { say: 'Done.' }], finishes] },
    config: { gates: { tests: 'test -f S-1.txt || { echo "S-1.txt is not there"; exit 1; }' } },
  })
  const before = project.read('.ralph/thing/prd.json')
  await project.run('run', '-n', '1')
  assert.equal(project.read('.ralph/thing/prd.json'), before)
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.match(project.prompt(2), /### Iteration 1: Agent marked S-1 done, but tests failed/)
  assert.match(project.prompt(2), /~~~text\nS-1\.txt is not there\n~~~/)
  assert.equal(eventsOf(project, 'iteration.started')[1]!.mode, 'fix')
})

test("a story's own gate refuses that story alone [R-GATE-1] [R-GATE-2]", async (t) => {
  const project = projectFor(t, {
    stories: [{ id: 'S-1', gates: { smoke: 'test -f smoke.txt' } }, { id: 'S-2' }],
    script: {
      stories: { 'S-1': [finishes, [{ write: { path: 'smoke.txt', text: 'yes\n' } }, ...finishes.slice(1)]], 'S-2': [finishes] },
    },
  })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(storiesOf(project), ['S-1', 'S-1', 'S-2'])
  assert.deepEqual(
    eventsOf(project, 'gates.ended').map((event) => event.results.map((result) => `${result.name} ${result.passed}`)),
    [['smoke false'], ['smoke true'], ['smoke true']], // the last one at the end, after S-2
  )
})

test('gate output is whole in the log, and cut to 100 lines in state.md and the prompt [R-GATE-3]', async (t) => {
  const project = keptProjectFor(t, {
    script: { iterations: [[{ flip: 'S-1' }, { say: 'Done.' }], idles] },
    config: { gates: { tests: 'seq -f "line %g" 1 250; exit 1' } },
  })
  await project.run('run', '-n', '2')
  const lines = (from: number, to: number): string[] => Array.from({ length: to - from + 1 }, (_, n) => `line ${from + n}`)
  const log = project.read('.ralph/thing/logs/iteration-001.log').split('\n')
  assert.deepEqual(
    log.filter((line) => line.startsWith('line ')),
    lines(1, 250),
  )
  const cut = [...lines(1, 20), '[... 150 lines truncated ...]', ...lines(171, 250)].join('\n')
  assert.ok(project.read('.ralph/thing/state.md').includes(`\n${cut}\n`))
  assert.ok(project.prompt(2).includes(`\n${cut}\n`))
})

test('state.md goes when the story passes and stays when it does not [R-GATE-3]', async (t) => {
  const project = projectFor(t, {
    script: { iterations: [[{ flip: 'S-1' }, { say: 'Done.' }], finishes] },
    config: { gates: { tests: 'test -f S-1.txt' } },
  })
  await project.run('run', '-n', '1')
  assert.match(project.read('.ralph/thing/state.md'), /^---\ntask_id: "S-1"\niteration: 1\n/)
  await project.run('run', '--no-archive')
  assert.equal(project.has('.ralph/thing/state.md'), false)
})

test('a config.yaml that the agent loosened is put back, kept aside and reported, and its gate is not used [R-GATE-4]', async (t) => {
  const loosened = 'gates: {tests: "true"}\n'
  const project = keptProjectFor(t, {
    script: {
      iterations: [
        [{ write: { path: '.ralph/config.yaml', text: loosened } }, { flip: 'S-1' }, { say: 'Done.' }],
        told('\\.ralph/config\\.yaml was changed', ...finishes),
      ],
    },
    config: { gates: { tests: 'test -f S-1.txt' } },
  })
  const before = project.read('.ralph/config.yaml')
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.equal(project.read('.ralph/config.yaml'), before)
  assert.equal(project.read('.ralph/thing/logs/config-001.rejected'), loosened)
  assert.deepEqual(eventsOf(project, 'iteration.judged')[0]!.refused, ['S-1'])
  assert.match(out, /\.ralph\/config\.yaml was changed.*; restored/)
  assert.equal(eventsOf(project, 'noticed')[0]!.what, 'config-restored')
})

test('a config.yaml that the agent deleted is put back and reported [R-GATE-4]', async (t) => {
  const project = projectFor(t, {
    script: { otherwise: [{ delete: '.ralph/config.yaml' }, { say: 'Tidied.' }] },
    config: { gates: { tests: 'exit 1' } },
  })
  const before = project.read('.ralph/config.yaml')
  const { out } = await project.run('run', '-n', '1')
  assert.equal(project.read('.ralph/config.yaml'), before)
  assert.match(out, /\.ralph\/config\.yaml was removed during iteration 1; restored/)
})

test('a gate runs in the project root and is ended, with all it started, at its own time limit [R-GATE-4]', async (t) => {
  const project = projectFor(t, {
    config: {
      gates: { tests: 'pwd > ../where.txt; sleep 600 & echo $! > ../child.txt; wait', tests_minutes: [0.001, 0.005] },
      process: { grace_seconds: 0.2 },
    },
  })
  const { code, out } = await project.run('run', '-n', '1')
  assert.equal(code, 1, out)
  assert.match(out, /gate tests timed out after \S+\n/)
  const [result] = eventsOf(project, 'gates.ended')[0]!.results
  assert.deepEqual([result?.passed, result?.ended], [false, 'timeout'])
  assert.equal(project.read('../where.txt').trim(), project.root)
  assert.equal(isAlive(Number(project.read('../child.txt'))), false)
  assert.deepEqual(project.passing(), [])
  assert.equal(endOf(project).outcome, 'incomplete')
})

test('a gate that writes into the plan is no one to flip a story: put back, kept aside and told [R-GATE-2] [R-PLAN-4]', async (t) => {
  const flipsAll = `sed -i 's/"passes": false/"passes": true/' $HOME/../project/.ralph/thing/prd.json`
  const project = projectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    config: { gates: { tests: flipsAll } },
    script: {
      stories: { 'S-1': [finishes], 'S-2': [told('the plan was changed while the gates of iteration 1 ran', ...finishes)] },
    },
  })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(storiesOf(project), ['S-1', 'S-2'])
  assert.equal(eventsOf(project, 'noticed')[0]!.what, 'plan-restored')
  assert.doesNotMatch(project.read('.ralph/thing/logs/plan-001-gates.rejected'), /"passes": false/)
})
