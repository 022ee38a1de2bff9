import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Failure } from '../../core/failure.ts'
import { withCriterion } from './amend-criterion.ts'
import { parsePlan } from './parse-plan.ts'

const change = { before: 'sum(1, 2) is 4', after: 'sum(1, 2) is 3' }

async function amended(file: string, text: string, story: string | null = 'S-1', by = change): Promise<string> {
  return (await withCriterion(await parsePlan(file, text), story, by)).text
}
const refusedWith = (message: RegExp, ...given: Parameters<typeof amended>): Promise<void> =>
  assert.rejects(amended(...given), (error) => error instanceof Failure && message.test(error.message))

const json = (criteria: string[], more = ''): string =>
  `{\n  "userStories": [\n    { "id": "S-1", "title": "Sum", "acceptanceCriteria": ${JSON.stringify(criteria)}, "passes": false }${more}\n  ]\n}\n`

test('one criterion of a plan in JSON changes, and nothing else of the text', async () => {
  const text = json(['It adds.', change.before, 'It is fast.'])
  assert.equal(await amended('prd.json', text), text.replace(change.before, change.after))
  assert.equal(
    await amended('tasks.json', text.replace('userStories', 'tasks')),
    text.replace('userStories', 'tasks').replace(change.before, change.after),
  )
})

test('in YAML the style of the value and the comments stay; what needs quotes gets them', async () => {
  const yaml = (criterion: string): string =>
    `tasks:\n  - id: S-1\n    title: Sum\n    acceptance_criteria:\n      - It adds # always\n      - ${criterion} # from the customer\n    status: pending\n`
  assert.equal(await amended('tasks.yaml', yaml(change.before)), yaml(change.after))
  assert.equal(await amended('tasks.yaml', yaml(`'${change.before}'`)), yaml(`"${change.after}"`))
  const odd = { before: 'It adds', after: 'It adds: {a, b}' }
  assert.match(await amended('tasks.yaml', yaml('x'), 'S-1', odd), /- "It adds: \{a, b\}" # always\n/)
  const folded =
    'tasks:\n  - id: S-1\n    title: Sum\n    acceptance_criteria:\n      - |\n        sum(1, 2)\n        is 4\n    status: pending\n'
  assert.match(await amended('tasks.yaml', folded), /acceptance_criteria:\n {6}- "sum\(1, 2\) is 3"\n {4}status: pending\n/)
})

test('in a checklist a line below the item is its criterion; the item itself is its name', async () => {
  const text = '# Plan\n- [ ] Sum\n  It adds.\n  - sum(1, 2) is 4.\n  - [ ] Part\n- [ ] Other\n  - sum(1, 2) is 4\n'
  assert.equal(await amended('fix_plan.md', text, 'sum'), text.replace('sum(1, 2) is 4.', change.after))
  await refusedWith(/^"Sum" is an item of fix_plan\.md and names its story$/, 'fix_plan.md', text, 'sum', {
    before: 'Sum',
    after: 'Difference',
  })
})

test('a quotation without its dot, case or line breaks is still the criterion', async () => {
  assert.match(await amended('prd.json', json(['Sum(1, 2)  is 4.'])), /"sum\(1, 2\) is 3"/)
})

test('without a story, the only one that has the criterion; none or several are refused', async () => {
  const other = (criterion: string): string => `,\n    { "id": "S-2", "title": "More", "acceptanceCriteria": ["${criterion}"] }`
  assert.match(await amended('prd.json', json(['x'], other(change.before)), null), /"S-2".*"sum\(1, 2\) is 3"/)
  await refusedWith(
    /^prd\.json has more than one criterion "sum\(1, 2\) is 4"$/,
    'prd.json',
    json([change.before], other(change.before)),
    null,
  )
  await refusedWith(/^S-1 has no criterion "sum\(1, 2\) is 4"$/, 'prd.json', json(['x'], other(change.before)))
})

test('a criterion that other places of a YAML plan repeat is not edited in place', async () => {
  const text =
    'tasks:\n  - id: S-1\n    title: Sum\n    acceptance_criteria:\n      - &same sum(1, 2) is 4\n  - id: S-2\n    title: More\n    acceptance_criteria:\n      - *same\n'
  await refusedWith(/cannot be edited in place$/, 'tasks.yaml', text)
})
