import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Failure } from '../../core/failure.ts'
import { withFailed, withPasses, withSkip } from './change-story.ts'
import { emptyPlan, parsePlan, planFileNames } from './parse-plan.ts'

const failure = { branch: 'wip/x', reason: 'gate "tests"', at: '2026-01-09T12:00:00.000Z' }
const plain = { passes: false, dependsOn: [], skip: false, exitSignal: false, gates: {} }

const refusal = async (file: string, text: string): Promise<string> => {
  const error = await parsePlan(file, text).catch((thrown: unknown) => thrown)
  assert(error instanceof Failure, `${text} was taken`)
  return `${error.exit} ${error.message}`
}
const story = (fields: string) => `{"userStories":[{"id":"a","title":"t",${fields}}]}`

test('R-PLAN-1 a plan in JSON with every field', async () => {
  const text = JSON.stringify({
    feature: 'login',
    branchName: 'feature/login',
    description: 'Log in',
    createdAt: '2026-01-09T12:00:00Z',
    userStories: [
      { id: 'S-1', title: 'One', priority: 2, passes: true, estimate: 3 },
      {
        ...{
          id: 'S-2',
          title: 'Two',
          description: 'More',
          acceptanceCriteria: ['x', 'y'],
          priority: 1,
          passes: false,
          notes: 'n',
        },
        ...{
          dependsOn: ['S-1'],
          touches: ['src'],
          exitSignal: true,
          gates: { lint: 'npm run lint' },
          agent: 'codex',
          model: 'big',
        },
        ...{ skip: true, failed: failure },
      },
    ],
  })
  assert.deepEqual(await parsePlan('.ralph/login/prd.json', text), {
    file: '.ralph/login/prd.json',
    text,
    plan: {
      file: 'prd.json',
      branch: 'feature/login',
      stories: [
        { ...plain, id: 'S-1', title: 'One', priority: 2, passes: true },
        {
          ...{ id: 'S-2', title: 'Two', priority: 1, passes: false, dependsOn: ['S-1'], skip: true, exitSignal: true },
          ...{ gates: { lint: 'npm run lint' }, touches: ['src'], failed: failure, agent: 'codex', model: 'big' },
        },
      ],
      marks: 'file',
    },
    texts: {
      'S-1': { description: '', acceptanceCriteria: [], notes: '' },
      'S-2': { description: 'More', acceptanceCriteria: ['x', 'y'], notes: 'n' },
    },
    warnings: [],
    feature: 'login',
    description: 'Log in',
  })
})

test('R-PLAN-2 tasks.json takes tasks or userStories, tasks.yaml takes status or passes and both spellings of exit_signal', async () => {
  const yaml = `# mine
tasks:
  - id: 1
    title: One
    status: Completed
    exit_signal: true
  - {id: two, title: Two, passes: false, exitSignal: true, priority: 1}
  - id: three
    title: Three
    status: in progress
    notes:
`
  const stories = (await parsePlan('tasks.yaml', yaml)).plan.stories
  assert.deepEqual(stories, [
    { ...plain, id: '1', title: 'One', priority: 2, passes: true, exitSignal: true },
    { ...plain, id: 'two', title: 'Two', priority: 1, exitSignal: true },
    { ...plain, id: 'three', title: 'Three', priority: 3 },
  ])
  for (const key of ['tasks', 'userStories']) {
    const text = `{"${key}": [{"id": "a", "title": "t", "exit_signal": true}]}`
    assert.deepEqual((await parsePlan('tasks.json', text)).plan.stories, [
      { ...plain, id: 'a', title: 't', priority: 1, exitSignal: true },
    ])
  }
})

