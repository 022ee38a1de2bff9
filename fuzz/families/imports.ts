/** Plans of other tools, checklists and issues on their way into a plan. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { checklistItems, proseAround } from '../../src/adapters/import/checklist-items.ts'
import { planAfter, planBefore } from '../../src/adapters/import/plan-text.ts'
import { EXIT, Failure } from '../../src/core/failure.ts'
import { fromChecklist } from '../../src/core/import/checklist.ts'
import { fromIssue, issueSpec } from '../../src/core/import/issue.ts'
import { toolOf } from '../../src/core/import/kind.ts'
import { fromPrd } from '../../src/core/import/prd.ts'
import type { NewPlan } from '../../src/core/import/story.ts'
import { shownPlan } from '../../src/core/import/story-preview.ts'
import { fromTaskMaster } from '../../src/core/import/task-master.ts'
import { defaultPromise, readAnswer } from '../../src/core/reading/reading.ts'
import { family, orRefusal } from '../family.ts'
import { mutated, mutatedJson, nastyText } from '../nasty.ts'

type Source = { from: 'prd' | 'tasks' | 'list' | 'issue'; value: unknown; before: string }

const word = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('S-1', 'S-2', '1', '2', '1.2', 'Log in', 'done', 'high') },
  { weight: 1, arbitrary: nastyText },
)
const prd = fc.record({
  description: word,
  branchName: word,
  metadata: fc.record({ createdAt: word }),
  userStories: fc.array(
    fc.record(
      {
        id: word,
        title: word,
        acceptanceCriteria: fc.array(word, { maxLength: 2 }),
        priority: fc.oneof(fc.nat(), word),
        passes: fc.boolean(),
        status: word,
        dependsOn: fc.array(word, { maxLength: 2 }),
        extra: word,
      },
      { requiredKeys: [] },
    ),
    { minLength: 1, maxLength: 3 },
  ),
})
const task = fc.record(
  {
    id: fc.oneof(fc.nat({ max: 3 }), word),
    title: word,
    status: word,
    passes: fc.boolean(),
    dependencies: fc.array(fc.oneof(fc.nat({ max: 3 }), word), { maxLength: 2 }),
    testStrategy: word,
  },
  { requiredKeys: [] },
)
const tasks = fc.record({
  tasks: fc.array(
    fc.tuple(task, fc.array(task, { maxLength: 2 })).map(([one, subtasks]) => ({ ...one, subtasks })),
    { minLength: 1, maxLength: 3 },
  ),
  metadata: fc.record({ description: word }),
})
const tagged = fc.dictionary(fc.oneof(fc.constant('master'), nastyText), tasks, { minKeys: 1, maxKeys: 2 })
const list = mutated(
  fc.constantFrom(
    '# Plan\n- [ ] One\n  - [x] Two\n## Optional\n- [ ] Three\n',
    '- [x] a\n- [ ] a\n',
    'Words\n\n* [ ] b\n  more\n',
  ),
  ['- [x] ', '- [ ] ', '## Acceptance criteria\n- it works\n', '```\n', '<!--', '\n', '**Done when**\n'],
)
const issue = fc.record({
  url: fc.constant('https://example.test/1'),
  repository: fc.constant('a/b'),
  id: fc.nat().map(String),
  title: fc.oneof(fc.constant('Log in'), nastyText),
  body: list,
  author: fc.constant('ann'),
  isOpen: fc.boolean(),
  labels: fc.array(fc.constantFrom('P1', 'bug', 'priority: high', '__proto__'), { maxLength: 2 }),
  comments: fc.array(fc.record({ author: fc.constantFrom('ann', 'bob'), body: list, at: nastyText }), { maxLength: 2 }),
})
const before = fc.constantFrom(
  '',
  '{"userStories": []}',
  '{\n  "feature": "f",\n  "userStories": [\n    {"id": "S-1", "title": "One", "priority": 1, "passes": true, "own": [1]}\n  ]\n}\n',
  '# plan\ntasks:\n  - id: S-1\n    title: One\n    status: done # mine\n',
  'tasks: []\n',
)

export const imports = family<Source>({
  name: 'imports',
  what: 'plans of other tools, checklists and issues, put into a new plan or at the end of one',
  weight: 4,
  inputs: fc
    .oneof(
      fc.oneof(prd, mutatedJson(prd)).map((value) => ({ from: 'prd' as const, value })),
      fc.oneof(tasks, tagged, mutatedJson(tasks)).map((value) => ({ from: 'tasks' as const, value })),
      list.map((value) => ({ from: 'list' as const, value })),
      issue.map((value) => ({ from: 'issue' as const, value })),
    )
    .chain((source) => before.map((text) => ({ ...source, before: text }))),
  async check({ from, value, before: text }) {
    toolOf('x.json', value)
    const plan = await orRefusal(() => planIn(from, value))
    if (plan instanceof Failure) return assert.ok([EXIT.data, EXIT.usage].includes(plan.exit as 65))
    assertNothingGained(plan, JSON.stringify(value))
    assert.notEqual(shownPlan(plan), undefined)
    const label = /^(#|tasks)/.test(text) ? 'tasks.yaml' : 'prd.json'
    const there = await planBefore(label, text === '' ? null : text)
    const after = await orRefusal(() => planAfter(there, plan, { feature: 'f', branchName: 'b', createdAt: '', schema: '' }))
    if (after instanceof Failure) return assert.equal(after.exit, EXIT.data)
    const { stories } = after.file.plan
    assert.deepEqual(stories.slice(0, there.stories.length), there.stories, 'what was there stays')
    assert.deepEqual(
      stories.slice(there.stories.length).map((one) => one.passes),
      after.stories.map((one) => one.passes),
    )
    for (const comment of label === 'tasks.yaml' ? (text.match(/#.*/g) ?? []) : [])
      assert.ok(after.file.text.includes(comment), 'comments stay')
  },
})

function planIn(from: Source['from'], value: unknown): NewPlan {
  if (from === 'prd') return fromPrd(value)
  if (from === 'tasks') return fromTaskMaster(value)
  if (from === 'list') return fromChecklist(checklistItems(value as string), proseAround(value as string))
  const given = value as Parameters<typeof fromIssue>[0]
  const spec = issueSpec(given, defaultPromise)
  const { signals } = readAnswer(spec, { promise: defaultPromise })
  assert.deepEqual(
    signals.filter((signal) => 'by' in signal && signal.by !== 'keywords'),
    [],
    'an issue sends no signal',
  )
  return fromIssue(given, checklistItems, 'specs/issue.md')
}

function assertNothingGained({ stories }: NewPlan, text: string): void {
  const passing = stories.filter((story) => story.passes).length
  assert.ok(
    passing <=
      (text.match(/true|done|complete|passed|closed|[[［][^[\]［］]{0,9}[xｘ✓✔✅☑][^[\]［］]{0,9}[\]］]/giu)?.length ?? 0),
    `${passing} pass, and the source does not hold as many`,
  )
}
