import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type NewPlan, type NewStory, soundPlan, storiesAfter, storyFields } from './story.ts'

const story = (id: string, fields: Partial<NewStory> = {}): NewStory => ({
  id,
  title: `Story ${id}`,
  description: '',
  acceptanceCriteria: [],
  priority: 1,
  passes: false,
  notes: '',
  dependsOn: [],
  skip: false,
  more: {},
  ...fields,
})
const plan = (...stories: NewStory[]): NewPlan => ({
  description: '',
  branchName: '',
  createdAt: '',
  more: {},
  stories,
  remarks: [],
})
const shapes = (stories: NewStory[]): [string, number | null, string[]][] =>
  stories.map(({ id, priority, dependsOn }) => [id, priority, dependsOn])

test('an id that comes twice, and a dependency on nothing or on itself, are corrected and reported', () => {
  const sound = soundPlan(
    plan(story('A'), story('A', { dependsOn: ['A', 'B', 'Z', 'B'] }), story('B', { dependsOn: ['B', 'OLD'] })),
    ['OLD'],
  )
  assert.deepEqual(shapes(sound.stories), [
    ['A', 1, []],
    ['A-2', 1, ['A', 'B']],
    ['B', 1, ['OLD']],
  ])
  assert.deepEqual(sound.remarks, [
    'Duplicate id A: one of the stories is now A-2.',
    'A-2 cannot depend on Z: dependency removed.',
    'B cannot depend on B: dependency removed.',
  ])
})

test('stories without a priority come after those that have one, in their order', () => {
  const stories = ['A', 'B', 'C'].map((id, place) => story(id, { priority: place === 1 ? 3 : null }))
  assert.deepEqual(shapes(soundPlan(plan(...stories)).stories), [
    ['A', 4, []],
    ['B', 3, []],
    ['C', 5, []],
  ])
})

test('after other stories, a series of ids that is taken goes on where it ends, and dependencies follow', () => {
  const others = [
    { id: 'US-001', priority: 1 },
    { id: 'US-009', priority: 7 },
    { id: 'setup', priority: 2 },
  ]
  const later = storiesAfter(
    [
      story('US-001'),
      story('US-002', { priority: 2, dependsOn: ['US-001', 'setup'] }),
      story('setup', { priority: 3, dependsOn: ['US-002'] }),
      story('other', { priority: 3 }),
    ],
    others,
  )
  assert.deepEqual(shapes(later), [
    ['US-010', 8, []],
    ['US-011', 9, ['US-010', 'setup-2']],
    ['setup-2', 10, ['US-011']],
    ['other', 10, []],
  ])
})

test('subtasks stay with their task when its number is taken', () => {
  assert.deepEqual(
    storiesAfter([story('1.1'), story('1', { dependsOn: ['1.1'] })], [{ id: '1', priority: 1 }]).map(({ id, dependsOn }) => [
      id,
      dependsOn,
    ]),
    [
      ['2.1', []],
      ['2', ['2.1']],
    ],
  )
})

test('whatever the ids, none is given twice after others, and each story keeps its place', () => {
  const ids = fc.uniqueArray(
    fc.oneof(
      fc.stringMatching(/^S-\d{1,3}$/),
      fc.stringMatching(/^\d(\.\d)?$/),
      fc.constantFrom('a', 'a-2', 'a-3', 'toString', '__proto__'),
    ),
    { maxLength: 12 },
  )
  fc.assert(
    fc.property(ids, ids, (there, coming) => {
      const others = there.map((id, place) => ({ id, priority: place + 1 }))
      const later = storiesAfter(
        coming.map((id) => story(id)),
        others,
      )
      assert.equal(new Set([...there, ...later.map(({ id }) => id)]).size, there.length + coming.length)
      assert.deepEqual(
        later.map(({ title }) => title),
        coming.map((id) => `Story ${id}`),
      )
    }),
  )
})

test('a field that others gave a name of ours does not take its place', () => {
  const fields = storyFields(
    story('A', { dependsOn: ['B'], more: { title: 'x', status: 'x', dependsOn: [1], skip: 2, labels: ['ui'] } }),
  )
  assert.deepEqual(fields, {
    id: 'A',
    title: 'Story A',
    description: '',
    acceptanceCriteria: [],
    priority: 1,
    passes: false,
    notes: '',
    dependsOn: ['B'],
    labels: ['ui'],
  })
})
