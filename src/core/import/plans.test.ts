import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Failure } from '../failure.ts'
import { fromChecklist } from './checklist.ts'
import { toolNamed, toolOf } from './kind.ts'
import { fromPrd } from './prd.ts'
import { storyFields } from './story.ts'
import { fromTaskMaster } from './task-master.ts'

const snarktank = {
  project: 'Bookshop',
  branchName: 'ralph/wishlist',
  description: 'Wish lists for readers',
  userStories: [
    {
      id: 'US-001',
      title: 'Store wishes',
      description: 'As a developer I need a table for wishes.',
      acceptanceCriteria: ['There is a table wishes', 'Typecheck passes'],
      priority: 1,
      passes: true,
      notes: 'Used the migration tool',
    },
    {
      id: 'US-002',
      title: 'Show the list',
      description: 'As a reader I want to see my wishes.',
      acceptanceCriteria: ['GET /wishes has them all'],
      priority: 2,
      passes: false,
      notes: '',
    },
  ],
}

test("snarktank's plan comes over without a word changed", () => {
  const { stories, ...head } = fromPrd(snarktank)
  assert.deepEqual(head, {
    description: 'Wish lists for readers',
    branchName: 'ralph/wishlist',
    createdAt: '',
    more: { project: 'Bookshop' },
    remarks: [],
  })
  assert.deepEqual(stories.map(storyFields), snarktank.userStories)
})

test("ralph-tui's plan keeps dependencies and labels; its notes on completion are notes", () => {
  const plan = fromPrd({
    name: 'Wish lists',
    metadata: { createdAt: '2026-01-09T12:00:00Z', sourcePrd: './prd.md' },
    userStories: [
      { id: 'US-001', title: 'Store wishes', passes: true, completionNotes: 'Completed by agent', labels: ['db'] },
      { id: 'US-002', title: 'Show the list', passes: false, dependsOn: ['US-001', 'US-099'] },
    ],
  })
  assert.deepEqual(
    { ...plan, stories: plan.stories.map(storyFields) },
    {
      description: '',
      branchName: '',
      createdAt: '2026-01-09T12:00:00Z',
      more: { name: 'Wish lists', metadata: { createdAt: '2026-01-09T12:00:00Z', sourcePrd: './prd.md' } },
      stories: [
        {
          id: 'US-001',
          title: 'Store wishes',
          description: '',
          acceptanceCriteria: [],
          priority: 1,
          passes: true,
          notes: 'Completed by agent',
          labels: ['db'],
        },
        {
          id: 'US-002',
          title: 'Show the list',
          description: '',
          acceptanceCriteria: [],
          priority: 2,
          passes: false,
          notes: '',
          dependsOn: ['US-001'],
        },
      ],
      remarks: ['Kept in the stories, but not used by Ralph: labels.', 'US-002 cannot depend on US-099: dependency removed.'],
    },
  )
})

test('a story without id or title, with criteria in one text and a status, is still a story', () => {
  const { stories } = fromPrd({
    userStories: [
      { description: 'Do it\nwell', acceptanceCriteria: '- one\n- [ ] two', priority: 'high', status: 'blocked' },
      { id: 7 },
    ],
  })
  assert.deepEqual(stories.map(storyFields), [
    {
      id: 'S-1',
      title: 'Do it',
      description: 'Do it\nwell',
      acceptanceCriteria: ['one', 'two'],
      priority: 2,
      passes: false,
      notes: 'Its status was "blocked".',
    },
    { id: '7', title: '7', description: '', acceptanceCriteria: [], priority: 3, passes: false, notes: '' },
  ])
})

test('what is no list of stories is refused with what was expected', () => {
  const refused = (value: unknown, message: string) => assert.throws(() => fromPrd(value), new Failure(65, message))
  refused([], 'missing "userStories", the list of stories')
  refused({ userStories: {} }, 'missing "userStories", the list of stories')
  refused({ userStories: [{}, 'x'] }, 'userStories[1]: expected a story with "id" and "title"')
})

const tasks = [
  {
    id: 1,
    title: 'Set up the shop',
    description: 'Create the project',
    status: 'done',
    dependencies: [],
    priority: 'high',
    details: 'Use the template',
    testStrategy: 'It starts',
  },
  {
    id: 2,
    title: 'Pay',
    description: 'Take payments',
    status: 'in-progress',
    dependencies: [1],
    priority: 'medium',
    complexity: 7,
    subtasks: [
      {
        id: 1,
        title: 'Ask the bank',
        description: 'Call it',
        status: 'done',
        dependencies: [],
        acceptanceCriteria: '- it answers\n- twice',
      },
      { id: 2, title: 'Show the receipt', description: '', status: 'pending', dependencies: [1, '1'] },
    ],
  },
  { id: 3, title: 'Refunds', description: 'Give it back', status: 'deferred', dependencies: ['2.2', 9], priority: 'low' },
]
const asStories = [
  {
    id: '1',
    title: 'Set up the shop',
    description: 'Create the project\n\nUse the template',
    acceptanceCriteria: ['It starts'],
    priority: 2,
    passes: true,
    notes: '',
  },
  {
    id: '2.1',
    title: 'Ask the bank',
    description: 'Call it',
    acceptanceCriteria: ['it answers', 'twice'],
    priority: 3,
    passes: true,
    notes: '',
    dependsOn: ['1'],
  },
  {
    id: '2.2',
    title: 'Show the receipt',
    description: '',
    acceptanceCriteria: [],
    priority: 3,
    passes: false,
    notes: '',
    dependsOn: ['2.1', '1'],
  },
  {
    id: '2',
    title: 'Pay',
    description: 'Take payments',
    acceptanceCriteria: [],
    priority: 3,
    passes: false,
    notes: 'Its status in Task Master was "in-progress".',
    dependsOn: ['1', '2.1', '2.2'],
    complexity: 7,
  },
  {
    id: '3',
    title: 'Refunds',
    description: 'Give it back',
    acceptanceCriteria: [],
    priority: 4,
    passes: false,
    notes: 'Its status in Task Master was "deferred".',
    dependsOn: ['2.2'],
    skip: true,
  },
]

