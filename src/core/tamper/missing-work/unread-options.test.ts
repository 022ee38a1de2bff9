import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsIn } from '../../../../test/support/tamper.ts'

const before = 'export function off(cents, { now }) {\n  return cents + now\n}\n'
const source = (body: string): string => `export function off(cents, { now, percent = 0 }) {\n  ${body}\n}\n`
const given = (value: string): string => `test('a', () => {\n  assert.equal(off(500, { now: 0, percent: ${value} }), 400)\n})\n`

const found = (body: string, value = '20'): string[] =>
  findingsIn({ 'src/a.js': [before, source(body)], 'test/a.test.js': [null, given(value)] }).flatMap(({ rule, words }) =>
    rule === 'left-undone' ? [words] : [],
  )

test('an option that tests give numbers, and of which only its presence matters, is noticed', () => {
  const words = 'off() only checks whether percent is set, not its value, in src/a.js (line 1)'
  assert.deepEqual(found('return cents + now - (percent > 0 ? 100 : 0)'), [words])
  assert.deepEqual(found('if (percent) cents -= 100\n  return cents + now'), [words])
  assert.deepEqual(found('return percent && cents > 400 ? 400 + now : cents + now'), [words])
})

test('an option that is worked with, passed on, or only yes or no is not', () => {
  assert.deepEqual(found('return cents + now - (percent > 0 ? cents / percent : 0)'), [])
  assert.deepEqual(found('if (percent > 0) wait(percent)\n  return cents + now'), [])
  assert.deepEqual(found('return cents + now - (percent > 0 ? 100 : 0)', 'true'), [])
  assert.deepEqual(found('return cents + now - (percent > 0 ? 100 : 0)', '1'), [])
})
