import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lintPlan } from './lint.ts'

const facts = { gates: [{ name: 'tests', command: 'npm test' }], hasReviewer: true, history: {} }
const lint = async (file: string, text: string): Promise<string[]> =>
  (await lintPlan(`.ralph/shop/${file}`, text, facts)).findings.map(
    ({ line, column, severity, rule, message }) => `${line}:${column} ${severity} ${rule}: ${message}`,
  )

test('every error of a JSON plan is told at once, small mistakes of syntax too', async () => {
  const text = `{
  "userStories": [
    { "id": "S-1", "title": "One", "priority": "high", },
    { "id": "S-1" "title": "Two", "dependsOn": ["S-9"] }
    { "title": "Th\\xree" }
  ]
}`
  assert.deepEqual(await lint('prd.json', text), [
    '3:48 error bad-plan: story S-1: priority: found the text "high", expected a number (1 is first)',
    '3:56 error bad-plan: trailing comma before }',
    '4:13 error bad-plan: duplicate id S-1; each story needs its own',
    '4:19 error bad-plan: found ", expected a comma or }',
    '4:49 error bad-plan: story S-1: dependsOn: found "S-9", expected the id of a story in this plan',
    '5:5 error bad-plan: found {, expected a comma or ]',
    '5:5 error bad-plan: userStories[2]: missing "id"',
    '5:19 error bad-plan: found "\\\\x" inside a string, expected an escape such as \\n or \\\\',
  ])
  assert.deepEqual(await lint('prd.json', '{"userStories": [{"id": "S-1\n"}]}'), [
    '1:29 error bad-plan: found a line break inside a string; escape it or close the string',
  ])
  assert.deepEqual(await lint('prd.json', '{"userStories": []}'), [
    '1:17 error bad-plan: no stories yet: run "ralph plan", or add one to "userStories"',
  ])
})

test('every error of a YAML plan is told at once', async () => {
  const text = 'tasks:\n  - id: T-1\n    title: One\n    passes: maybe\n    dependsOn: T-2\n  - id: T-2\n'
  assert.deepEqual(await lint('tasks.yaml', text), [
    '4:13 error bad-plan: story T-1: passes: found the text "maybe", expected true or false',
    '5:16 error bad-plan: story T-1: dependsOn: found the text "T-2", expected a list of strings',
    '6:5 error bad-plan: story T-2: missing "title"',
  ])
})

test('unknown fields come with the nearest name, and those that are like none are notes', async () => {
  const text = `{
  "userStories": [
    { "id": "S-1", "title": "One", "acceptanceCritera": [], "criteria": ["GET / gives 200"], "labels": [] },
    { "id": "S-2", "title": "Two", "dependOn": ["S-1"], "acceptanceCriteria": ["GET / gives 200"], "labels": [] }
  ]
}`
  assert.deepEqual(
    (await lint('prd.json', text)).filter((line) => line.includes('unknown')),
    [
      '3:36 warning unknown-field: story S-1: unknown "acceptanceCritera" is ignored; did you mean "acceptanceCriteria"?',
      '3:61 warning unknown-field: story S-1: unknown "criteria" is ignored; did you mean "acceptanceCriteria"?',
      '3:94 note unknown-field: unknown field "labels": Ralph keeps it and does not use it',
      '4:36 warning unknown-field: story S-2: unknown "dependOn" is ignored; did you mean "dependsOn"?',
    ],
  )
})

test('a misspelt required field is named with the right one, once', async () => {
  const text = `{
  "userStories": [
    { "id": "S-1", "titel": "One", "acceptanceCriteria": ["GET / gives 200"] },
    { "ID": "S-2", "name": "Two", "priority": "high", "acceptanceCriteria": ["GET / gives 200"] },
    { "id": "S-3", "title": "Three", "priority": 3, "acceptanceCriteria": ["GET / gives 200"] }
  ]
}`
  assert.deepEqual(await lint('prd.json', text), [
    '3:13 warning form: story S-1: no priority; it comes after stories that have one',
    '3:20 error bad-plan: story S-1: missing "title"; found "titel": rename it',
    '4:7 error bad-plan: userStories[1]: missing "id"; found "ID": rename it',
    '4:20 error bad-plan: userStories[1]: missing "title"; found "name": rename it',
    '4:47 error bad-plan: userStories[1]: priority: found the text "high", expected a number (1 is first)',
  ])
  const list = '{"feature": "x", "userStorys": [{"id": "S-1", "title": "One"}]}'
  assert.deepEqual(await lint('prd.json', list), [
    '1:18 error bad-plan: missing "userStories", the list of stories; found "userStorys": rename it',
  ])
  assert.deepEqual(await lint('tasks.yaml', 'stories:\n- id: 1\n'), [
    '1:1 error bad-plan: missing "tasks", the list of stories; found "stories": rename it',
    '2:3 error bad-plan: story 1: missing "title"',
  ])
})

test('text that is no YAML is one error at its place, and the others are known too', async () => {
  const yaml = 'tasks:\n- id: S-1\n  titel: One\n- id: S-2\n  title: Two\n    passes: yes\n'
  assert.deepEqual(await lint('tasks.yaml', yaml), [
    '3:3 error bad-plan: story S-1: missing "title"; found "titel": rename it',
    '5:10 error bad-plan: not valid YAML: Nested mappings are not allowed in compact mappings',
  ])
})

test('criteria have places of their own in JSON and YAML; a checklist is checked by its titles', async () => {
  const json = '{"userStories": [\n{"id": "S-1", "title": "One", "acceptanceCriteria": [\n"ok is 1",\n  "works well"]}]}'
  const told = 'warning unclear: S-1: nothing can check "works well"; say what to run or read, and what it must show'
  assert.deepEqual(await lint('prd.json', json), [`4:3 ${told}`])
  const yaml = '# mine\ntasks:\n- id: S-1\n  title: One\n  acceptance_criteria:\n  - works well # no\n'
  assert.deepEqual(await lint('tasks.yaml', yaml), [`6:5 ${told}`])
  assert.deepEqual(await lint('fix_plan.md', '# Plan\n- [x] Improve it\n- [ ] Improve the speed\n- [ ] Log in\n'), [
    '3:1 warning unclear: improve-the-speed: nothing says when "Improve the speed" is done; add criteria, or name the values',
  ])
})

test('a mark at the beginning and hostile names move no place', async () => {
  const text = '\uFEFF{"userStories": [{"id": "S-1", "title": "One", "constructor": 1, "acceptanceCriteria": ["is fast"]}]}'
  assert.deepEqual(await lint('prd.json', text), [
    '1:48 note unknown-field: unknown field "constructor": Ralph keeps it and does not use it',
    '1:89 warning unclear: S-1: nothing can check "is fast"; say what to run or read, and what it must show',
  ])
})

test('a plan that names another feature than its folder is told where it does', async () => {
  const text =
    '{ "feature": "login",\n  "userStories": [{ "id": "S-1", "title": "Sum two numbers", "acceptanceCriteria": ["sum(1, 2) is 3"] }] }'
  const told = async (folder?: string): Promise<string[]> =>
    (await lintPlan('prd.json', text, { ...facts, ...(folder === undefined ? {} : { folder }) })).findings.map(
      ({ line, column, rule, message }) => `${line}:${column} ${rule}: ${message}`,
    )
  assert.deepEqual(await told('shop'), ['1:3 form: the plan says feature "login", but its folder is shop'])
  assert.deepEqual([await told('login'), await told()], [[], []])
})
