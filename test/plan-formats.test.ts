import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { test } from 'node:test'
import { endOf, finishes, idles, says, storiesOf } from './support/loop.ts'
import { projectFor } from './support/project.ts'

const yaml = `# what is to be done
branchName: ""
tasks:
  - id: T-2
    title: The second   # a remark
    status: pending
    priority: 2
  - id: T-1
    title: "The first"
    priority: 1
    passes: false # not yet
    exit_signal: true
`
const json =
  '{\n    "tasks": [\n        {\n            "id": "T-1",\n            "title": "One",\n            "passes": false\n        }\n    ]\n}\n'
const checklist = [
  '# Fix plan',
  '',
  '[2026-01-29] a note, [v1.0], [#123] and [NOTE] are no boxes',
  '',
  '## Now',
  '* [ ] Parent work',
  '  - [ ] Child work',
  '- [X] Old work',
  '## Optional',
  '- [ ] Polish it',
  '### Even later',
  '- [ ] Gild it',
  '## Afterwards',
  '+ [ ] Last work',
  '',
].join('\r\n')

const plans = [
  { file: 'tasks.json', text: json, order: ['T-1'], after: json.replace('false', 'true') },
  {
    file: 'tasks.yaml',
    text: yaml,
    order: ['T-1', 'T-2'],
    after: yaml.replace('status: pending', 'status: done').replace('passes: false', 'passes: true'),
  },
  ...['fix_plan.md', '@fix_plan.md'].map((file) => ({
    file,
    text: checklist,
    order: ['child-work', 'parent-work', 'last-work'],
    after: checklist.replace('[ ] Parent', '[x] Parent').replace('[ ] Child', '[x] Child').replace('[ ] Last', '[x] Last'),
  })),
]
for (const { file, text, order, after } of plans) {
  test(`${file} is a plan like any other: worked through to the end, with its comments and layout kept [R-PLAN-2]`, async (t) => {
    const project = projectFor(t, { plan: { file, text } })
    const { code, out } = await project.run('run', '--no-archive')
    assert.equal(code, 0, out)
    assert.deepEqual(storiesOf(project), order)
    assert.equal(project.read(`.ralph/thing/${file}`), after)
    assert.equal(project.git('branch', '--show-current'), 'main') // no branchName: where we are
  })
}

test('a refused flip is set back in every format, byte for byte [R-PLAN-2]', async (t) => {
  for (const { file, text } of plans) {
    const project = projectFor(t, {
      plan: { file, text },
      script: { otherwise: [{ flip: '$RALPH_STORY' }, { say: 'Said so.' }] },
      config: { gates: { tests: 'exit 3' } },
    })
    const { code } = await project.run('run', '-n', '1')
    assert.equal(code, 1)
    assert.equal(project.read(`.ralph/thing/${file}`), text)
  }
})

test('a checklist with all boxes ticked is complete without a call [R-PLAN-2]', async (t) => {
  const project = projectFor(t, { plan: { file: 'fix_plan.md', text: '- [x] One\n- [x] Two\n- [x] Three\n' } })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.deepEqual(storiesOf(project), [])
})

test('open items under optional headings do not block completion [R-PLAN-2]', async (t) => {
  const text = '- [x] One\n## Future Enhancements\n- [ ] Two\n### Sub\n- [ ] Three\n## Nice to have\n- [ ] Four\n'
  const project = projectFor(t, { plan: { file: 'fix_plan.md', text } })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.equal(project.read('.ralph/thing/fix_plan.md'), text)
})

test('of several plan files the first in order is used, with a warning that names the others [R-PLAN-2]', async (t) => {
  const project = projectFor(t, { files: { '.ralph/thing/tasks.yaml': yaml, '.ralph/thing/fix_plan.md': checklist } })
  const { code, out } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  assert.match(out, /has several plans: prd\.json is used, tasks\.yaml, fix_plan\.md is not/)
  assert.deepEqual(storiesOf(project), ['S-1'])
  assert.equal(project.read('.ralph/thing/tasks.yaml'), yaml)
})

test('a plan under a wrong name stops a run before it calls an agent, with the right name', async (t) => {
  const project = projectFor(t, { stories: null, script: { otherwise: [{ say: 'Done. <promise>COMPLETE</promise>' }] } })
  for (const [wrong, right] of [
    ['prd.jsn', 'prd.json'],
    ['plan.json', 'prd.json'],
    ['tasks.yml', 'tasks.yaml'],
    ['fix-plans.md', 'fix_plan.md'],
  ] as const) {
    project.write(`.ralph/thing/${wrong}`, '{}')
    const { code, out, err } = await project.run('run')
    assert.deepEqual([code, out], [65, ''])
    assert.match(err, new RegExp(`^ralph: \\.ralph/thing/${wrong} looks like a plan, .* Rename it to ${right}\\.\\n$`))
    rmSync(project.path(`.ralph/thing/${wrong}`))
  }
  assert.equal(project.has('.ralph/thing/events.jsonl'), false)
})

test('a feature without a plan runs from its prompt alone, until a claim [R-PLAN-2]', async (t) => {
  const project = projectFor(t, {
    stories: null,
    script: {
      iterations: [
        [{ expect: { prompt: 'Do the work\\.' } }, ...finishes.slice(0, 2), { say: 'Half of it.' }],
        says('All of it.\n<promise>COMPLETE</promise>'),
      ],
    },
  })
  const { code, out, err } = await project.run('run', '--no-archive')
  assert.equal(code, 0, out)
  const told = '.ralph/thing has no plan: the agent works from prompt.md until it signals that everything is done.'
  assert.ok(err.startsWith(`! ${told}`) || out.startsWith(`! ${told}`), err + out)
  assert.deepEqual(storiesOf(project), [null, null])
  assert.deepEqual(endOf(project), {
    outcome: 'complete',
    because: 'claimed in iteration 2, and no gate is configured to check it',
  })
})

test('failed marks of a checklist live in the log: the next run knows them [R-PLAN-2]', async (t) => {
  const text = '- [ ] First work\n- [ ] Second work\n'
  const project = projectFor(t, {
    plan: { file: 'fix_plan.md', text },
    script: { stories: { 'first-work': [[{ flip: 'first-work' }, ...idles]] }, otherwise: idles },
    config: { gates: { tests: 'exit 1' } },
  })
  await project.run('run', '-n', '1', '--max-attempts', '1')
  const { code } = await project.run('run', '-n', '1', '--max-attempts', '1')
  assert.equal(code, 1)
  assert.deepEqual(storiesOf(project), ['first-work', 'second-work'])
  assert.equal(project.read('.ralph/thing/fix_plan.md'), text)
})