test('R-PLAN-3 a bad plan says where, what was found and what was expected', async () => {
  const said = [
    await refusal('.ralph/x/prd.json', '{\n  "userStories": [\n    {"id": "a" "title": "t"}\n  ]\n}'),
    await refusal('prd.json', '[]'),
    await refusal('prd.json', '{"stories": []}'),
    await refusal('prd.json', '{"userStories": {}}'),
    await refusal('prd.json', '{"userStories": []}'),
    await refusal('prd.json', '{"branchName": 1, "userStories": [{"id": "a", "title": "t"}]}'),
    await refusal('prd.json', '{"userStories": [\n  "a"]}'),
    await refusal('prd.json', '{"userStories": [{"title": "t"}]}'),
    await refusal('prd.json', '{"userStories": [{"id": "a"}]}'),
    await refusal('prd.json', '{"userStories": [{"id": 7, "title": "t"}]}'),
    await refusal('prd.json', '{"userStories": [{"id": " ", "title": "t"}]}'),
    await refusal('prd.json', '{"userStories": [{"id": "__proto__", "title": "t"}]}'),
    await refusal('prd.json', story('"passes": "true"')),
    await refusal('prd.json', story('"priority": "high"')),
    await refusal('prd.json', story('"acceptanceCriteria": ["x", 1]')),
    await refusal('prd.json', story('"notes": []')),
    await refusal('prd.json', story('"description": 1')),
    await refusal('prd.json', story('"skip": 1')),
    await refusal('prd.json', story('"exitSignal": "no"')),
    await refusal('prd.json', story('"gates": ["x"]')),
    await refusal('prd.json', story('"failed": true')),
    await refusal('prd.json', story('"touches": "src"')),
    await refusal('prd.json', story('"agent": {}')),
    await refusal('prd.json', story('"dependsOn": ["b"]')),
    await refusal('prd.json', story('"dependsOn": ["a"]')),
    await refusal('prd.json', '{"userStories": [\n{"id": "a", "title": "t"},\n{"id": "a", "title": "u"}]}'),
  ]
  assert.deepEqual(said, [
    '65 .ralph/x/prd.json:3:16: found ", expected a comma or }',
    '65 prd.json:1:1: found a list, expected an object with a list of stories',
    '65 prd.json:1:2: missing "userStories", the list of stories; found "stories": rename it',
    '65 prd.json:1:17: userStories: found an object, expected a list of stories',
    '65 prd.json:1:17: no stories yet: run "ralph plan", or add one to "userStories"',
    '65 prd.json:1:16: branchName: found 1, expected text',
    '65 prd.json:2:3: userStories[0]: found the text "a", expected a story with "id" and "title"',
    '65 prd.json:1:18: userStories[0]: missing "id"',
    '65 prd.json:1:18: story a: missing "title"',
    '65 prd.json:1:25: userStories[0]: id: found 7, expected text',
    '65 prd.json:1:25: userStories[0]: id: found the text " ", expected one line of text',
    '65 prd.json:1:25: story __proto__: id: this word is reserved; choose another id',
    '65 prd.json:1:49: story a: passes: found the text "true", expected true or false',
    '65 prd.json:1:51: story a: priority: found the text "high", expected a number (1 is first)',
    '65 prd.json:1:67: story a: acceptanceCriteria: found 1, expected text',
    '65 prd.json:1:48: story a: notes: found a list, expected text',
    '65 prd.json:1:54: story a: description: found 1, expected text',
    '65 prd.json:1:47: story a: skip: found 1, expected true or false',
    '65 prd.json:1:53: story a: exitSignal: found the text "no", expected true or false',
    '65 prd.json:1:48: story a: gates: found a list, expected an object with names and commands',
    '65 prd.json:1:49: story a: failed: found true, expected an object with "branch", "reason" and "at"',
    '65 prd.json:1:50: story a: touches: found the text "src", expected a list of strings',
    '65 prd.json:1:48: story a: agent: found an object, expected text',
    '65 prd.json:1:53: story a: dependsOn: found "b", expected the id of a story in this plan',
    '65 prd.json:1:53: circular dependencies (a → a): remove one of them',
    '65 prd.json:3:8: duplicate id a; each story needs its own',
  ])
})

test('a circle of dependencies is named, without those that only wait for it', async () => {
  const ids = { a: ['b'], b: ['c'], c: ['d', 'e'], d: [], e: ['b'] }
  const userStories = Object.entries(ids).map(([id, dependsOn]) => ({ id, title: id, dependsOn }))
  assert.match(await refusal('prd.json', JSON.stringify({ userStories })), /\(b → c → e → b\)/)
})

