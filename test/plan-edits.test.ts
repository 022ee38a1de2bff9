import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsOf, finishes, keptProjectFor, storiesOf } from './support/loop.ts'
import { untilEvent } from './support/processes.ts'
import { prd, type Steps, type StorySketch } from './support/project.ts'

const file = '.ralph/thing/prd.json'
const two: StorySketch[] = [{ id: 'S-1' }, { id: 'S-2' }]
/** As an agent would: rewrites the plan with a small program. */
const rewrites = (change: string): Steps => [
  {
    run: `node -e 'const fs = require("fs"); const plan = JSON.parse(fs.readFileSync("${file}")); const [one, two] = plan.userStories; ${change}; fs.writeFileSync("${file}", JSON.stringify(plan, null, 2) + "\\n")'`,
  },
  { say: 'I have edited the plan.' },
]

const meddling: { what: string; steps: Steps; words: RegExp; isKept?: boolean }[] = [
  { what: 'another title', steps: rewrites('two.title = "Easier"'), words: /story S-2: title was changed; restored/ },
  { what: 'fewer criteria', steps: rewrites('one.acceptanceCriteria = []'), words: /story S-1: acceptanceCriteria was changed/ },
  { what: 'a deleted story', steps: rewrites('plan.userStories.pop()'), words: /story S-2 was removed; restored/ },
  { what: 'another order', steps: rewrites('plan.userStories.reverse()'), words: /order of the stories was changed/ },
  { what: 'another branch', steps: rewrites('plan.branchName = "main"'), words: /branchName was changed/ },
  {
    what: 'broken JSON',
    steps: [{ write: { path: file, text: '{"userStories": [' } }, { say: 'Oops.' }],
    words: /prd\.json:1:18/,
  },
  {
    what: 'a deleted plan file',
    steps: [{ delete: file }, { say: 'Tidied up.' }],
    words: /prd\.json was deleted; restored/,
    isKept: false,
  },
  {
    what: 'a deleted feature folder',
    steps: [{ remove: '.ralph/thing' }, { say: 'Tidied up.' }],
    words: /prd\.json was deleted; restored/,
    isKept: false,
  },
]
for (const { what, steps, words, isKept = true } of meddling) {
  test(`${what} is put right from the snapshot, kept aside, and told to the next iteration and the user [R-PLAN-4]`, async (t) => {
    const project = keptProjectFor(t, { stories: two, script: { iterations: [steps, finishes] } })
    const before = project.read(file)
    const { out } = await project.run('run', '-n', '1', '--no-archive')
    assert.equal(project.read(file), before)
    const repairs = eventsOf(project, 'iteration.ended')[0]!.repairs.join('\n')
    assert.match(repairs, words)
    assert.ok(out.includes(`plan restored: ${repairs.split('\n')[0]}`), out)
    assert.equal(project.has('.ralph/thing/logs/plan-001.rejected'), isKept)
    const next = await project.run('run', '--no-archive')
    assert.equal(next.code, 0, next.out)
    assert.match(project.prompt(2), words)
    assert.deepEqual(project.passing(), ['S-1', 'S-2'])
  })
}

test('the rejected copy is what the agent wrote [R-PLAN-4]', async (t) => {
  const project = keptProjectFor(t, { script: { otherwise: [{ write: { path: file, text: 'nonsense' } }] } })
  await project.run('run', '-n', '1')
  assert.equal(project.read('.ralph/thing/logs/plan-001.rejected'), 'nonsense')
})

test('notes may change and stories may be added at the end; a new one starts open even if it says otherwise [R-PLAN-4]', async (t) => {
  const project = keptProjectFor(t, {
    script: {
      stories: {
        'S-1': [
          rewrites(
            'one.notes = "half way"; plan.userStories.push({id: "S-2", title: "Found on the way", priority: 5, passes: true})',
          ),
          finishes,
        ],
        'S-2': [finishes],
      },
    },
  })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(storiesOf(project), ['S-1', 'S-1', 'S-2'])
  assert.match(project.prompt(2), /Notes: half way/)
  assert.match(project.prompt(2), /S-2 is new and was marked done; set to open/)
  assert.equal(project.plan().userStories[0]!['notes'], 'half way')
})

test('a finished story that the agent opens again stays done [R-PLAN-4]', async (t) => {
  const project = keptProjectFor(t, {
    stories: two,
    script: { stories: { 'S-1': [finishes], 'S-2': [[{ unflip: 'S-1' }, { say: 'Not so sure.' }], finishes] } },
  })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(storiesOf(project), ['S-1', 'S-2', 'S-2'])
  assert.match(project.prompt(3), /S-1 was done and was set to open; it stays done/)
})

test('edits between two iterations are the user’s and are taken [R-PLAN-4]', async (t) => {
  const project = keptProjectFor(t, { stories: two, script: { otherwise: finishes } })
  await project.run('run', '-n', '1')
  project.write(
    file,
    prd('thing', '', [
      { id: 'S-1', passes: true },
      { id: 'S-3', title: 'Something else' },
    ]),
  )
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(storiesOf(project), ['S-1', 'S-3'])
})

test('the user may edit the plan of a live run while no iteration is in flight [R-PLAN-4]', async (t) => {
  const waits = { run: 'until [ -f "$TMPDIR/go" ]; do sleep 0.05; done' }
  const project = keptProjectFor(t, { stories: two, script: { stories: { 'S-1': [[waits, ...finishes]] }, otherwise: finishes } })
  const run = project.start('run', '--no-archive')
  await untilEvent(project, 'iteration.started')
  await project.run('pause')
  project.write('../go', '')
  await untilEvent(project, 'run.paused')
  project.write(
    file,
    prd('thing', '', [
      { id: 'S-1', passes: true },
      { id: 'S-3', title: 'Something else' },
    ]),
  )
  await project.run('resume')
  const { code, out } = await run.ended
  assert.equal(code, 0, out)
  assert.equal(eventsOf(project, 'plan.changed').length, 1)
  assert.deepEqual(storiesOf(project), ['S-1', 'S-3'])
})

test("another story's flip is put back, noted, and that story gets its own iteration [R-PLAN-6]", async (t) => {
  const project = keptProjectFor(t, {
    stories: two,
    script: { stories: { 'S-1': [[...finishes.slice(0, 2), { flip: ['S-1', 'S-2'] }, { say: 'Both.' }]], 'S-2': [finishes] } },
  })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(storiesOf(project), ['S-1', 'S-2'])
  assert.deepEqual(
    eventsOf(project, 'iteration.judged').map((event) => event.passed),
    [['S-1'], ['S-2']],
  )
  assert.match(project.prompt(2), /S-2 was marked done in an iteration on S-1; set back to open/)
})

test('a flip without any change stands: with a reservation if a gate confirms it, unproven if there is none [R-PLAN-6]', async (t) => {
  for (const [gates, words] of [
    [{ tests: 'true' }, /with a reservation about S-1/],
    [{}, /unproven/],
  ] as const) {
    const project = keptProjectFor(t, { script: { otherwise: [{ flip: 'S-1' }, { say: 'It was there.' }] }, config: { gates } })
    const { code, out } = await project.run('run', '--no-archive')
    assert.equal(code, 0, out)
    const [judged] = eventsOf(project, 'iteration.judged')
    assert.deepEqual([judged?.passed, judged?.proven], [['S-1'], false])
    assert.match(out, words)
  }
})
