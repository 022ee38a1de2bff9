import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endOf, eventsOf, finishes, idles, storiesOf, told } from './support/loop.ts'
import { projectFor } from './support/project.ts'

const handmade = `{
\t"x-team": {"owner": "Ann",   "size": 3},
\t"userStories": [
\t\t{"passes": false, "id": "S-1", "title": "First", "priority": 1,  "x-points": [1,2,  3]},
\t\t{
\t\t\t"notes": "",
\t\t\t"passes":   false,
\t\t\t"id": "S-2", "title": "Second", "priority": 2
\t\t}
\t],
\t"feature": "thing"
}`

test('a whole run changes nothing in the plan but the flips: unknown fields, key order and layout stay [R-PLAN-1]', async (t) => {
  const flip = (id: string): string => `sed -i -E '/"id": "${id}"/ s/("passes": *)false/\\1true/' .ralph/thing/prd.json`
  const flipAcross = `sed -i -E 's/"passes":   false/"passes":   true/' .ralph/thing/prd.json`
  const project = projectFor(t, {
    plan: { file: 'prd.json', text: handmade },
    script: {
      stories: {
        'S-1': [
          [{ run: flip('S-1') }, { say: 'Said so too early.' }],
          [{ write: { path: 'done.txt', text: 'yes\n' } }, { commit: 'feat: S-1' }, { run: flip('S-1') }],
        ],
        'S-2': [[{ run: flipAcross }, { say: 'The second too.' }]],
      },
    },
    config: { gates: { tests: 'test -f done.txt' } },
  })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(storiesOf(project), ['S-1', 'S-1', 'S-2'])
  assert.equal(
    project.read('.ralph/thing/prd.json'),
    handmade.replace('{"passes": false', '{"passes": true').replace('"passes":   false', '"passes":   true'),
  )
})

test("a feature field that differs from the folder's name is a warning, no more [R-PLAN-1]", async (t) => {
  const project = projectFor(t, {
    plan: { file: 'prd.json', text: '{"feature": "other", "userStories": [{"id": "S-1", "title": "One", "passes": false}]}' },
  })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.match(out, /prd\.json says feature "other", but its folder is thing/)
})

const badPlans: { what: string; file?: string; text: string; place: string; found: RegExp }[] = [
  { what: 'broken JSON', text: '{\n  "userStories": [}\n', place: '2:19', found: /expected/i },
  { what: 'no story at all', text: '{"userStories": []}\n', place: '1:17', found: /no stories yet/ },
  {
    what: 'a duplicate id',
    text: '{"userStories": [\n{"id": "A", "title": "a"},\n{"id": "A", "title": "b"}]}\n',
    place: '3:8',
    found: /"?A"?/,
  },
  {
    what: 'a missing dependency',
    text: '{"userStories": [\n{"id": "A", "title": "a", "dependsOn": ["B"]}]}',
    place: '2:41',
    found: /B/,
  },
  {
    what: 'a circle of dependencies',
    text: '{"userStories": [\n{"id": "A", "title": "a", "dependsOn": ["B"]},\n{"id": "B", "title": "b", "dependsOn": ["A"]}]}',
    place: '2:',
    found: /A → B → A|B → A → B|circ/,
  },
  {
    what: 'a wrong type',
    text: '{"userStories": [\n{"id": "A", "title": "a", "passes": "yes"}]}',
    place: '2:37',
    found: /passes.*true or false/,
  },
  { what: 'a list that is none', text: '{"userStories": 3}', place: '1:17', found: /userStories/ },
  { what: 'broken YAML', file: 'tasks.yaml', text: 'tasks:\n  - id: A\n   title: [\n', place: '3:', found: /./ },
  {
    what: 'a checklist without boxes',
    file: 'fix_plan.md',
    text: '# Plan\n\n[2026-01-29] note\n',
    place: '1:1',
    found: /no stories yet/,
  },
]
for (const { what, file = 'prd.json', text, place, found } of badPlans) {
  test(`${what} stops before anything runs and is named by its place [R-PLAN-3]`, async (t) => {
    const project = projectFor(t, { plan: { file, text } })
    const { code, out, err } = await project.run('run')
    assert.equal(code, 65, err)
    assert.ok(err.includes(`.ralph/thing/${file}:${place}`), err)
    assert.match(err, found)
    assert.equal(out, '')
    assert.equal(project.has('.ralph/thing/events.jsonl'), false)
    assert.equal(project.git('status', '--porcelain'), '')
  })
}