test('a task of Task Master waits for its subtasks, and they for what it waits for', () => {
  const plan = fromTaskMaster({ tasks, metadata: { description: 'A shop', created: '2026-01-09T12:00:00Z' } })
  assert.deepEqual(plan.stories.map(storyFields), asStories)
  assert.deepEqual(
    { ...plan, stories: [] },
    {
      description: 'A shop',
      branchName: '',
      createdAt: '2026-01-09T12:00:00Z',
      more: { metadata: { description: 'A shop', created: '2026-01-09T12:00:00Z' } },
      stories: [],
      remarks: ['Kept in the stories, but not used by Ralph: complexity.', '3 cannot depend on 9: dependency removed.'],
    },
  )
})

test('of several tags, master is taken, or the one that is named', () => {
  const value = { master: { tasks, metadata: {} }, 'feature-x': { tasks: [tasks[0]] } }
  const plan = fromTaskMaster(value)
  assert.deepEqual(plan.stories.map(storyFields), asStories)
  assert.equal(plan.remarks[0], 'Imported the tag master, not feature-x (choose one with --tag).')
  assert.deepEqual(
    fromTaskMaster(value, 'feature-x').stories.map(({ id }) => id),
    ['1'],
  )
  assert.throws(() => fromTaskMaster(value, 'y'), new Failure(64, 'no tag "y"; it has: master, feature-x'))
  assert.throws(
    () => fromTaskMaster({ a: { tasks: [] }, b: { tasks: [] } }),
    new Failure(64, 'several task lists; choose one with --tag: a, b'),
  )
  assert.throws(() => fromTaskMaster({}), new Failure(65, 'missing "tasks", the list of tasks'))
})

test('a checklist keeps its ids, what waits for what, and where each item stood', () => {
  const item = { isDone: false, isOptional: false, description: '', dependsOn: [], section: '' }
  const plan = fromChecklist(
    [
      { ...item, id: 'ask-the-bank', title: 'Ask the bank', isDone: true, section: 'High priority' },
      { ...item, id: 'pay', title: 'Pay', dependsOn: ['ask-the-bank'], description: 'By card' },
      { ...item, id: 'refunds', title: 'Refunds', isOptional: true },
    ],
    '# Shop\nSmall steps.',
  )
  assert.deepEqual(
    [plan.description, plan.remarks],
    ['# Shop\nSmall steps.', ['What belongs to no item is the description of the plan.']],
  )
  const rest = { acceptanceCriteria: [], passes: false, notes: '' }
  assert.deepEqual(plan.stories.map(storyFields), [
    {
      ...rest,
      id: 'ask-the-bank',
      title: 'Ask the bank',
      description: '',
      priority: 1,
      passes: true,
      notes: 'From the section "High priority".',
    },
    { ...rest, id: 'pay', title: 'Pay', description: 'By card', priority: 2, dependsOn: ['ask-the-bank'] },
    { ...rest, id: 'refunds', title: 'Refunds', description: '', priority: 3, skip: true },
  ])
})

test('whose plan a file is shows in its name or in what it holds', () => {
  assert.deepEqual(
    [
      toolOf('prd.json', snarktank),
      toolOf('prd.json', { name: 'x', userStories: [] }),
      toolOf('tasks.json', { tasks }),
      toolOf('tasks.json', { master: { tasks } }),
      toolOf('@fix_plan.md', undefined),
      toolOf('notes.md', undefined),
      toolOf('data.json', { rows: [] }),
      toolOf('data.json', [1]),
    ],
    ['snarktank', 'ralph-tui', 'task-master', 'task-master', 'fix-plan', null, null, null],
  )
  assert.throws(
    () => toolNamed('taskmaster'),
    new Failure(
      64,
      '--from is "taskmaster"; expected one of snarktank, ralph-tui, task-master, fix-plan, or a tracker: github, gitlab, linear, jira, beads. Did you mean task-master?',
    ),
  )
})

test('whatever JSON comes, it is a plan or a refusal, and a plan is sound', () => {
  const names = ['id', 'title', 'status', 'priority', 'dependencies', 'dependsOn', 'subtasks', 'passes', 'acceptanceCriteria']
  const value = fc.letrec((tie) => ({
    thing: fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.dictionary(fc.constantFrom(...names), tie('thing'), { maxKeys: 5 })),
  })).thing
  fc.assert(
    fc.property(fc.array(value, { maxLength: 5 }), (list) => {
      for (const make of [() => fromPrd({ userStories: list }), () => fromTaskMaster({ tasks: list })]) {
        try {
          const { stories } = make()
          const ids = stories.map(({ id }) => id)
          assert.equal(new Set(ids).size, ids.length)
          for (const { title, dependsOn, priority } of stories) {
            assert.ok(title.trim() !== '' && priority !== null && dependsOn.every((id) => ids.includes(id)))
          }
        } catch (error) {
          assert.ok(error instanceof Failure)
        }
      }
    }),
  )
})