test('R-PLAN-3 bad YAML says where and what', async () => {
  assert.deepEqual(
    [
      await refusal('tasks.yaml', ''),
      await refusal('tasks.yaml', 'tasks:\n'),
      await refusal('tasks.yaml', 'tasks:\n  - id: a\n    title: [b\n'),
      await refusal('tasks.yaml', 'tasks:\n  - id: a\n    title: t\n    passes: yes\n'),
      await refusal('tasks.yaml', 'tasks:\n  - id: a\n    title: t\n    status: true\n'),
      await refusal('tasks.yaml', 'tasks:\n  - id: a\n    title: t\n    acceptanceCriteria:\n      - GET: works\n'),
      await refusal('tasks.yaml', 'tasks:\n  - id: a\n    title: t\n    passes: &p false\n'),
      await refusal('tasks.yaml', 'x: &x [a]\ntasks:\n  - id: a\n    title: t\n    dependsOn: *x\n'),
    ],
    [
      '65 tasks.yaml:1:1: found nothing, expected an object with a list of stories',
      '65 tasks.yaml:1:7: no stories yet: run "ralph plan", or add one to "tasks"',
      '65 tasks.yaml:4:1: not valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ]',
      '65 tasks.yaml:4:13: story a: passes: found the text "yes", expected true or false',
      '65 tasks.yaml:4:13: story a: status: found true, expected text',
      '65 tasks.yaml:5:9: story a: acceptanceCriteria: found an object, expected text',
      '65 tasks.yaml:4:16: story a: passes: found a YAML anchor, expected a plain value that Ralph can edit',
      '65 tasks.yaml:5:16: story a: dependsOn: found the alias *x, expected a list of strings',
    ],
  )
})

test('odd but harmless things are warnings', async () => {
  const text = `\uFEFF{"tasks": [], "userStories": [
  {"id": "a", "id": "b", "title": "t", "priority": 1, "depends-on": [], "passes": true, "status": "open"},
  {"id": "c", "title": "t", "notes": null}
]}`
  const { plan, warnings } = await parsePlan('prd.json', text)
  assert.deepEqual(plan.stories, [
    { ...plain, id: 'b', title: 't', priority: 1, passes: true },
    { ...plain, id: 'c', title: 't', priority: 2 },
  ])
  assert.deepEqual(warnings, [
    'prd.json:1:1: "tasks" and "userStories" are both present; using "userStories"',
    'prd.json:2:15: story b: duplicate "id"; the last one is used',
    'prd.json:2:55: story b: unknown "depends-on" is ignored; did you mean "dependsOn"?',
    'prd.json:2:3: story b: passes is true and status is open; passes is used',
    'prd.json:3:10: story c: no priority; it comes after stories that have one',
  ])
})

test('marks in JSON follow the style of their neighbours and go without a trace', async () => {
  const pretty = '{\n\t"userStories": [\n\t\t{\n\t\t\t"id": "a",\n\t\t\t"title": "t"\n\t\t}\n\t]\n}\n'
  const compact = '{"userStories":[{"id":"a","title":"t"}]}'
  const marked = async (text: string) => {
    const plan = await withFailed(await withPasses(await parsePlan('prd.json', text), 'a', true), 'a', failure)
    return { text: plan.text, cleared: (await withFailed(plan, 'a', undefined)).text }
  }
  const failedText = '{ "branch": "wip/x", "reason": "gate \\"tests\\"", "at": "2026-01-09T12:00:00.000Z" }'
  assert.deepEqual(await marked(pretty), {
    text: pretty.replace('"t"', `"t",\n\t\t\t"passes": true,\n\t\t\t"failed": ${failedText}`),
    cleared: pretty.replace('"t"', '"t",\n\t\t\t"passes": true'),
  })
  assert.deepEqual(await marked(compact), {
    text: compact.replace('"t"', `"t","passes":true,"failed":${JSON.stringify(failure)}`),
    cleared: compact.replace('"t"', '"t","passes":true'),
  })
})

