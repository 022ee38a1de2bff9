import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../core/failure.ts'
import { fromChecklist } from '../../core/import/checklist.ts'
import { fromPrd } from '../../core/import/prd.ts'
import { emptyPlan, parsePlan } from '../plan/parse-plan.ts'
import { checklistItems, proseAround } from './checklist-items.ts'
import { planAfter, planBefore } from './plan-text.ts'

const head = { feature: 'login', branchName: 'feature/login', createdAt: '2026-01-09T12:00:00Z', schema: '../prd.schema.json' }
const label = (name: string) => `.ralph/login/${name}`
const coming = fromPrd({
  description: 'Logging in',
  branchName: 'ralph/login',
  userStories: [
    { id: 'S-1', title: 'Sign up', acceptanceCriteria: ['There is an account'] },
    { id: 'S-2', title: 'Log in', acceptanceCriteria: [], dependsOn: ['S-1'], labels: ['ui'] },
  ],
})
const textAfter = async (name: string, text: string | null) =>
  (await planAfter(await planBefore(label(name), text), coming, head)).file.text

test('a new plan has what init would write, and the stories', async () => {
  const text = await textAfter('prd.json', null)
  assert.deepEqual(JSON.parse(text), {
    $schema: '../prd.schema.json',
    feature: 'login',
    branchName: 'ralph/login',
    description: 'Logging in',
    createdAt: '2026-01-09T12:00:00Z',
    userStories: [
      {
        id: 'S-1',
        title: 'Sign up',
        description: '',
        acceptanceCriteria: ['There is an account'],
        priority: 1,
        passes: false,
        notes: '',
      },
      {
        id: 'S-2',
        title: 'Log in',
        description: '',
        acceptanceCriteria: [],
        priority: 2,
        passes: false,
        notes: '',
        dependsOn: ['S-1'],
        labels: ['ui'],
      },
    ],
  })
})

for (const name of ['prd.json', 'tasks.json', 'tasks.yaml'])
  test(`an empty ${name} is filled, and a second import comes after the first with ids of its own [R-PLAN-1, R-PLAN-2]`, async () => {
    const empty = emptyPlan(name, head)
    const once = await textAfter(name, empty)
    const twice = await textAfter(name, once)
    assert.ok(twice.startsWith(once.slice(0, once.lastIndexOf('labels'))), 'what was there is there as it was')
    const { plan, description } = await parsePlan(label(name), twice)
    assert.deepEqual(
      plan.stories.map(({ id, title, priority, dependsOn }) => [id, title, priority, dependsOn]),
      [
        ['S-1', 'Sign up', 1, []],
        ['S-2', 'Log in', 2, ['S-1']],
        ['S-3', 'Sign up', 3, []],
        ['S-4', 'Log in', 4, ['S-3']],
      ],
    )
    assert.deepEqual([plan.branch, description], ['feature/login', name === 'tasks.yaml' ? '' : 'Logging in'])
  })

test('layout, comments and unknown fields of a plan stay; stories without priorities get none beside them', async () => {
  const text =
    '\uFEFF# mine\r\ntasks: # all of them\r\n- {id: a, title: One, own: 1}\r\n- id: b # second\r\n  title: Two\r\nlast: x\r\n'
  const after = await textAfter('tasks.yaml', text)
  assert.ok(after.startsWith(text.slice(0, text.indexOf('last:'))))
  assert.ok(after.endsWith('last: x\r\n'))
  const { plan } = await parsePlan(label('tasks.yaml'), after)
  assert.deepEqual(
    plan.stories.map(({ id, priority }) => [id, priority]),
    [
      ['a', 1],
      ['b', 2],
      ['S-1', 3],
      ['S-2', 4],
    ],
  )
  const flat = '{"userStories":[{"id":"S-1","title":"One","priority":1}],"own":[1,2]}'
  const longer = await textAfter('prd.json', flat)
  assert.ok(
    longer.startsWith(flat.slice(0, flat.indexOf('],"own"'))) && longer.endsWith('],"own":[1,2]}') && !longer.includes('\n'),
  )
})

test('a plan that cannot be read, a checklist, and stories that wait for each other are refused [R-PLAN-3]', async () => {
  await assert.rejects(
    planBefore(label('prd.json'), '{"userStories": [}'),
    new Failure(65, '.ralph/login/prd.json:1:18: found }, expected a value'),
  )
  await assert.rejects(
    planBefore(label('prd.json'), '{"stories": []}'),
    new Failure(65, '.ralph/login/prd.json:1:2: missing "userStories", the list of stories; found "stories": rename it'),
  )
  await assert.rejects(planBefore(label('fix_plan.md'), '- [ ] x\n'), (error) => error instanceof Failure && error.exit === 64)
  const circle = fromPrd({
    userStories: [
      { id: 'A', dependsOn: ['B'] },
      { id: 'B', dependsOn: ['A'] },
    ],
  })
  await assert.rejects(
    planBefore(label('prd.json'), null).then((before) => planAfter(before, circle, head)),
    new Failure(65, 'circular dependencies (A → B → A): remove one of them'),
  )
})

test('a checklist becomes the stories that it was as a plan, and keeps what belongs to no item', async () => {
  const text = `# Shop

Small steps only.

## High Priority
- [ ] Pay
  By card.
  - [x] Ask the bank
- [ ] Ship <!-- later -->

## Nice to have
- [ ] Gift wrap

## Notes
- Ask before you delete
`
  const plan = fromChecklist(checklistItems(text), proseAround(text))
  const { file } = await planAfter(await planBefore(label('prd.json'), null), plan, head)
  const native = await parsePlan('fix_plan.md', text)
  assert.deepEqual(file.plan.stories, native.plan.stories)
  assert.equal(file.texts['pay']!.description, 'By card.')
  assert.deepEqual(
    plan.stories.map(({ notes }) => notes),
    [
      'From the section "High Priority".',
      'From the section "High Priority".',
      'From the section "High Priority".',
      'From the section "Nice to have".',
    ],
  )
  assert.equal(plan.description, '# Shop\nSmall steps only.\n## Notes\n- Ask before you delete')
  assert.deepEqual(checklistItems('no items'), [])
})