test('stories are taken by priority, ties in file order, each after what it depends on [R-PLAN-5]', async (t) => {
  const project = projectFor(t, {
    stories: [
      { id: 'last', priority: 9 },
      { id: 'waits', priority: 1, dependsOn: ['base'] },
      { id: 'tie-a', priority: 2 },
      { id: 'tie-b', priority: 2 },
      { id: 'base', priority: 3 },
      { id: 'left-out', priority: 1, skip: true },
      { id: 'free', priority: 4, dependsOn: ['left-out'] },
    ],
  })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(storiesOf(project), ['tie-a', 'tie-b', 'base', 'waits', 'free', 'last'])
  assert.equal(project.passing().includes('left-out'), false)
})

test('with every story passing and a gate red, an iteration without a story mends the gate [R-PLAN-5]', async (t) => {
  const project = projectFor(t, {
    stories: [{ id: 'S-1', passes: true }],
    script: {
      otherwise: told('these gates fail: tests', { write: { path: 'mended.txt', text: 'yes\n' } }, { commit: 'fix: the gate' }),
    },
    config: { gates: { tests: 'test -f mended.txt || { echo it is not mended; exit 1; }' } },
  })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  const [only, ...more] = eventsOf(project, 'iteration.started')
  assert.deepEqual([only?.story, only?.mode, more.length], [null, 'fix', 0])
  assert.match(only!.because, /gate tests is red/)
})

test('with pick: agent, the agent chooses and the plan says what it chose [R-PLAN-5]', async (t) => {
  const project = projectFor(t, {
    stories: [{ id: 'S-1' }, { id: 'S-2' }],
    script: {
      iterations: [told('Choose the first open story', ...finishesNamed('S-2')), finishesNamed('S-1')],
    },
  })
  const { code, out } = await project.run('run', '--no-archive', '--pick', 'agent')
  assert.equal(code, 0, out)
  assert.deepEqual(storiesOf(project), [null, null])
  assert.deepEqual(
    eventsOf(project, 'iteration.judged').map((event) => event.passed),
    [['S-2'], ['S-1']],
  )
})

function finishesNamed(id: string) {
  return [{ write: { path: `${id}.txt`, text: 'there\n' } }, { commit: `feat: ${id}` }, { flip: id }, { say: 'It is there.' }]
}

test('--story runs that story alone and ends with 0 when it passes [R-PLAN-5]', async (t) => {
  const project = projectFor(t, { stories: [{ id: 'S-1' }, { id: 'S-2' }] })
  const { code, out } = await project.run('run', '--story', 'S-2')
  assert.equal(code, 0, out)
  assert.deepEqual(storiesOf(project), ['S-2'])
  assert.deepEqual(project.passing(), ['S-2'])
})

test('--story of one that passes already ends with 0 at once, without a call [R-PLAN-5]', async (t) => {
  const project = projectFor(t, { stories: [{ id: 'S-1', passes: true }, { id: 'S-2' }] })
  const { code, out } = await project.run('run', '--story', 'S-1')
  assert.equal(code, 0, out)
  assert.deepEqual(storiesOf(project), [])
  assert.equal(project.kinds().includes('call.requested'), false)
})

test('--story of an unknown one is wrong usage and names the known ones [R-PLAN-5]', async (t) => {
  const project = projectFor(t, { stories: [{ id: 'S-1' }, { id: 'S-2' }] })
  const { code, err } = await project.run('run', '--story', 'S-9')
  assert.equal(code, 64)
  assert.match(err, /No story "S-9".*S-1, S-2/)
})

test('--story of one whose dependency is open is refused with 65 [R-PLAN-5]', async (t) => {
  const project = projectFor(t, { stories: [{ id: 'S-1' }, { id: 'S-2', dependsOn: ['S-1'] }] })
  const { code, err } = await project.run('run', '--story', 'S-2')
  assert.equal(code, 65)
  assert.match(err, /S-2 depends on S-1/)
})