test('a mark that comes first in its object goes without a trace too', async () => {
  const text = '{"userStories": [{ "failed": {}, "id": "a", "title": "t" }]}'
  const plan = await withFailed(await parsePlan('prd.json', text), 'a', undefined)
  assert.equal(plan.text, '{"userStories": [{ "id": "a", "title": "t" }]}')
})

test('marks in YAML leave comments, quotes and line ends alone', async () => {
  const text = [
    ...['# plan', 'tasks:', '  - id: a # first', '    status: "todo"   # mine', '    title: t', '    notes: |', '      long', ''],
    ...['  # second', '  - { id: b, title: u, skip: true }', '  - id: c', '    title: v', '    passes:', '# end', ''],
  ].join('\r\n')
  let plan = await parsePlan('tasks.yaml', text)
  plan = await withPasses(await withFailed(plan, 'a', failure), 'a', true)
  plan = await withSkip(await withPasses(plan, 'b', true), 'b', false)
  plan = await withPasses(await withSkip(plan, 'c', true), 'c', true)
  const failedText = '{ "branch": "wip/x", "reason": "gate \\"tests\\"", "at": "2026-01-09T12:00:00.000Z" }'
  const done = text
    .replace('"todo"', '"done"')
    .replace('skip: true }', 'skip: false, passes: true }')
    .replace('passes:\r\n', 'passes: true\r\n')
    .replace('title: v', 'title: v\r\n    skip: true')
  assert.equal(plan.text, done.replace('title: t', `title: t\r\n    failed: ${failedText}`))
  assert.equal((await withFailed(plan, 'a', undefined)).text, done)
  assert.equal((await withPasses(plan, 'a', false)).text, plan.text.replace('"done"', '"pending"'))
})

test('a failure written over several lines of YAML is removed with all of them', async () => {
  const text =
    'tasks:\n  - id: a\n    failed:\n      branch: x\n      reason: y\n    title: t\n  - failed: {branch: z}\n    id: b\n    title: u\n'
  let plan = await parsePlan('tasks.yaml', text)
  plan = await withFailed(await withFailed(plan, 'a', undefined), 'b', undefined)
  assert.equal(plan.text, 'tasks:\n  - id: a\n    title: t\n  - id: b\n    title: u\n')
})

test('comments on lines of their own in a failure outlive it, what looks like one in a text does not', async () => {
  const failed =
    '    failed:\n      branch: |\n        x\n        # text\n# mine\n      reason: y # why\n      # below\n      at: z\n'
  const plan = await parsePlan('tasks.yaml', `tasks:\n  - id: a\n${failed}    title: t\n`)
  const kept = '\n# mine\n      # below\n    title: t\n'
  assert.equal((await withFailed(plan, 'a', undefined)).text, `tasks:\n  - id: a${kept}`)
  const replaced = (await withFailed(plan, 'a', failure)).text
  assert.ok(
    replaced.startsWith('tasks:\n  - id: a\n    failed:\n      { "branch": "wip/x"') && replaced.endsWith(`}${kept}`),
    replaced,
  )
})

test('where passes and status are both given, both change', async () => {
  const text = 'tasks:\n  - {id: a, title: t, status: open, passes: false}\n'
  const done = await withPasses(await parsePlan('tasks.yaml', text), 'a', true)
  assert.equal(done.text, 'tasks:\n  - {id: a, title: t, status: done, passes: true}\n')
  assert.deepEqual(done.warnings, [])
})

test('keys written out with a question mark do not disturb an edit', async () => {
  const text = 'tasks:\n  - &one\n    id: a\n    title: t\n    ? notes\n    : x\n'
  const plan = await parsePlan('tasks.yaml', text)
  assert.equal((await withPasses(plan, 'a', true)).text, text.replace('title: t', 'title: t\n    passes: true'))
})

test('in braces a mark may follow a key without a value', async () => {
  const text = 'tasks:\n  - {id: a, title: t, x:}\n'
  const done = await withPasses(await parsePlan('tasks.yaml', text), 'a', true)
  assert.equal(done.text, 'tasks:\n  - {id: a, title: t, x:, passes: true}\n')
})

