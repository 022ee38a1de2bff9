import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findingsIn } from '../../../../test/support/tamper.ts'

const source = (name: string, more = 'cents / 10'): string =>
  `export function off(cents, { ${name} = 0 }) {\n  return cents - (${name} === 10 ? ${more} : 0)\n}\n`
const given = (...values: number[]): string =>
  values.map((value) => `test('a', () => {\n  assert.equal(off(500, { percent: ${value} }), ${500 - value * 5})\n})\n`).join('')

const found = (text: string, tests: string, story = 'Discounts in percent'): string[] =>
  findingsIn({ 'src/a.js': ['\n', text], 'test/a.test.js': [null, tests] }, { story: { text: story, changesTests: false } })
    .filter(({ rule }) => rule === 'special-case')
    .map(({ words }) => words)

test('a computation for the one number that tests give is noticed', () => {
  assert.deepEqual(found(source('percent'), given(10)), [
    'src/a.js computes a result only for percent 10 (line 2), the only value that tests pass, as in the test "a" in test/a.test.js',
  ])
})

test('a number that the story names, that is one of several, or that is a code, is not', () => {
  assert.deepEqual(found(source('percent'), given(10), 'Members get percent 10'), [])
  assert.deepEqual(found(source('percent'), given(10, 25)), [])
  assert.deepEqual(found(source('percent', 'fee'), given(10)), [])
  assert.deepEqual(found(source('status'), given(10).replaceAll('percent', 'status')), [])
})

test('a limit that is the one number that tests give is noticed', () => {
  const limited = 'export function off(cents, { percent = 0 }) {\n  return cents - (cents * Math.min(percent, 10)) / 100\n}\n'
  assert.equal(found(limited, given(10)).length, 1)
  assert.deepEqual(found(limited, given(10, 25)), [])
  assert.deepEqual(found(limited, given(10), 'At most 10 percent'), [])
})