test('a story that passes at the start is recorded as given, and not worked on [R-PLAN-7]', async (t) => {
  const project = projectFor(t, { stories: [{ id: 'S-1', passes: true }, { id: 'S-2' }] })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(storiesOf(project), ['S-2'])
  const report = JSON.parse(project.read('.ralph/thing/report.json'))
  assert.match(JSON.stringify(report), /"given":true/)
})

test('a story that has failed is tried again after ralph retry, with all its attempts [R-PLAN-8]', async (t) => {
  const project = projectFor(t, {
    stories: [{ id: 'S-1' }],
    script: { iterations: [[{ flip: 'S-1' }, { say: 'Too early.' }], finishes] },
    config: { gates: { tests: 'test -f S-1.txt' } },
  })
  const first = await project.run('run', '--max-attempts', '1')
  assert.equal(first.code, 1, first.out)
  assert.equal(endOf(project).outcome, 'stories-failed')
  assert.ok(project.plan().userStories[0]!['failed'])
  assert.equal((await project.run('retry', 'S-1')).code, 0)
  assert.equal(project.plan().userStories[0]!['failed'], undefined)
  assert.equal(eventsOf(project, 'story.retried').length, 1)
  const second = await project.run('run', '--max-attempts', '1', '--no-archive')
  assert.equal(second.code, 0, second.out)
  assert.equal(eventsOf(project, 'iteration.started').at(-1)!.attempt, 1)
})

test('a story that passes is not retried: the refusal says how to have it done again, and that works [R-PLAN-8]', async (t) => {
  const project = projectFor(t, { stories: [{ id: 'S-1' }, { id: 'S-2' }], script: { iterations: [finishes] } })
  assert.equal((await project.run('run', '--no-archive')).code, 0)
  const { code, err } = await project.run('retry', 'S-1')
  assert.equal(code, 64)
  assert.match(
    err,
    /^ralph: S-1 passes already\. To have it done again, mark it as open in \.ralph\/thing\/prd\.json, then: ralph run$/m,
  )
  assert.deepEqual([eventsOf(project, 'story.retried').length, project.passing()], [0, ['S-1', 'S-2']])
  const again = project.plan()
  again.userStories[0]!['passes'] = false
  project.write('.ralph/thing/prd.json', JSON.stringify(again))
  const second = await project.run('run', '--no-archive')
  assert.equal(second.code, 0, second.out)
  assert.deepEqual(storiesOf(project), ['S-1', 'S-2', 'S-1'])
})

test('a skipped story does not count, and ralph retry takes it in again [R-PLAN-8]', async (t) => {
  const project = projectFor(t, { stories: [{ id: 'S-1' }, { id: 'S-2' }] })
  assert.equal((await project.run('skip', 'S-2')).code, 0)
  const first = await project.run('run', '--no-archive')
  assert.equal(first.code, 0, first.out)
  assert.deepEqual(storiesOf(project), ['S-1'])
  assert.equal((await project.run('retry', 'S-2')).code, 0)
  const second = await project.run('run', '--no-archive')
  assert.equal(second.code, 0, second.out)
  assert.deepEqual(storiesOf(project), ['S-1', 'S-2'])
})

test('in a checklist, which has no room for the mark, a skipped story stays skipped through the log [R-PLAN-8]', async (t) => {
  const text = '- [ ] First thing\n- [ ] Second thing\n'
  const project = projectFor(t, { plan: { file: 'fix_plan.md', text } })
  await project.run('run', '-n', '1')
  const skipped = await project.run('skip', 'second-thing')
  assert.equal(skipped.code, 0, skipped.err)
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(storiesOf(project), ['first-thing'])
  assert.equal(project.read('.ralph/thing/fix_plan.md'), text.replace('[ ] First', '[x] First'))
})

test('retry and skip of an unknown story are wrong usage and name the nearest [R-PLAN-8]', async (t) => {
  const project = projectFor(t, { stories: [{ id: 'S-1' }], script: { otherwise: idles } })
  for (const command of ['retry', 'skip']) {
    const { code, err } = await project.run(command, 'S-l')
    assert.equal(code, 64)
    assert.match(err, /No story "S-l".*Did you mean S-1\?/)
  }
})
