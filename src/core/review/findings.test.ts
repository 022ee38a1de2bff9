import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReviewFinding } from '../types.ts'
import type { ReviewAnswer } from './answer.ts'
import { type EarlierReviews, findingsAfter, isOutweighed } from './findings.ts'

const answer = (more: Partial<ReviewAnswer>): ReviewAnswer => ({
  verdict: 'fail',
  missing: [],
  extra: [],
  warnings: [],
  fixed: [],
  answers: [],
  reason: '',
  ...more,
})
const first: EarlierReviews = { open: [], dismissed: [], changed: null }
const rounding: ReviewFinding = { id: '0000aaaa', kind: 'missing', words: '2. Rounds up: 1.5 gives 1', standing: 'open' }
const later: EarlierReviews = { open: [rounding], dismissed: [], changed: { 'src/price.ts': [[10, 12]] } }
const standings = (given: Partial<ReviewAnswer>, earlier = later): string[] =>
  findingsAfter(answer(given), earlier).map(({ words, standing }) => `${standing}: ${words}`)

test('in the first review everything counts, and each finding has an id that line numbers and quotes do not change', () => {
  const [one, two] = findingsAfter(answer({ missing: ['a `b` in src/x.ts:14 fails.'], extra: ['deleted y.ts'] }), first)
  assert.deepEqual([one?.standing, one?.file, one?.line, two?.standing, two?.file], ['open', 'src/x.ts', 14, 'open', undefined])
  const [same, other] = findingsAfter(answer({ missing: ['A b in src/x.ts:20 fails', 'deleted y.ts'] }), first)
  assert.equal(same?.id, one?.id)
  assert.notEqual(other?.id, two?.id)
})

test('a later review may add what is about changed lines; what it adds elsewhere is late', () => {
  const fixed = ['0000aaaa']
  const words = [
    'src/price.ts:11 ignores negatives',
    'price.ts:8-9 is near enough',
    'price.ts as a whole',
    './src/price.ts:40, 11 both',
    '/home/me/.judges/1/src/price.ts:12 by its full path',
    'src/price.ts:40 was there before',
    'other/price.ts:11 is another file',
    'myprice.ts:11 too',
    'src/price.ts.map:11 too',
    'docs are missing',
  ]
  const found = (missing: string[]): string[] => standings({ missing, fixed }).map((line) => line.replace(/: .*/, ''))
  assert.deepEqual(found(words), [...Array(5).fill('open'), ...Array(5).fill('late')])
  assert.deepEqual(standings({ missing: words.slice(5), fixed }).length, 5)
})

test('an earlier finding stays open until the reviewer says that it is fixed, in whatever words it comes back', () => {
  assert.deepEqual(standings({ missing: ['docs are missing'] }), ['open: 2. Rounds up: 1.5 gives 1', 'late: docs are missing'])
  assert.deepEqual(standings({ missing: ['[0000AAAA] still down'], fixed: ['0000aaaa'] }), ['open: still down'])
  assert.deepEqual(standings({ missing: ['Criterion 2: half goes down'], fixed: ['0000aaaa'] }), [
    'open: Criterion 2: half goes down',
  ])
  const [again] = findingsAfter(answer({ missing: ['2) not yet'] }), later)
  assert.equal(again?.id, rounding.id)
  const placed = { ...later, open: [{ ...rounding, words: 'x', file: 'a.ts', line: 3 }] }
  assert.deepEqual(standings({ extra: ['a.ts:3 breaks'], fixed: ['0000aaaa'] }, placed), ['open: a.ts:3 breaks'])
  assert.deepEqual(standings({ reason: 'The first is still open.' }), ['open: 2. Rounds up: 1.5 gives 1'])
})

test('what a person dismissed stays dismissed, and only that', () => {
  const [found] = findingsAfter(answer({ missing: ['3. no docs'] }), first)
  assert.ok(found)
  const earlier: EarlierReviews = { ...first, dismissed: [found] }
  assert.deepEqual(standings({ missing: ['3. No docs!'] }, earlier), ['dismissed: 3. No docs!'])
  assert.deepEqual(standings({ missing: ['3. wrong docs'] }, earlier), ['open: 3. wrong docs'])
  assert.deepEqual(standings({ missing: [`[${found.id}] other words`] }, earlier), ['dismissed: other words'])
})

test('what a person dismisses while a reviewer works does not count in its answer, repeated or forgotten', () => {
  const earlier: EarlierReviews = { ...later, dismissed: [rounding] }
  assert.deepEqual(standings({ missing: ['[0000aaaa] Rounds up'] }, earlier), ['dismissed: Rounds up'])
  assert.deepEqual(standings({ missing: ['src/price.ts:11 breaks'] }, earlier), ['open: src/price.ts:11 breaks'])
})

test('a story passes once nothing that was found counts; a failure without a finding, and one that nobody can place, counts', () => {
  const passes = (given: Partial<ReviewAnswer>, earlier = later): boolean => isOutweighed(findingsAfter(answer(given), earlier))
  assert.equal(passes({ missing: ['docs are missing'], fixed: ['0000aaaa'] }), true)
  assert.equal(passes({ missing: ['docs are missing'] }), false)
  assert.equal(passes({ reason: 'no', fixed: ['0000aaaa'] }), false)
  assert.equal(passes({ missing: ['docs are missing'], fixed: ['0000aaaa'] }, { ...later, changed: null }), false)
  assert.equal(passes({ verdict: 'blocked', reason: 'no key' }), false)
  assert.deepEqual(standings({ verdict: 'pass' }), [])
})
