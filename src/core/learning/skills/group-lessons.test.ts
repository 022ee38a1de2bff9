import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { lesson } from '../../../../test/support/lessons.ts'
import type { Lesson } from '../learning.ts'
import { groupLessons } from './group-lessons.ts'

const textsOf = (lessons: Lesson[], threshold = 1) =>
  groupLessons(lessons, threshold).map(({ category, groups, count }) => ({
    category,
    groups: groups.map((group) => group.map(({ text }) => text)),
    count,
  }))

test('R-LEARN-3: lessons that say the same in other words are one pattern, with the newest wording first', () => {
  const lessons = [
    lesson('Mock the network in unit tests'),
    lesson('Run the migrations first'),
    lesson('In a unit test, always mock the network layer.'),
    lesson('mocking networks in unit-tests'),
  ]
  assert.deepEqual(textsOf(lessons), [
    {
      category: 'testing',
      groups: [
        ['mocking networks in unit-tests', 'In a unit test, always mock the network layer.', 'Mock the network in unit tests'],
        ['Run the migrations first'],
      ],
      count: 4,
    },
  ])
})

test('a lesson that is like two groups makes them one', () => {
  const [first, second, third] = ['alpha beta gamma delta', 'gamma delta epsilon zeta', 'alpha beta gamma delta epsilon zeta']
  assert.deepEqual(
    [[first, second].map((text) => lesson(text!)), [first, second, third].map((text) => lesson(text!))].map(
      (lessons) => textsOf(lessons)[0]!.groups.length,
    ),
    [2, 1],
  )
})

test('what to do and what never to do are different patterns, whatever their words', () => {
  const lessons = ['Use mocks for the network', "Don't use mocks for the network", 'Never use mocks for the network'].map(
    (text) => lesson(text),
  )
  assert.deepEqual(textsOf(lessons)[0]!.groups, [
    ['Never use mocks for the network', "Don't use mocks for the network"],
    ['Use mocks for the network'],
  ])
})

test('categories that differ in case, plural and hyphens are one, named as its oldest lesson spells it', () => {
  const lessons = [
    'Unit Tests',
    'unit-test',
    'unit_tests',
    'UnitTest',
    'queries',
    'query',
    'Cookies',
    'cookie',
    'io',
    'iOS',
    'CSS',
  ].map((category, index) => lesson(`fact ${index}`, { category }))
  assert.deepEqual(
    textsOf(lessons).map(({ category, count }) => [category, count]),
    [
      ['cookies', 2],
      ['css', 1],
      ['io', 1],
      ['ios', 1],
      ['queries', 2],
      ['unit-tests', 4],
    ],
  )
})

test('a category is a fit file name, whatever it is called', () => {
  const names = ['../../etc', '', '日本語', 'Café & Thé', 'x'.repeat(200), '-a-'].map(
    (category) => groupLessons([lesson('fact', { category })], 1)[0]!.category,
  )
  assert.deepEqual(names, ['etc', 'general', 'general', 'cafe-the', 'x'.repeat(30), 'a'])
})

test('R-LEARN-3: a category counts its patterns, or the stories that taught them if they are more', () => {
  const ofOneStory = ['Mock the network', 'Run the migrations', 'Seed the database'].map((text) =>
    lesson(text, { source: { story: 'S-1' } }),
  )
  const ofThree = ['Mock the network', 'mock the network', 'Mock the network!'].map((text) => lesson(text, { category: 'api' }))
  const ofTwo = ['Mock the network', 'Mock networks'].map((text) => lesson(text, { category: 'web' }))
  const all = [...ofOneStory, ...ofThree, ...ofTwo]
  assert.deepEqual(
    groupLessons(all, 3).map(({ category, groups, count }) => [category, groups.length, count]),
    [
      ['api', 1, 3],
      ['testing', 3, 3],
    ],
  )
})

test('what was dropped or retired makes no skill, what was kept does', () => {
  const lessons = (['kept', 'dropped', 'retired'] as const).map((mark) => lesson(`A ${mark} fact`, { mark }))
  assert.deepEqual(textsOf(lessons), [{ category: 'testing', groups: [['A kept fact']], count: 1 }])
})

const words = fc.constantFrom('mock', 'mocks', 'the', 'network', 'never', 'test', 'testing', 'run', 'seed', '!!', '日本', '')
const anyLesson: fc.Arbitrary<Lesson> = fc
  .record({
    text: fc.array(words, { maxLength: 6 }).map((list) => list.join(' ')),
    kind: fc.constantFrom('success', 'failure', 'discovery'),
    category: fc.constantFrom('test', 'tests', 'Unit-Test', 'unit tests', 'api', '', '!', '日本'),
    story: fc.constantFrom('S-1', 'S-2', 'S-3'),
    at: fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'),
  })
  .map(({ story, at, ...rest }) => ({
    id: `${rest.category} ${rest.text}`,
    ...rest,
    source: { feature: 'f', story, at, file: 'x' },
  }))

test('the order of the lessons makes no difference', () => {
  fc.assert(
    fc.property(
      fc
        .array(anyLesson, { maxLength: 20 })
        .chain((lessons) =>
          fc.tuple(fc.constant(lessons), fc.shuffledSubarray(lessons, { minLength: lessons.length }), fc.nat({ max: 4 })),
        ),
      ([lessons, shuffled, threshold]) => {
        assert.deepEqual(groupLessons(shuffled, threshold), groupLessons(lessons, threshold))
      },
    ),
  )
})

test('every lesson is in exactly one group, and a threshold only leaves out whole categories', () => {
  fc.assert(
    fc.property(fc.array(anyLesson, { maxLength: 20 }), fc.nat({ max: 4 }), (lessons, threshold) => {
      const all = groupLessons(lessons, 1)
      const found = all.flatMap(({ groups }) => groups.flat())
      assert.equal(found.length, lessons.length)
      assert.deepEqual(new Set(found), new Set(lessons))
      assert.ok(all.every(({ groups }) => groups.every((group) => group.length > 0)))
      assert.deepEqual(
        groupLessons(lessons, threshold),
        all.filter(({ count }) => count >= threshold),
      )
    }),
  )
})
