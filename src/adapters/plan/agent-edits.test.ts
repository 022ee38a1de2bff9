import assert from 'node:assert/strict'
import { test } from 'node:test'
import { takeEdits } from './agent-edits.ts'
import { parsePlan } from './parse-plan.ts'

const ralph = { pick: 'ralph', story: 'S-1' } as const
const agent = { pick: 'agent', story: null } as const
const json = `{
  "feature": "x",
  "userStories": [
    {"id": "S-1", "title": "One", "passes": false, "notes": ""},
    {"id": "S-2", "title": "Two", "passes": false, "notes": ""},
    {"id": "S-3", "title": "Three", "passes": true, "notes": ""}
  ]
}
`
const one = '"One", "passes": false'
const two = '"Two", "passes": false'
const oneDone = '"One", "passes": true'

/** The outcome of edits, without the plan's data: the text tells. */
const taken = async (file: string, before: string, after: string | null, allowed: Parameters<typeof takeEdits>[2]) => {
  const { plan, ...rest } = await takeEdits(await parsePlan(file, before), after, allowed)
  assert.deepEqual(plan, await parsePlan(file, plan.text))
  return { text: plan.text, ...rest }
}

test('R-PLAN-4 a flip, notes and a new story at the end are taken, with the layout the agent gave them', async () => {
  const data = JSON.parse(json)
  data.userStories[0] = { notes: 'done it', passes: true, title: 'One', id: 'S-1' }
  data.userStories.push({ id: 'S-4', title: 'Four', dependsOn: ['S-2'] })
  const after = JSON.stringify(data)
  assert.deepEqual(await taken('prd.json', json, after, ralph), { text: after, flips: ['S-1'], repairs: [], isRejected: false })
})

test('an untouched plan is an untouched plan', async () => {
  assert.deepEqual(await taken('prd.json', json, json, ralph), { text: json, flips: [], repairs: [], isRejected: false })
})

test('T12 R-PLAN-6 another story that flips is put back, the rest of the text stays', async () => {
  const after = json.replace(one, oneDone).replace(two, '"Two",   "passes":true')
  assert.deepEqual(await taken('prd.json', json, after, ralph), {
    text: json.replace(one, oneDone).replace(two, '"Two",   "passes":false'),
    flips: ['S-1'],
    repairs: ['story S-2 was marked done in an iteration on S-1; set back to open: it gets its own iteration'],
    isRejected: false,
  })
})

test('with pick: agent, and without a named story, any story may flip', async () => {
  const after = json.replace(one, oneDone).replace(two, '"Two", "passes": true')
  const expected = { text: after, flips: ['S-1', 'S-2'], repairs: [], isRejected: false }
  assert.deepEqual(await taken('prd.json', json, after, agent), expected)
  assert.deepEqual(await taken('prd.json', json, after, { pick: 'ralph', story: null }), expected)
})

test('a done story stays done, a new one starts open and unfailed', async () => {
  const fourth = ',\n    {"id": "S-4", "title": "Four", "passes": true, "failed": {"reason": "x"}}'
  const after = json.replace('"Three", "passes": true', '"Three", "passes": false').replace(/(S-3.*)/, `$1${fourth}`)
  assert.deepEqual(await taken('prd.json', json, after, agent), {
    text: json.replace(/(S-3.*)/, '$1,\n    {"id": "S-4", "title": "Four", "passes": false}'),
    flips: [],
    repairs: [
      'story S-3 was done and was set to open; it stays done',
      'story S-4 is new and was marked done; set to open',
      'story S-4 is new and was marked failed; mark removed',
    ],
    isRejected: false,
  })
})

test('T14 a plan that is gone or no longer reads is put back', async () => {
  assert.deepEqual(await taken('prd.json', json, null, ralph), {
    ...{ text: json, flips: [], isRejected: true },
    repairs: ['prd.json was deleted; restored'],
  })
  assert.deepEqual(await taken('prd.json', json, `${json}}`, ralph), {
    ...{ text: json, flips: [], isRejected: true },
    repairs: ['prd.json can no longer be read; restored (prd.json:9:1: found }, expected the end of the file)'],
  })
  assert.deepEqual(await taken('prd.json', json, '{"userStories": []}', ralph), {
    ...{ text: json, flips: [], isRejected: true },
    repairs: [
      'prd.json can no longer be read; restored (prd.json:1:17: no stories yet: run "ralph plan", or add one to "userStories")',
    ],
  })
})

test('whatever else was changed is put back from the snapshot, and what is allowed is taken into it', async () => {
  const data = JSON.parse(json)
  data.feature = 'y'
  data.extra = 1
  data.userStories = [
    { id: 'S-9', title: 'Nine', passes: true, notes: 'new' },
    { id: 'S-3', title: 'Three!', passes: 'yes', notes: '' },
    { id: 'S-1', title: 'One', passes: true, notes: 'n', skip: true },
    { id: 'S-1', title: 'Again' },
    { id: 'S-8', title: 'Eight', dependsOn: ['S-7'] },
    { id: 'S-6', title: 'Six', dependsOn: ['S-5'] },
    { id: 'S-5', title: 'Five', dependsOn: ['S-6'] },
    { title: 'No id' },
  ]
  assert.deepEqual(await taken('prd.json', json, JSON.stringify(data), ralph), {
    text: json
      .replace('"One", "passes": false, "notes": ""', '"One", "passes": true, "notes": "n"')
      .replace(/(S-3.*)/, '$1,\n    {"id":"S-9","title":"Nine","passes":false,"notes":"new"}'),
    flips: ['S-1'],
    repairs: [
      'feature was changed; restored',
      'extra was added; restored',
      'story S-1: skip was added; restored',
      'story S-2 was removed; restored',
      'story S-3: title was changed; restored',
      'the order of the stories was changed; restored',
      'a new story was rejected: id S-1 is already used',
      'a new story was rejected: userStories[7]: missing "id"',
      'a new story was rejected: story S-8 has a missing or circular dependency',
      'a new story was rejected: story S-6 has a missing or circular dependency',
      'a new story was rejected: story S-5 has a missing or circular dependency',
      'story S-9 was inserted between others; moved to the end',
      'story S-9 is new and was marked done; set to open',
    ],
    isRejected: true,
  })
})

