import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Lesson, StoryLearnings } from './learning.ts'
import { distinctLessons, lessonsOf } from './lessons.ts'

const learning: StoryLearnings = {
  task_id: 'S-1',
  outcome: 'failure',
  timestamp: '2026-01-09T12:00:00.000Z',
  successes: [
    { pattern: 'Tests first', category: 'testing', reusable: true, mark: 'kept' },
    { pattern: 'Renamed the folder', category: 'build', reusable: false },
  ],
  failures: [
    { pattern: 'parsing dates by hand.', lesson: 'Use parseDate.', category: 'api' },
    { pattern: '', lesson: 'Read the log first.', category: 'general' },
  ],
  discoveries: [{ description: 'Dates are local time.', category: 'gotcha' }],
}
const from = { feature: 'shop', file: '.ralph/shop/learnings/a.yaml' }
const source = { ...from, story: 'S-1', at: '2026-01-09T12:00:00.000Z' }

test('R-LEARN-5: each lesson has its id and its source; a failure says what to do instead of what', () => {
  assert.deepEqual(lessonsOf(learning, from), [
    { id: 'd92f319b', kind: 'failure', text: 'Instead of parsing dates by hand: Use parseDate.', category: 'api', source },
    { id: '0124b018', kind: 'failure', text: 'Read the log first.', category: 'general', source },
    { id: 'aafe663c', kind: 'discovery', text: 'Dates are local time.', category: 'gotcha', source },
    { id: 'c965a61a', kind: 'success', text: 'Tests first', category: 'testing', mark: 'kept', source },
  ])
})

test('the same thing in other clothes has the same id; another category or another word makes another', () => {
  const idOf = (description: string, category = 'api') =>
    lessonsOf({ ...learning, successes: [], failures: [], discoveries: [{ description, category }] }, from)[0]!.id
  for (const text of ['Use parseDate.', 'use `parseDate`', '**Use**  "parseDate" !'])
    assert.equal(idOf(text), idOf('Use parseDate'))
  assert.equal(new Set([idOf('Use C++'), idOf('Use C#'), idOf('Use C'), idOf('Use C', 'build')]).size, 4)
})

test('learned again, a lesson is the newest of them with the strongest mark', () => {
  const lesson = (at: string, mark?: Lesson['mark'], id = 'a'): Lesson => ({
    id,
    kind: 'discovery',
    text: `Learned ${at}`,
    category: 'api',
    ...(mark !== undefined && { mark }),
    source: { ...source, at },
  })
  assert.deepEqual(distinctLessons([lesson('2', 'dropped'), lesson('3', 'kept'), lesson('1'), lesson('1', undefined, 'b')]), [
    lesson('3', 'dropped'),
    lesson('1', undefined, 'b'),
  ])
  assert.deepEqual(distinctLessons([lesson('1', 'retired'), lesson('2', 'kept')]), [lesson('2', 'kept')])
  assert.deepEqual(distinctLessons([lesson('2'), lesson('1', 'retired')]), [lesson('2', 'retired')])
})
