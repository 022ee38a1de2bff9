import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { chooseLessons } from './choose.ts'
import type { Lesson } from './learning.ts'

const lesson = (text: string, more: Partial<Lesson> & { at?: string } = {}): Lesson => {
  const { at = '2026-01-01T00:00:00.000Z', ...rest } = more
  const source = { feature: 'shop', story: 'S-0', at, file: '.ralph/shop/learnings/a.yaml' }
  return { id: text, kind: 'discovery', text, category: 'general', source, ...rest }
}
const story = {
  id: 'S-1',
  title: 'Parse order dates',
  description: 'The user uploads orders.',
  acceptanceCriteria: ['Local time zones are understood'],
}
const chosen = (lessons: Lesson[], uses: Parameters<typeof chooseLessons>[2] = {}, tokens = 1000) =>
  chooseLessons(lessons, story, uses, tokens).map(({ text }) => text)

test('R-PROMPT-4: lessons that share more words with the story come first, and those that share none not at all', () => {
  assert.deepEqual(
    chosen([
      lesson('The user should have what is in the files'),
      lesson('Dates are written by hand'),
      lesson('Use parseDate: an order has local dates'),
      lesson('Round up', { category: 'time-zones' }),
      lesson('Prices are rounded'),
    ]),
    ['Use parseDate: an order has local dates', 'Round up', 'Dates are written by hand'],
  )
})

test('R-LEARN-5: kept ones come first, dropped and retired ones never, however often they are learned', () => {
  assert.deepEqual(
    chosen([
      lesson('Dates are local'),
      lesson('Prices are rounded', { mark: 'kept' }),
      lesson('Order by date', { mark: 'dropped' }),
      lesson('Order by date', { at: '2026-02-01T00:00:00.000Z' }),
      lesson('Order by time', { mark: 'retired' }),
    ]),
    ['Prices are rounded', 'Dates are local'],
  )
})

test('what did not help sinks; among equals the newest comes first', () => {
  const lessons = [
    lesson('Old order', { at: '2026-01-01T00:00:00.000Z' }),
    lesson('New order', { at: '2026-01-03T00:00:00.000Z' }),
    lesson('Told order', { at: '2026-01-02T00:00:00.000Z' }),
  ]
  assert.deepEqual(chosen(lessons), ['New order', 'Told order', 'Old order'])
  assert.deepEqual(chosen(lessons, { 'Told order': { uses: 4, passed: 4 } }), ['New order', 'Told order', 'Old order'])
  assert.deepEqual(chosen(lessons, { 'Told order': { uses: 4, passed: 0 } }), ['New order', 'Old order', 'Told order'])
})

test('one that is too long for what is left makes room for a shorter one', () => {
  const long = lesson(`Parse order dates ${'x'.repeat(80)}`)
  assert.deepEqual(chosen([long, lesson('Order 1'), lesson('Order 2')], {}, 5), ['Order 1', 'Order 2'])
  assert.deepEqual(chosen([long, lesson('Order 1')], {}, 2), [])
})

test('whatever there is to tell, it is within the budget, at most twelve, each once and none that is dropped', () => {
  const anyLesson = fc
    .record({
      text: fc.array(fc.constantFrom('order', 'dates', 'parse', 'zone', 'price', 'x'.repeat(90)), { minLength: 1 }),
      mark: fc.constantFrom(undefined, 'kept', 'dropped', 'retired'),
    })
    .map(({ text, mark }) => lesson(text.join(' '), mark === undefined ? {} : { mark }))
  fc.assert(
    fc.property(fc.array(anyLesson, { maxLength: 40 }), fc.nat(2000), (lessons, tokens) => {
      const told = chooseLessons(lessons, story, {}, tokens)
      assert.ok(told.length <= 12)
      assert.ok(told.reduce((sum, { text }) => sum + text.length + 3, 0) <= tokens * 4)
      assert.equal(new Set(told.map(({ id }) => id)).size, told.length)
      assert.ok(told.every(({ mark }) => mark === undefined || mark === 'kept'))
      assert.deepEqual(chooseLessons(lessons.toReversed(), story, {}, tokens), told)
    }),
  )
})