test('a value of the wrong type is put back', async () => {
  assert.deepEqual(await taken('prd.json', json, json.replace(one, '"One", "passes": "true"'), ralph), {
    ...{ text: json, flips: [], isRejected: true },
    repairs: ['story S-1: passes: found the text "true", expected true or false; restored'],
  })
})

const yaml = `# plan
tasks:
  - id: a   # first
    title: A
    status: pending
  - id: b
    title: B
    status: done
# end
`

test('in YAML the words of status may change, and a rebuilt plan keeps its comments', async () => {
  const started = yaml.replace('pending', 'in_progress')
  assert.deepEqual(await taken('tasks.yaml', yaml, started, agent), { text: started, flips: [], repairs: [], isRejected: false })
  const after = `tasks:
  - {id: a, title: Other, status: completed, notes: "x: y"}
  - {id: b, title: B, status: done}
  - {id: c, title: C, status: done, acceptanceCriteria: ["d: e"]}
`
  assert.deepEqual(await taken('tasks.yaml', yaml, after, agent), {
    text: yaml
      .replace('pending', 'done\n    notes: "x: y"')
      .replace('# end', '  - id: c\n    title: C\n    status: pending\n    acceptanceCriteria:\n      - "d: e"\n# end'),
    flips: ['a'],
    repairs: ['story a: title was changed; restored', 'story c is new and was marked done; set to open'],
    isRejected: true,
  })
})

test('a new story that cannot be added without changing another one is left out, and that is said', async () => {
  const before = 'tasks:\n  - id: a\n    title: A\n    log: |+\n      kept\n\n\n'
  const after = 'tasks:\n  - {id: a, title: B, log: "kept\\n\\n\\n"}\n  - {id: c, title: C}\n'
  assert.deepEqual(await taken('tasks.yaml', before, after, agent), {
    ...{ text: before, flips: [], isRejected: true },
    repairs: ['story a: title was changed; restored', 'story c: as a new one it could not be applied'],
  })
})

const list = `# Plan
- [ ] Add login
  - [ ] Write the form
- [ ] Add logout

## Optional
- [ ] Dark mode
`

test('in a checklist new items may stand where they belong', async () => {
  const after = list.replace('- [ ] Add logout', '- [x] Add logout\nSome words.\n- [ ] Add tokens')
  const expected = { text: after, flips: ['add-logout'], repairs: [], isRejected: false }
  assert.deepEqual(await taken('fix_plan.md', list, after, { pick: 'ralph', story: 'add-logout' }), expected)
})

test('a checklist item that was reworded is the same item, its box counts, and its words come back', async () => {
  const after = list
    .replace('[ ] Write the form', '[x] Write the form (see abc123)')
    .replace('- [ ] Dark mode\n', '- [x] New thing\n')
  assert.deepEqual(await taken('fix_plan.md', list, after, { pick: 'ralph', story: 'write-the-form' }), {
    text: `${list.replace('[ ] Write', '[x] Write')}- [ ] New thing\n`,
    flips: ['write-the-form'],
    repairs: [
      'story write-the-form: title was changed; restored',
      'story add-login: dependsOn was changed; restored',
      'story dark-mode was removed; restored',
      'story new-thing is new and was marked done; set to open',
    ],
    isRejected: true,
  })
})

test('an item moved under an optional heading still counts, and a new one is not lost among those', async () => {
  const after = `${list.replace('- [ ] Add logout\n', '- [ ] Add tokens\n')}- [ ] Add logout\n`
  assert.deepEqual(await taken('fix_plan.md', list, after, agent), {
    text: list.replace('Add logout', 'Add logout\n- [ ] Add tokens'),
    flips: [],
    repairs: ['story add-logout: its heading was changed; restored', 'the order of the stories was changed; restored'],
    isRejected: true,
  })
})

test('a story that an agent adds does not say itself how little proof it needs, or which issue it closes [R-PROOF-1]', async () => {
  const claims = '"kind": "docs", "proof": "unproven", "changesTests": true, "source": "https://github.com/o/r/issues/1", '
  const fourth = (more: string): string => json.replace(/(S-3.*)/, `$1,\n    {${more}"id": "S-4", "title": "Four"}`)
  const repairs = ['story S-4 is new and sets proof and kind and changesTests and source, which only you may set; removed']
  assert.deepEqual(await taken('prd.json', json, fourth(claims), ralph), {
    text: fourth(''),
    flips: [],
    repairs,
    isRejected: false,
  })
  const yaml = 'tasks:\n  - id: a\n    title: A\n'
  const added = `${yaml}  - id: b\n    title: B\n`
  assert.deepEqual(await taken('tasks.yaml', yaml, `${added}    kind: chore\n`, agent), {
    text: added,
    flips: [],
    repairs: ['story b is new and sets kind, which only you may set; removed'],
    isRejected: false,
  })
})
