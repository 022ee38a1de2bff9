/** A feature's plan stays its plan: another plan file that an agent, a gate or a person puts beside it does not take its place. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsOf, finishes, idles, keptProjectFor, storiesOf } from './support/loop.ts'
import { type ProjectSketch, prd, type Steps, type TestProject } from './support/project.ts'

const tasks = { file: 'tasks.json', text: prd('thing', '', [{ id: 'S-1' }, { id: 'S-2' }]).replace('userStories', 'tasks') }
const higher = { path: '.ralph/thing/prd.json', text: prd('thing', '', [{ id: 'S-9', passes: true }]) }
const plants: Steps[number] = { write: higher }
const kills: Steps = [{ run: 'kill -9 $(ps -o ppid= -p $PPID)' }, { hang: true }] // the parent of the agent

const plansUsed = (project: TestProject): unknown[] =>
  project
    .events()
    .flatMap((event) => (event.kind === 'run.started' || event.kind === 'run.resumed' ? [event.plan?.file ?? null] : []))

test('a plan file of higher rank that an agent writes beside the plan goes to the logs, is told, and is no plan of the next run [R-PLAN-4]', async (t) => {
  const project = keptProjectFor(t, { plan: tasks, script: { iterations: [[plants, ...finishes], finishes] } })
  const first = await project.run('run', '-n', '1', '--no-archive')
  assert.equal(first.code, 1, first.out + first.err)
  assert.match(
    first.out,
    /prd\.json was created, but the plan of this run is tasks\.json; moved to logs\/prd\.json-001\.rejected/,
  )
  assert.deepEqual([project.has(higher.path), project.read('.ralph/thing/logs/prd.json-001.rejected')], [false, higher.text])
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.match(project.prompt(2), /prd\.json was created/)
  assert.deepEqual(
    [storiesOf(project), plansUsed(project)],
    [
      ['S-1', 'S-2'],
      ['tasks.json', 'tasks.json'],
    ],
  )
})

test('a gate that writes another plan: the same', async (t) => {
  const plant = `test -e S-2.txt || echo '{}' > "$HOME/../project/${higher.path}"`
  const project = keptProjectFor(t, { plan: tasks, config: { gates: { tests: plant } }, script: { otherwise: finishes } })
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.equal(project.has(higher.path), false)
  const [notice] = eventsOf(project, 'noticed').filter(({ what }) => what === 'plan-removed')
  assert.match(notice!.detail, /^while the gates ran prd\.json was created, but the plan of this run is tasks\.json/)
})

test('a plan that an agent makes for a run without one is none, neither now nor in the next run', async (t) => {
  const project = keptProjectFor(t, { stories: null, script: { iterations: [[plants, ...idles], idles] } })
  const first = await project.run('run', '-n', '1', '--no-archive')
  assert.match(first.out, /prd\.json was created, but this run has no plan/)
  const { code, out } = await project.run('run', '-n', '1', '--no-archive')
  assert.equal(code, 1, out)
  assert.deepEqual(plansUsed(project), [null, null])
})

const atKill: { what: string; sketch: ProjectSketch; also?: Steps; words: RegExp; used: string | null }[] = [
  {
    what: 'beside the plan',
    sketch: { plan: tasks },
    words: /tasks\.json is used, prd\.json is not, as in its last run\. To use another one, move tasks\.json away/,
    used: 'tasks.json',
  },
  {
    what: 'in place of the plan',
    sketch: { plan: tasks },
    also: [{ delete: '.ralph/thing/tasks.json' }],
    words: /S-1/,
    used: 'tasks.json',
  },
  {
    what: 'for a run without one',
    sketch: { stories: null },
    words:
      /prd\.json was created while an agent of a run without a plan was working, .* it was moved to logs\/prd\.json-001\.rejected/,
    used: null,
  },
]
for (const { what, sketch, also = [], words, used } of atKill)
  test(`a plan that an agent makes ${what} before Ralph is killed is not the plan of the next run [R-ITER-4]`, async (t) => {
    const otherwise = used === null ? idles : finishes
    const project = keptProjectFor(t, { ...sketch, script: { iterations: [[plants, ...also, ...kills], otherwise] } })
    assert.equal((await project.run('run')).signal, 'SIGKILL')
    const { code, out, err } = await project.run('run', '-n', '2', '--no-archive')
    assert.match(out + err, words)
    assert.deepEqual([plansUsed(project), code], [[used, used], used === null ? 1 : 0], out + err)
  })

test('a plan that the user moves away gives its place to the other one', async (t) => {
  const project = keptProjectFor(t, { plan: tasks, script: { otherwise: finishes } })
  await project.run('run', '-n', '1', '--no-archive')
  project.write(higher.path, prd('thing', '', [{ id: 'S-3' }]))
  const named = await project.run('run', '--dry-run')
  assert.match(named.out + named.err, /tasks\.json is used, prd\.json is not, as in its last run/)
  project.git('mv', '.ralph/thing/tasks.json', 'old.json')
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out + err)
  assert.deepEqual(storiesOf(project), ['S-1', 'S-3'])
})