test('a story written so that it cannot be changed in place is named, with its place', async () => {
  const plan = await parsePlan('tasks.yaml', 'tasks:\n  - ? id\n    : a\n    ? title\n    : t\n')
  await assert.rejects(withPasses(plan, 'a', true), {
    exit: 65,
    message: 'tasks.yaml:3:7: story a: passes cannot be edited in place; put it on its own line',
  })
})

test('a new plan has no stories, and is a plan once it has one', async () => {
  const fields = {
    feature: 'login',
    branchName: 'feature/login',
    createdAt: '2026-01-09T12:00:00.000Z',
    schema: '../prd.schema.json',
  }
  assert.equal(
    emptyPlan('prd.json', fields),
    `{
  "$schema": "../prd.schema.json",
  "feature": "login",
  "branchName": "feature/login",
  "description": "",
  "createdAt": "2026-01-09T12:00:00.000Z",
  "userStories": []
}
`,
  )
  for (const file of planFileNames) {
    const text = emptyPlan(file, fields)
    assert.match(await refusal(file, text), /^65 \S+:\d+:\d+: no stories yet: run "ralph plan", or add one/)
    const filled = file.endsWith('.md') ? `${text}- [ ] t\n` : text.replace('[]', '[{"id": "t", "title": "t", "priority": 1}]')
    const { plan, warnings } = await parsePlan(file, filled)
    assert.deepEqual(
      { stories: plan.stories, warnings },
      { stories: [{ ...plain, id: 't', title: 't', priority: 1 }], warnings: [] },
    )
  }
})

test('the example that ships is a good plan, and its schema knows every field of it', async () => {
  const read = (name: string) => readFileSync(new URL(`../../../schema/${name}`, import.meta.url), 'utf8')
  const { plan, warnings } = await parsePlan('prd.json', read('prd.example.json'))
  assert.deepEqual({ ids: plan.stories.map(({ id }) => id), warnings }, { ids: ['S-1', 'S-2', 'S-3'], warnings: [] })
  const example = JSON.parse(read('prd.example.json'))
  const schema = JSON.parse(read('prd.schema.json'))
  const unknown = [
    ...Object.keys(example).filter((key) => !(key in schema.properties)),
    ...example.userStories.flatMap(Object.keys).filter((key: string) => !(key in schema.$defs.story.properties)),
  ]
  assert.deepEqual(unknown, [])
})

test('R-PLAN-3 YAML deeper than the stack is refused with its place', async () => {
  for (const depth of [1500, 2500, 5000, 20_000])
    assert.match(
      await refusal('tasks.yaml', '- '.repeat(depth)),
      /^65 tasks\.yaml:1:\d+: (not valid YAML|nested too deeply)/,
      `${depth} levels`,
    )
})

test('stories under an empty name are no stories', async () => {
  const message = '65 tasks.json:1:1: missing "tasks", the list of stories'
  assert.equal(await refusal('tasks.json', '{"":[{"id":"a","title":"t","passes":true}]}'), message)
})

test('a mark at the beginning that is given twice moves no edit', async () => {
  const text = '\uFEFF\uFEFF{\n  tasks: [ { id: a, title: Aa, skip: true, exitSignal: false } ]\n}\n'
  assert.equal((await withSkip(await parsePlan('tasks.yaml', text), 'a', false)).text, text.replace('skip: true', 'skip: false'))
})

test('a story may say which proof it needs, and that it needs no test; a wrong grade is an error, an unknown kind is not [R-PROOF-1]', async () => {
  const read = async (fields: string) => (await parsePlan('prd.json', story(fields))).plan.stories[0]
  assert.deepEqual(await read('"proof": "demonstrated", "kind": "refactor"'), {
    ...plain,
    ...{ id: 'a', title: 't', priority: 1, proof: 'demonstrated', kind: 'refactor' },
  })
  assert.deepEqual(await read('"proof": null, "kind": { "of": "another tool" }'), { ...plain, id: 'a', title: 't', priority: 1 })
  assert.match(
    await refusal('prd.json', story('"proof": "proven"')),
    /^65 .*story a: proof: found the text "proven", expected one of unproven, gated, reviewed, demonstrated$/,
  )
})
